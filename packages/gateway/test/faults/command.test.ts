/**
 * `parley gateway` as it is started: configurations that cannot be right, ports that are taken, and its end while calls
 * run.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'parley-mcp/node'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { allGone, MARK, mark } from '../../../sdk/test/wire/processes.ts'
import { parley } from '../../src/cli/cli.fixtures.ts'
import { eventually, expect, FaultRig, failureOf, faulty, soon, textOf } from './faults.fixtures.ts'

const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url))

let rig: FaultRig
let folder: string
beforeEach(async () => {
  rig = new FaultRig()
  folder = await rig.folder()
})
afterEach(() => rig.clear())

async function written(config: unknown, name = 'parley.json'): Promise<string> {
  const file = join(folder, name)
  await writeFile(file, typeof config === 'string' ? config : JSON.stringify(config, undefined, 2))
  return file
}

describe('a configuration that cannot be right', () => {
  it.each([
    [
      'an unknown key of a server',
      { mcpServers: { files: { comand: 'npx' } } },
      /parley\.json:4:.*mcpServers\.files.*comand.*command/s,
    ],
    ['an unknown key of the gateway', { mcpServers: {}, gateway: { prot: 4000 } }, /prot.*port/s],
    ['neither command nor URL', { mcpServers: { files: {} } }, /files.*command.*url/s],
    ['both', { mcpServers: { files: { command: 'x', url: 'http://x/mcp' } } }, /files/],
    ['a port that is none', { mcpServers: {}, gateway: { port: 99_999 } }, /port.*65535/s],
    [
      'a restart policy that is none',
      { mcpServers: { files: { command: 'x', restart: 'always' } } },
      /restart.*permanent/s,
    ],
    ['a name that cannot be part of an address', { mcpServers: { 'a/b': { command: 'x' } } }, /a\/b/],
    ['the gateway itself', { mcpServers: { self: { url: 'http://localhost:4000/mcp' } } }, /self.*itself/s],
    [
      'the gateway itself by another spelling',
      { mcpServers: { self: { url: 'http://[::ffff:127.0.0.1]:4000/servers/self/mcp' } } },
      /self.*itself/s,
    ],
    ['no JSON', '{ "mcpServers": ', /parley\.json:1:/],
    ['a list', '[]', /parley\.json/],
    ['nothing', '', /empty/i],
    ['__proto__ as a server', '{ "mcpServers": { "__proto__": { "command": "x" } } }', /__proto__/],
    ['__proto__ as a key', '{ "mcpServers": { "a": { "command": "x", "__proto__": { "lazy": true } } } }', /__proto__/],
    ['a key twice', '{ "mcpServers": { "a": { "command": "x" }, "a": { "command": "y" } } }', /twice/],
  ])('%s: what and where, and nothing is started', async (_, config, pattern) => {
    const { code, err } = await soon(parley(['gateway', '--config', await written(config)]))
    expect([code, err]).toEqual([1, expect.stringMatching(pattern)])
    expect(({} as Record<string, unknown>)['lazy']).toBeUndefined()
  })

  it('no file', async () => {
    const { code, err } = await soon(parley(['gateway', '--config', join(folder, 'none.json')]))
    expect([code, err]).toEqual([1, expect.stringMatching(/none\.json.*no such file/is)])
  })
})

describe('a port in use', () => {
  it('which one, and the ways out; nothing is left running', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    rig.atEnd(() => other.close())
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const file = await written({ mcpServers: { files: faulty() } })
    const { code, err } = await soon(parley(['gateway', '--config', file, '--port', String(port)]))
    expect([code, err]).toEqual([1, expect.stringMatching(new RegExp(`port ${port}.*in use.*--port`, 's'))])
  })
})

describe('the built command', () => {
  const marker = mark()
  const marked = (server: object) => ({ ...server, env: { [MARK]: marker } })

  async function started(servers: Record<string, object>) {
    const file = await written({ mcpServers: servers, gateway: { port: 0 } })
    const child = spawn(process.execPath, [CLI, 'gateway', '--config', file], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, [MARK]: marker },
    })
    rig.atEnd(async () => {
      if (child.exitCode === null) child.kill('SIGKILL')
      await allGone(marker)
    })
    const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
    let words = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        words += text
      })
    }
    const [, url] = await eventually(async () => {
      const found = /listens on (http:[^\s"]+)/.exec(words)
      if (found === null) throw new Error(`It does not listen: ${words}`)
      return found
    })
    const client = async (name: string) => {
      const made = await connect(`${url}/servers/${name}/mcp`, { version: '2025-11-25', reconnect: false })
      rig.atEnd(() => made.close())
      return made
    }
    return { child, ended, file, client, words: () => words }
  }

  it('L8 SIGTERM during calls: what ends in time is answered, what does not gets a typed error, no process stays', async () => {
    const { child, ended, client } = await started({ files: marked(faulty()) })
    const files = await client('files')
    const [waited, hung] = [files.call('wait', { ms: 1000 }), failureOf(files.call('hang'))]
    await textOf(files, 'echo', { text: 'behind them' })
    child.kill('SIGTERM')
    expect((await soon(waited)).text).toBe('waited')
    expect(await soon(hung)).toMatchObject({ kind: expect.any(String) })
    expect(await soon(ended)).toBe(0)
    await allGone(marker)
  })

  it('whoever reads its output and its log goes away: it goes on to serve', async () => {
    const { child, client } = await started({ files: marked(faulty()) })
    child.stdout.destroy()
    child.stderr.destroy()
    const files = await client('files')
    // Each crash is said in the log, which is written to nobody now.
    for (const code of [3, 4]) await failureOf(files.call('crash', { code }))
    expect(await soon(textOf(files, 'echo', { text: 'still' }))).toBe('still')
    expect(child.exitCode).toBeNull()
  })

  it('a file that breaks, vanishes and comes back: told, and the calls go on', async () => {
    const { client, words, file } = await started({ files: marked(faulty()) })
    const files = await client('files')
    const told = (pattern: RegExp) => eventually(async () => expect(words()).toMatch(pattern))
    await writeFile(file, '{ "mcpServers": { "files": { "comand": "x" } } }')
    await told(/was refused.*comand/s)
    await rm(file)
    await told(/was refused.*no such file/is)
    expect(await textOf(files, 'echo', { text: 'still' })).toBe('still')
    await writeFile(
      file,
      JSON.stringify({ mcpServers: { files: marked(faulty()), more: marked(faulty()) }, gateway: { port: 0 } }),
    )
    await eventually(async () => expect(await textOf(await client('more'), 'echo', { text: 'more' })).toBe('more'))
    expect(await textOf(files, 'echo', { text: 'still' })).toBe('still')
  })
})
