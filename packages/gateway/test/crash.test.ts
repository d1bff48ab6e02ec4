/** An error that nothing catches: the gateway ends, writes a report without secrets, and leaves no process behind. */
import { existsSync } from 'node:fs'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { allGone, Running, started } from './running.fixtures.ts'

const SECRET = 'sesame-4711-open'
/** Makes the process throw when it gets this signal. */
const THROWS = `process.on('SIGUSR2', () => { throw new TypeError('fails with ${SECRET}') })`

let running = new Running()
afterEach(async () => {
  await running.clear()
  running = new Running()
})

async function crash(own: Record<string, unknown> = {}) {
  const preload = join(await running.folder(), 'throws.mjs')
  await writeFile(preload, THROWS)
  const servers = { notes: { env: { ...(running.command()['env'] as object), TOKEN: SECRET } } }
  const gateway = await running.gateway(servers, own, ['--import', preload])
  await started(running)
  const client = await running.client(gateway, 'notes', '2025-11-25')
  await client.tools()
  gateway.child.kill('SIGUSR2')
  expect(await gateway.ended).not.toBe(0)
  await allGone(running.mark)
  return gateway
}

describe('L8 a gateway that crashes', () => {
  it('writes what ended it and how its servers were, for its owner alone, and says where', async () => {
    const gateway = await crash()
    const folder = join(dirname(gateway.config), 'parley-crash-reports')
    const [file = '', ...others] = await readdir(folder)
    expect(others).toEqual([])
    const text = await readFile(join(folder, file), 'utf8')
    expect(text).not.toContain(SECRET)
    expect(JSON.parse(text)).toMatchObject({
      format: 'parley-crash-report/1',
      cause: 'uncaughtException',
      error: { name: 'TypeError', message: 'fails with [TOKEN]' },
      details: { sessions: 1, servers: [{ name: 'notes', state: 'running' }] },
    })
    expect((await stat(join(folder, file))).mode & 0o777).toBe(0o600)
    const lines = gateway.words.split('\n').filter((line) => line.startsWith('{'))
    expect(lines.map((line) => JSON.parse(line))).toContainEqual(
      expect.objectContaining({ event: 'crash', severity: 'error', file: join(folder, file) }),
    )
  })

  it('writes it where the configuration says, or not at all', async () => {
    const elsewhere = join(await running.folder(), 'own', 'crashes')
    await crash({ crashReports: elsewhere })
    expect(await readdir(elsewhere)).toHaveLength(1)
    const silent = await crash({ crashReports: 'off' })
    expect(existsSync(join(dirname(silent.config), 'parley-crash-reports'))).toBe(false)
  })
})
