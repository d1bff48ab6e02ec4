/** Servers that end: crashes are told at once and to the point, policies are kept, and nobody else notices. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ParleyError } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { describe, it } from 'vitest'
import { childrenOf, eventually, expect, failureOf, faulty, perTest, soon, textOf, until } from './faults.fixtures.ts'

const SECRET = 'sesame-4711-open'

const rig = perTest()

const pidOf = async (client: Client): Promise<number> => Number(await textOf(client, 'pid'))
const stateOf = (name: string): string | undefined =>
  rig.gateway.upstreams.find((each) => each.name === name)?.status().state

describe.each([
  { version: '2025-11-25', session: 'request' },
  { version: '2026-07-28', session: 'shared' },
] as const)('L6 a crash, client of $version', ({ version, session }) => {
  it('waiting calls get a typed error at once that quotes the last words without secrets, and the next ones work', async () => {
    await rig.start({ files: { ...faulty(), session, env: { SECRET } }, other: faulty() })
    const [client, other] = await Promise.all([rig.client('files', version), rig.client('other', version)])
    const waiting = Array.from({ length: 5 }, () => failureOf(client.call('hang')))
    await textOf(client, 'echo', { text: 'behind them' })
    const slow = other.call('wait', { ms: 500 })
    const crashed = failureOf(client.call('crash', { code: 7, words: ['disk is full', 'giving up'], secret: true }))
    for (const failure of await soon(Promise.all([crashed, ...waiting]))) {
      expect(failure).toBeInstanceOf(ParleyError)
      const { message } = failure as Error
      expect(message).toMatch(/"files" exited with code 7.*disk is full.*giving up/s)
      expect(message).toContain('token is [SECRET]')
      expect(message).not.toContain(SECRET)
    }
    expect(await eventually(() => textOf(client, 'echo', { text: 'again' }))).toBe('again')
    expect((await slow).text).toBe('waited')
    expect(rig.said.join('\n')).not.toContain(SECRET)
    const status = await (await fetch(`${rig.url}/readyz`)).text()
    expect(status + (await (await fetch(`${rig.url}/metrics`)).text())).not.toContain(SECRET)
  })
})

describe('restart policies', () => {
  const running = (): string[] => childrenOf(process.pid)

  it.each([
    ['transient', 0],
    ['temporary', 0],
    ['temporary', 1],
  ] as const)(
    'G under %s what exits with %i is not started again by itself, but by whoever needs it',
    async (policy, code) => {
      await rig.start({ files: { ...faulty(), restart: policy } })
      const client = await rig.client('files')
      const failure = await soon(failureOf(client.call('crash', { code })))
      expect(failure).toMatchObject({ message: expect.stringMatching(new RegExp(`"files" exited with code ${code}`)) })
      await until(running, (left) => left.length === 0)
      await rig.clock.skip(60_000)
      expect([running(), stateOf('files')]).toEqual([[], 'stopped'])
      expect(await eventually(() => textOf(client, 'echo', { text: 'again' }))).toBe('again')
    },
  )

  it.each([
    ['permanent', 0],
    ['permanent', 1],
    ['transient', 1],
  ] as const)('G under %s what exits with %i comes back by itself', async (policy, code) => {
    await rig.start({ files: { ...faulty(), restart: policy } })
    const client = await rig.client('files')
    const before = await pidOf(client)
    await failureOf(client.call('crash', { code }))
    await until(running, (now) => now.length === 1 && !now[0]?.startsWith(`${before} `))
    expect(await eventually(() => textOf(client, 'echo', { text: 'again' }))).toBe('again')
  })

  it('G a crash loop is given up with a clear error, and harms nobody', async () => {
    await rig.start({
      loop: { ...faulty('--crash=3'), env: { SECRET }, restart: { policy: 'permanent', maxRestarts: 1, within: '1m' } },
      good: faulty(),
    })
    const good = await rig.client('good')
    const failure = await eventually(async () => {
      const seen = (await soon(failureOf(rig.client('loop')))) as Error
      expect(seen.message).toMatch(/is not available: it keeps ending/)
      return seen
    })
    expect(failure).toBeInstanceOf(ParleyError)
    expect(failure.message).toMatch(/"loop".*exited with code 3.*1 restarts within 60 s.*next attempt.*no licence/s)
    expect(failure.message).not.toContain(SECRET)
    expect(stateOf('loop')).toBe('down')
    // It is known to be down: nobody waits for it again.
    const listed = await soon(rig.client().then((client) => client.tools()))
    expect(listed.map(({ name }) => name)).toContain('good__echo')
    expect(await textOf(good, 'echo', { text: 'well' })).toBe('well')
    const ready = await fetch(`${rig.url}/readyz`)
    expect(ready.status).toBe(200)
    expect(JSON.stringify(await ready.json())).not.toContain(SECRET)
  })

  it('a program that exits right after the handshake is a crash loop, too', async () => {
    await rig.start({ loop: { ...faulty('--exit=0'), restart: { policy: 'permanent', maxRestarts: 1, within: '1m' } } })
    await eventually(async () => {
      const client = await soon(failureOf(rig.client('loop')))
      const failure =
        client instanceof Error
          ? client
          : ((await soon(failureOf((client as { answered: Client }).answered.call('echo')))) as Error)
      expect(failure.message).toMatch(/is not available: it keeps ending/)
    })
  })

  it('a missing command: which one, what to do, and the others go on', async () => {
    await rig.start({ gone: { command: 'parley-no-such-program' }, good: faulty() })
    const failure = await soon(failureOf(rig.client('gone')))
    expect(failure).toBeInstanceOf(ParleyError)
    expect((failure as Error).message).toMatch(/"gone".*parley-no-such-program/s)
    expect((await soon(rig.client().then((client) => client.tools()))).map(({ name }) => name)).toContain('good__echo')
  })

  it('a file that is no program, and a folder that is not there', async () => {
    const file = join(await rig.folder(), 'text.txt')
    writeFileSync(file, 'no program')
    await rig.start({ text: { command: file }, folder: { ...faulty(), cwd: '/no/such/folder' } })
    expect((await soon(failureOf(rig.client('text')))) as Error).toMatchObject({
      message: expect.stringMatching(/"text".*text\.txt/s),
    })
    expect((await soon(failureOf(rig.client('folder')))) as Error).toMatchObject({
      message: expect.stringMatching(/\/no\/such\/folder/),
    })
  })
})

describe('when servers run', () => {
  it('lazy: only from its first client on', async () => {
    await rig.start({ lazy: { ...faulty(), lazy: true } })
    await rig.gateway.reach()
    expect(childrenOf(process.pid)).toEqual([])
    expect(await textOf(await rig.client('lazy'), 'echo', { text: 'here' })).toBe('here')
    expect(childrenOf(process.pid)).not.toEqual([])
  })

  it('idle stop: it ends when nobody uses it, and the next call starts it again', async () => {
    await rig.start({ idle: { ...faulty(), session: 'shared', idleStop: '300ms' } })
    const client = await rig.client('idle', '2026-07-28')
    const first = await pidOf(client)
    await until(
      () => childrenOf(process.pid),
      (left) => left.length === 0,
    )
    expect(stateOf('idle')).toBe('idle')
    const second = await pidOf(client)
    expect(second).not.toBe(first)
  })

  it('idle stop: a call that takes longer is no idleness', async () => {
    await rig.start({ idle: { ...faulty(), session: 'shared', idleStop: '150ms' } })
    const client = await rig.client('idle', '2026-07-28')
    expect(await textOf(client, 'wait', { ms: 1000 })).toBe('waited')
    const shaken = await rig.client('idle', '2025-06-18')
    expect(await textOf(shaken, 'wait', { ms: 1000 })).toBe('waited')
    expect(rig.said.join('\n')).not.toMatch(/warning|error/)
  })
})
