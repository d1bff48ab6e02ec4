/** Real processes that are killed and come back under a client, and real processes that end well or badly. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { Client, ReconnectReport } from '../../src/client.ts'
import { connect } from '../../src/node.ts'
import { type Bundled, bundled } from './children/programs.ts'
import { allGone, MARK, mark } from './processes.ts'

let program: Bundled
let current = mark()
const clients: Client[] = []
const processes = new Set<ChildProcess>()

beforeAll(async () => {
  program = await bundled('lasting')
})
afterAll(() => program.remove())
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  for (const child of processes) child.kill('SIGKILL')
  processes.clear()
  await allGone(current, 8000)
  current = mark()
})

const reconnect = { delays: ['20ms'], retries: 200 } as const

async function kept(connecting: Promise<Client>): Promise<Client> {
  const client = await connecting
  clients.push(client)
  return client
}

const command = (env: Record<string, string> = {}) => ({
  command: process.execPath,
  args: [program.path, 'stdio'],
  env: { [MARK]: current, ...env },
})

interface Running {
  readonly child: ChildProcess
  readonly url: string
  /** Resolves when this line came on standard error. */
  said(line: string): Promise<void>
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

async function serve(role: 'http' | 'tcp', port = '0', env: Record<string, string> = {}): Promise<Running> {
  const child = spawn(process.execPath, [program.path, role, port], {
    env: { ...process.env, [MARK]: current, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  processes.add(child)
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  let words = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words += text
    child.emit('words')
  })
  const said = async (line: string): Promise<void> => {
    while (!words.includes(line)) await once(child, 'words')
  }
  const [first] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return { child, url: first.trim(), said, ended }
}

const reconnected = (client: Client) => new Promise<ReconnectReport>((resolve) => void client.onReconnect(resolve))
const state = (client: Client, wanted: string) =>
  new Promise<void>((resolve) => {
    if (client.state === wanted) resolve()
    client.onState(({ to }) => to === wanted && resolve())
  })
const kindOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'answered',
    (error: { kind?: string }) => error.kind,
  )

