import { ParleyError } from 'parley-mcp'
import { type Client, type ConnectOptions, connect } from 'parley-mcp/client'
import { fakeClock } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { isAlive } from '../../../sdk/test/wire/processes.ts'
import type { RestartSettings } from '../config/index.ts'
import { upstreamReconnect } from './restart/reconnect.ts'
import type { UpstreamEvent, UpstreamState } from './status.ts'
import { Supervisor } from './supervisor.ts'

/** A server of the handshake era with tools that do it harm. */
const SERVER = `
const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
const tools = {
  pid: () => process.pid,
  die: () => { console.error('about to die with ' + process.env.API_TOKEN); process.stderr.write('goodbye'); process.exit(3) },
  leave: () => process.exit(0),
}
const answers = {
  initialize: (params) => ({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'fixture', version: '1' } }),
  'tools/call': (params) => ({ content: [{ type: 'text', text: String(tools[params.name]()) }] }),
}
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  if (answer) say({ id, result: answer(params) })
  else say({ id, error: { code: -32601, message: 'no ' + method } })
})
console.error('ready')
`
/** It hears neither that its input has ended nor that it should end. */
const STUBBORN = `${SERVER}; process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)`

const supervisors: Supervisor[] = []
const clients: Client[] = []

interface Scene {
  readonly supervisor: Supervisor
  readonly events: UpstreamEvent[]
}

function supervise(script: string, restart: Partial<RestartSettings> = {}, command = process.execPath): Scene {
  const events: UpstreamEvent[] = []
  const supervisor = new Supervisor({
    name: 'files',
    target: { kind: 'command', command, args: ['-e', script], env: { API_TOKEN: 'tok-123456' }, cwd: undefined },
    restart: { policy: 'permanent', maxRestarts: 5, within: 60_000, ...restart },
    childOptions: { shutdown: { inputEnd: 50, terminate: 50 } },
    log: (event) => events.push(event),
  })
  supervisors.push(supervisor)
  return { supervisor, events }
}

async function clientOf(supervisor: Supervisor, more: ConnectOptions = {}): Promise<Client> {
  const client = await supervisor.attempt((open) =>
    connect(open, { reconnect: upstreamReconnect, onError: () => {}, ...more }),
  )
  clients.push(client)
  return client
}

async function pidOf(client: Client): Promise<number> {
  const { content } = (await client.request('tools/call', { name: 'pid', arguments: {} })) as {
    content: { text: string }[]
  }
  return Number(content[0]?.text)
}

function reached(supervisor: Supervisor, state: UpstreamState): Promise<void> {
  if (supervisor.status().state === state) return Promise.resolve()
  return new Promise((resolve) => {
    const leave = supervisor.onStatus((status) => {
      if (status.state !== state) return
      leave()
      resolve()
    })
  })
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()))
  await Promise.all(supervisors.splice(0).map((supervisor) => supervisor.stop()))
})

