/** Real processes that are killed: a server behind the gateway under load, the gateway itself, and the bridge. */
import { once } from 'node:events'
import { ParleyError } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { allGone, eventually, Running, type RunningGateway, started, until } from './running.fixtures.ts'

const URI = 'note://today'
const WAITING = 24
/** Far below every time-out of the gateway: whoever waits longer was not told, but given up. */
const AT_ONCE_MS = 3000

let running: Running

beforeEach(() => {
  running = new Running()
})
afterEach(() => running.clear())

const textOf = async (client: Client, tool: string, given: Record<string, unknown> = {}): Promise<string> =>
  (await client.call(tool, given)).text
const pidOf = async (client: Client): Promise<number> => Number(await textOf(client, 'pid'))

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => ({ answered: value }),
    (error: unknown) => error,
  )

/** Calls one after the other until it is stopped: each is answered rightly, or fails with a typed error. */
function load(client: Client) {
  let stopped = false
  const seen = { right: 0, typed: 0, other: [] as unknown[] }
  const calling = (async () => {
    for (let turn = 0; !stopped; turn++) {
      const outcome = await textOf(client, 'echo', { text: `turn ${turn}` }).catch((error: unknown) => error)
      if (outcome === `turn ${turn}`) seen.right++
      else if (outcome instanceof ParleyError) seen.typed++
      else seen.other.push(outcome)
    }
  })()
  return {
    seen,
    stop: async () => {
      stopped = true
      await calling
      return seen
    },
  }
}

describe.each([
  { version: '2025-11-25', settings: {} },
  { version: '2024-11-05', settings: {} },
  { version: '2025-11-25', settings: { session: 'shared' } },
  { version: '2026-07-28', settings: { session: 'shared' } },
] as const)(
  'L6 kill -9 of a server over stdio under load, client of $version, settings $settings',
  ({ version, settings }) => {
    async function begin(): Promise<{ gateway: RunningGateway; client: Client; pid: number }> {
      const gateway = await running.gateway({ notes: settings })
      const client = await running.client(gateway, 'notes', version)
      return { gateway, client, pid: await pidOf(client) }
    }

    it('gives the waiting calls a typed error at once, and the next calls work after the restart', async () => {
      const { client, pid } = await begin()
      const busy = load(client)
      const waiting = Array.from({ length: WAITING }, () => failureOf(client.call('hang')))
      // Everything that waits has reached the server when this is answered.
      await textOf(client, 'echo', { text: 'behind them' })
      await until(
        () => busy.seen.right,
        (right) => right > 20,
      )
      process.kill(pid, 'SIGKILL')
      const killed = Date.now()
      const failures = await Promise.all(waiting)
      expect(Date.now() - killed).toBeLessThan(AT_ONCE_MS)
      for (const failure of failures) {
        expect(failure).toBeInstanceOf(ParleyError)
        expect(failure).toMatchObject({ kind: 'connection_closed', message: expect.stringMatching(/notes.*SIGKILL/s) })
      }
      const next = await eventually(() => pidOf(client))
      expect(next).not.toBe(pid)
      const before = busy.seen.right
      await until(
        () => busy.seen.right,
        (right) => right > before + 20,
      )
      expect((await busy.stop()).other).toEqual([])
    })

    it('still delivers to subscriptions after the restart', async () => {
      const { client, pid } = await begin()
      let heard = 0
      await client.subscribe(URI, () => {
        heard++
      })
      expect(await textOf(client, 'touch')).toBe('told')
      await until(
        () => heard,
        (times) => times === 1,
      )
      process.kill(pid, 'SIGKILL')
      await eventually(() => pidOf(client))
      await eventually(async () => expect(await textOf(client, 'touch')).toBe('told'))
      await until(
        () => heard,
        (times) => times >= 2,
      )
    })
  },
)

describe('one server that is killed', () => {
  it('harms no other: calls of another one go on as if nothing had happened', async () => {
    const gateway = await running.gateway({ one: {}, two: {} })
    const one = await running.client(gateway, 'one', '2025-11-25')
    const two = await running.client(gateway, 'two', '2025-11-25')
    const [pid, other] = await Promise.all([pidOf(one), pidOf(two)])
    const busy = load(two)
    process.kill(pid, 'SIGKILL')
    await eventually(() => pidOf(one))
    const { right, typed, other: odd } = await busy.stop()
    expect(right).toBeGreaterThan(0)
    expect([typed, odd]).toEqual([0, []])
    expect(await pidOf(two)).toBe(other)
  })
})

describe.each(['well-behaved', 'stubborn'])('the gateway in front of a %s server', (manners) => {
  async function begin(): Promise<RunningGateway> {
    const gateway = await running.gateway({ notes: running.command(manners) })
    const client = await running.client(gateway, 'notes', '2025-11-25')
    failureOf(client.call('hang'))
    await pidOf(client)
    expect(await started(running)).not.toEqual([])
    return gateway
  }

  it('leaves no child process when it is killed with -9', async () => {
    const gateway = await begin()
    gateway.child.kill('SIGKILL')
    expect(await gateway.ended).toBe('SIGKILL')
    await allGone(running.mark)
  })

  it('ends its children and exits with 0 on SIGTERM', async () => {
    const gateway = await begin()
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toBe(0)
    await allGone(running.mark)
  })
})

describe.each(['well-behaved', 'stubborn'])('the bridge to a %s server', (manners) => {
  const hello = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  }

  async function begin() {
    const bridge = await running.bridge(manners)
    const ended = once(bridge, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
    bridge.stdin.write(`${JSON.stringify(hello)}\n`)
    const [line] = (await once(bridge.stdout.setEncoding('utf8'), 'data')) as [string]
    expect(JSON.parse(line)).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } })
    expect(await started(running)).not.toEqual([])
    return { bridge, ended }
  }

  it('leaves no child process when it is killed with -9', async () => {
    const { bridge, ended } = await begin()
    bridge.kill('SIGKILL')
    expect(await ended).toBe('SIGKILL')
    await allGone(running.mark)
  })

  it.each(['SIGTERM', 'the end of its input'])('ends its child and exits with 0 on %s', async (cause) => {
    const { bridge, ended } = await begin()
    if (cause === 'SIGTERM') bridge.kill('SIGTERM')
    else bridge.stdin.end()
    expect(await ended).toBe(0)
    await allGone(running.mark)
  })
})