describe('L6 a server that is a child process', () => {
  it('is started again when it was killed', async () => {
    const client = await kept(connect(command(), { reconnect }))
    await client.tools()
    const before = Number((await client.call('pid')).text)
    const hanging = kindOf(client.call('hang'))
    const report = reconnected(client)
    process.kill(before, 'SIGKILL')
    expect(await hanging).toBe('connection_closed')
    const after = client.call('pid')
    expect(await report).toMatchObject({
      cause: 'lost',
      reason: { data: { signal: 'SIGKILL' } },
      failed: [{ method: 'tools/call' }],
    })
    expect(Number((await after).text)).not.toBe(before)
    expect(client.health()).toMatchObject({ state: 'connected', reconnects: 1 })
  })

  it('keeps the client alive that waits for it', async () => {
    const child = spawn(process.execPath, [program.path, 'client'], {
      env: { ...process.env, [MARK]: current },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    processes.add(child)
    const words: string[] = []
    child.stdout.setEncoding('utf8').on('data', (text: string) => words.push(text))
    expect((await once(child, 'close'))[0]).toBe(0)
    expect(words.join('')).toBe('another one\n')
  })

  it('that cannot be started is an error at once, not a reason to try again', async () => {
    await expect(connect({ command: 'parley-no-such-command' })).rejects.toMatchObject({ kind: 'transport_error' })
  })
})

describe.each(['http', 'tcp'] as const)('L6 a server over %s', (role) => {
  it('that is killed and started again on its port is found again', async () => {
    const first = await serve(role)
    const client = await kept(connect(first.url, { reconnect }))
    await client.tools()
    const hanging = kindOf(client.call('hang'))
    await first.said('hanging')
    const report = reconnected(client)
    first.child.kill('SIGKILL')
    await first.ended
    expect(['connection_closed', 'transport_error']).toContain(await hanging)
    // Nobody is there to answer, and this one can wait.
    const reading = client.read('life://pid')
    await state(client, 'reconnecting')
    const second = await serve(role, new URL(first.url).port)
    expect((await reading).contents[0]).toMatchObject({ text: String(second.child.pid) })
    expect((await client.call('act')).text).toBe('done')
    expect((await report).failed).toMatchObject([{ method: 'tools/call' }])
  })
})

describe('L6 a server over http', () => {
  it('that came back before anybody noticed is told so by its 404, and even a call that is not safe goes through', async () => {
    const first = await serve('http')
    // Without a stream of its own the client hears of nothing until it asks.
    const client = await kept(connect({ url: first.url, listen: false }, { reconnect, version: '2025-11-25' }))
    await client.call('act')
    const before = client.session
    first.child.kill('SIGKILL')
    await first.ended
    const second = await serve('http', new URL(first.url).port)
    const report = reconnected(client)
    expect((await client.call('act')).text).toBe('done')
    expect(client.session).not.toBe(before)
    expect(await report).toMatchObject({
      reason: { kind: 'session_lost' },
      attempts: 1,
      failed: [],
      retried: [{ method: 'tools/call' }],
    })
    expect((await client.call('pid')).text).toBe(String(second.child.pid))
  })
})

describe('L8 a served process that is told to end', () => {
  it.each(['http', 'tcp'] as const)(
    'over %s: answers what it has begun, remembers its sessions, ends with 0',
    async (role) => {
      const running = await serve(role)
      const client = await kept(connect(running.url, { reconnect: false, version: '2025-11-25' }))
      const slow = client.call('slow')
      await running.said('slow')
      running.child.kill('SIGTERM')
      expect((await slow).text).toBe('finished')
      expect(await running.ended).toBe(0)
      await running.said('persisted 2025-11-25')
    },
  )

  it('ends at once when it is told twice', async () => {
    const running = await serve('http')
    const client = await kept(connect(running.url, { reconnect: false }))
    const hanging = kindOf(client.call('hang'))
    await running.said('hanging')
    running.child.kill('SIGTERM')
    await running.said('told')
    running.child.kill('SIGTERM')
    expect(await running.ended).toBe(143)
    expect(['connection_closed', 'transport_error']).toContain(await hanging)
  })
})

describe('L8 a served process that crashes', () => {
  const secret = 'correct-horse-battery-staple'

  it.each(['exception', 'rejection'])(
    'leaves a report of an uncaught %s, without payloads and secrets',
    async (how) => {
      const directory = await mkdtemp(join(tmpdir(), 'parley-crash-'))
      try {
        const env = { CRASH_REPORTS: join(directory, 'reports'), CRASH_SECRET: secret }
        const client = await kept(connect(command(env), { reconnect: false, version: '2025-11-25' }))
        const crashing = client.call('crash', { how, password: 'hunter2-hunter2' })
        await expect(crashing).rejects.toMatchObject({
          kind: 'connection_closed',
          message: expect.stringContaining('exited with code 1'),
        })
        const [name, ...others] = await readdir(env.CRASH_REPORTS)
        expect(others).toEqual([])
        const path = join(env.CRASH_REPORTS, name as string)
        expect((await stat(path)).mode & 0o777).toBe(0o600)
        const text = await readFile(path, 'utf8')
        expect(text).not.toMatch(/hunter2|correct-horse/)
        expect(JSON.parse(text)).toMatchObject({
          format: 'parley-crash-report/1',
          cause: how === 'rejection' ? 'unhandledRejection' : 'uncaughtException',
          error: {
            name: 'Error',
            message: 'on purpose, with [CRASH_SECRET]',
            stack: expect.stringContaining('lasting.mjs'),
          },
          sessions: [
            {
              role: 'server',
              transport: 'stdio',
              version: '2025-11-25',
              phase: 'ready',
              peer: { name: 'parley-client' },
              history: [{ phase: 'initialization' }, { phase: 'initialized' }, { phase: 'ready' }],
              inFlight: [{ method: 'tools/call', id: 2, ageMs: expect.any(Number) }],
              lastMessages: [
                { direction: 'received', kind: 'request', method: 'initialize', id: 1 },
                { direction: 'sent', kind: 'result', id: 1 },
                { direction: 'received', kind: 'notification', method: 'notifications/initialized' },
                { direction: 'received', kind: 'request', method: 'tools/call', id: 2, size: expect.any(Number) },
              ],
            },
          ],
        })
      } finally {
        await rm(directory, { recursive: true })
      }
    },
  )
})

describe('a client and its server in one process', () => {
  it('M2 do not end before the time-out of a call that hangs, and are not kept afterwards', async () => {
    const child = spawn(process.execPath, [program.path, 'both'], {
      env: { ...process.env, [MARK]: current },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    processes.add(child)
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
    const [code] = await once(child, 'close')
    expect([said, code]).toEqual(['request_timeout\n', 0])
  }, 15_000)
})