describe('processes', () => {
  it('G, L6: one that crashes fails the call it was answering with its last words and no secret, and is back for the next', async () => {
    const { supervisor, events } = supervise(SERVER)
    const client = await clientOf(supervisor)
    const before = await pidOf(client)
    const failure = await client.request('tools/call', { name: 'die', arguments: {} }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(ParleyError)
    expect(failure).toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(
        /: The server "files" exited with code 3; the end of its standard error:\nready\nabout to die with \[API_TOKEN\]\ngoodbye$/,
      ),
    })
    const after = await pidOf(client)
    expect(after).not.toBe(before)
    expect(isAlive(before)).toBe(false)
    expect(supervisor.status()).toMatchObject({
      state: 'running',
      sessions: 1,
      starts: 2,
      restarts: 1,
      lastExit: { code: 3, signal: null },
    })
    expect(supervisor.status().lastError).toBe('The server "files" exited with code 3')
    expect(events.filter(({ type }) => type === 'stderr')).toContainEqual({
      type: 'stderr',
      upstream: 'files',
      line: 'about to die with [API_TOKEN]',
    })
    expect(JSON.stringify(events)).not.toContain('tok-123456')
  })

  it('G: one that is killed is said to have been', async () => {
    const { supervisor } = supervise(SERVER, { policy: 'temporary' })
    process.kill(await pidOf(await clientOf(supervisor)), 'SIGKILL')
    await reached(supervisor, 'stopped')
    expect(supervisor.status()).toMatchObject({
      lastExit: { code: null, signal: 'SIGKILL' },
      lastError: 'The server "files" was ended by SIGKILL',
    })
  })

  it.skipIf(process.platform === 'win32')(
    'G, L5: one that stands still is found out, ended, and back for the next call',
    async () => {
      const clock = fakeClock(Date.now())
      const { supervisor, events } = supervise(SERVER)
      const client = await clientOf(supervisor, { clock })
      const before = await pidOf(client)
      process.kill(before, 'SIGSTOP')
      const left = new Promise<void>((resolve) => {
        const leave = client.onState(() => {
          leave()
          resolve()
        })
      })
      // A ping, the time for its answer, and the pause before it is tried again.
      for (const ms of [30_000, 10_000]) await clock.advance(ms)
      await left
      const call = pidOf(client)
      await clock.advance(1000)
      expect(await call).not.toBe(before)
      expect(supervisor.status()).toMatchObject({ state: 'running', starts: 2, restarts: 1 })
      expect(events.filter(({ type }) => type === 'ended')).toMatchObject([
        {
          abnormal: true,
          error: 'The server "files" does not answer any more: The peer did not answer a ping within 10000 ms',
        },
      ])
      await client.close()
      await supervisor.stop()
      expect(isAlive(before)).toBe(false)
    },
  )

  it('G: transient: one that leaves with code 0 is not started again, until somebody else needs it', async () => {
    const { supervisor } = supervise(SERVER, { policy: 'transient' })
    const open = supervisor.opener()
    const client = await connect(open, { reconnect: upstreamReconnect, onError: () => {} })
    clients.push(client)
    const pid = await pidOf(client)
    await expect(client.request('tools/call', { name: 'leave', arguments: {} })).rejects.toThrow(
      'The server "files" exited with code 0',
    )
    expect(supervisor.status()).toMatchObject({ state: 'stopped', sessions: 0, starts: 1 })
    await expect(open()).rejects.toMatchObject({
      kind: 'refusal_unavailable',
      message: expect.stringContaining('"transient"'),
    })
    expect(isAlive(pid)).toBe(false)
    await client.close()
    await clientOf(supervisor)
    expect(supervisor.status()).toMatchObject({ state: 'running', starts: 2 })
  })

  it('G: transient: one that leaves with another code is', async () => {
    const { supervisor } = supervise(SERVER, { policy: 'transient' })
    const client = await clientOf(supervisor)
    await expect(client.request('tools/call', { name: 'die', arguments: {} })).rejects.toThrow('code 3')
    expect(await pidOf(client)).toBeGreaterThan(0)
  })

  it('G: a client that is closed takes its process along, and that is no crash', async () => {
    const { supervisor } = supervise(SERVER)
    const client = await clientOf(supervisor)
    const pid = await pidOf(client)
    await client.close()
    expect(supervisor.status()).toMatchObject({ state: 'idle', lastError: undefined })
    await supervisor.stop()
    expect(isAlive(pid)).toBe(false)
  })

  it('G: stop leaves no process, however stubborn', async () => {
    const { supervisor } = supervise(STUBBORN)
    const pids = await Promise.all(
      [clientOf(supervisor), clientOf(supervisor)].map(async (client) => pidOf(await client)),
    )
    expect(pids.map(isAlive)).toEqual([true, true])
    await supervisor.stop()
    expect(pids.map(isAlive)).toEqual([false, false])
    expect(supervisor.status()).toMatchObject({ state: 'stopped', sessions: 0 })
  })

  it('G: a program that is no server is given up, with what it said instead', async () => {
    const { supervisor } = supervise(
      `console.log('Usage: something else'); console.error('wrong arguments ' + process.env.API_TOKEN); process.exit(2)`,
      {
        maxRestarts: 1,
      },
    )
    await expect(clientOf(supervisor)).rejects.toMatchObject({
      message: expect.stringMatching(
        /The server "files" exited with code 2; .*Usage: something else.*; the end of its standard error:\nwrong arguments \[API_TOKEN\]$/,
      ),
    })
    expect(supervisor.status()).toMatchObject({ state: 'down', starts: 2, lastStderr: ['wrong arguments [API_TOKEN]'] })
    await expect(clientOf(supervisor)).rejects.toMatchObject({
      kind: 'refusal_unavailable',
      message: expect.stringMatching(
        /^The server "files" is not available: .* in 30 s, at [\dT:.Z-]+; the end of its standard error:\nwrong arguments \[API_TOKEN\]$/,
      ),
    })
  })

  it('G: a command that does not exist says so', async () => {
    const { supervisor, events } = supervise('', {}, 'no-such-command-anywhere')
    const why =
      'The server "files" could not be started or reached: Cannot start "no-such-command-anywhere": there is no such command in PATH'
    const message = expect.stringMatching(new RegExp(`^${why}; give its full path`))
    await expect(clientOf(supervisor)).rejects.toMatchObject({ kind: 'transport_error', message })
    expect(supervisor.status()).toMatchObject({ state: 'restarting', sessions: 0, lastError: message })
    // Which folders these are, the log tells.
    expect(events).toContainEqual({
      type: 'start_failed',
      upstream: 'files',
      error: expect.stringContaining(`${why} (${process.env.PATH?.slice(0, 100)}`),
    })
  })

  it('G: what a server writes among its messages is told once, without secrets', async () => {
    const noise = `console.log('starting with ' + process.env.API_TOKEN); console.log(''); console.log('done')`
    const { supervisor, events } = supervise(`${noise};${SERVER}`)
    await pidOf(await clientOf(supervisor))
    expect(events.filter(({ type }) => type === 'stray')).toEqual([
      { type: 'stray', upstream: 'files', line: 'starting with [API_TOKEN]' },
    ])
  })
})
