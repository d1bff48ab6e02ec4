/**
 * A gateway in this process with real servers behind it and real HTTP in front, and what must be true of it when a test
 * is over.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ProtocolVersion } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { type Clock, systemClock } from 'parley-mcp/engine'
import { connect, type NodeConnectOptions } from 'parley-mcp/node'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { until } from '../../../sdk/test/wire/processes.ts'
import { type GatewayConfig, parseConfig } from '../../src/config/index.ts'
import { Gateway } from '../../src/gateway/index.ts'
import type { GatewayLog } from '../../src/log/index.ts'

const SERVER = fileURLToPath(new URL('../fixtures/faulty-server.mjs', import.meta.url))

export type Settings = Readonly<Record<string, unknown>>

/** A server that does wrong what `options` say. */
export function faulty(...options: string[]): { command: string; args: string[] } {
  return { command: process.execPath, args: [SERVER, ...options] }
}

export function configOf(servers: Readonly<Record<string, Settings>>, gateway: Settings = {}): GatewayConfig {
  return parseConfig(JSON.stringify({ mcpServers: servers, gateway: { port: 0, ...gateway } }), {
    file: 'parley.json',
    env: {},
  }).config
}

export class FaultRig {
  /** `severity sentence`, in order. */
  readonly said: string[] = []
  readonly clock: WatchedClock = watchedClock()
  url = ''
  #gateway: Gateway | undefined
  readonly #clients: Client[] = []
  readonly #undo: (() => unknown)[] = []

  get gateway(): Gateway {
    return this.#gateway as Gateway
  }

  async start(servers: Readonly<Record<string, Settings>>, settings: Settings = {}): Promise<void> {
    await this.startWith(configOf(servers, settings))
  }

  async startWith(config: GatewayConfig): Promise<void> {
    const say = (severity: string) => (message: string) => void this.said.push(`${severity} ${message}`)
    const log: GatewayLog = { debug: say('debug'), info: say('info'), warning: say('warning'), error: say('error') }
    this.#gateway = new Gateway(config, { log, clock: this.clock })
    this.url = (await this.#gateway.start()).url
  }

  /** Without a name: the address of all servers. */
  address(name?: string): string {
    return name === undefined ? `${this.url}/mcp` : `${this.url}/servers/${name}/mcp`
  }

  async client(
    name?: string,
    version: ProtocolVersion = '2025-11-25',
    options: NodeConnectOptions = {},
  ): Promise<Client> {
    const client = await connect(this.address(name), { version, initialiseTimeout: '20s', ...options })
    this.#clients.push(client)
    return client
  }

  /** The `ms` milliseconds that `whose` code waits are over at once. */
  async passing<T>(ms: number, whose: string, what: Promise<T>): Promise<T> {
    await until(
      () => this.clock.waiting(),
      (timers) => timers.some((timer) => timer.startsWith(`${ms} ms `) && timer.includes(whose)),
    )
    await this.clock.skip(ms)
    return what
  }

  /** A program that answers HTTP as it likes. */
  async http(listener: RequestListener): Promise<string> {
    const server = createServer(listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#undo.push(() => {
      server.closeAllConnections()
      server.close()
    })
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  async folder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'parley-faults-'))
    this.#undo.push(() => rm(folder, { recursive: true, force: true }))
    return folder
  }

  atEnd(undo: () => unknown): void {
    this.#undo.push(undo)
  }

  /** Ends everything, and then there must be nothing left: no process, no timer. */
  async clear(): Promise<void> {
    await Promise.allSettled(this.#clients.splice(0).map((client) => client.close()))
    await this.#gateway?.close(0)
    for (const undo of this.#undo.splice(0).reverse()) await undo()
    this.said.length = 0
    await until(
      () => childrenOf(process.pid),
      (left) => left.length === 0,
    )
    await until(
      () => this.clock.waiting(),
      (left) => left.length === 0,
      3000,
    )
  }
}

/** A gateway for each test of a group. */
export function perTest(): FaultRig {
  const rig = new FaultRig()
  afterEach(() => rig.clear())
  return rig
}

/** One gateway for all tests of a group, where none of them changes anything. */
export function shared(servers: Readonly<Record<string, Settings>>, settings?: Settings): FaultRig {
  const rig = new FaultRig()
  beforeAll(() => rig.start(servers, settings))
  afterAll(() => rig.clear())
  return rig
}

interface WatchedClock extends Clock {
  /** Where the timers that still wait were set. */
  waiting(): string[]
  /** Time passes at once: whatever falls due meanwhile happens now, in order. */
  skip(ms: number): Promise<void>
}

interface Timer {
  readonly due: number
  readonly where: string
  readonly task: () => void
  stop: () => void
}

/** The real clock, with what it still has to do, and moved on where a test has no time. */
function watchedClock(): WatchedClock {
  const timers = new Set<Timer>()
  let skipped = 0
  const now = (): number => systemClock.now() + skipped
  const run = (timer: Timer): void => {
    if (timers.delete(timer)) timer.task()
  }
  return {
    now,
    after(ms, task, ...more) {
      const timer: Timer = {
        due: now() + ms,
        where: `${ms} ms ${whereFrom(new Error().stack ?? '')}`,
        task,
        stop: () => {},
      }
      timers.add(timer)
      timer.stop = systemClock.after(ms, () => run(timer), ...more)
      return () => {
        timers.delete(timer)
        timer.stop()
      }
    },
    waiting: () => [...timers].map(({ where }) => where),
    async skip(ms) {
      const until = now() + ms
      for (;;) {
        const [first] = [...timers].filter(({ due }) => due <= until).sort((one, other) => one.due - other.due)
        if (first === undefined) break
        skipped = Math.max(skipped, first.due - systemClock.now())
        first.stop()
        run(first)
        await new Promise((resolve) => setImmediate(resolve))
      }
      skipped = Math.max(skipped, until - systemClock.now())
    },
  }
}

function whereFrom(stack: string): string {
  return stack
    .split('\n')
    .slice(2, 5)
    .map((line) => line.replace(/^.*\/packages\//, '').trim())
    .join(' < ')
}

/** Processes that this one has started and that still run, as `id command`. */
export function childrenOf(parent: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const [, state, ppid] = /\) (\S) (\d+) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
        // The runner has processes of its own; what is looked for are servers.
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ')
        return Number(ppid) === parent && state !== 'Z' && command.includes('fixtures') ? [`${pid} ${command}`] : []
      } catch {
        return []
      }
    })
}

export const textOf = async (client: Client, tool: string, given: Record<string, unknown> = {}): Promise<string> =>
  (await client.call(tool, given)).text

/** The error, or what came instead. */
export function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    (value) => ({ answered: value }),
    (error: unknown) => error,
  )
}

/** Fails loudly instead of being waited for: far above what it takes, far below every time-out of the gateway. */
export async function soon<T>(what: Promise<T>, ms = 15_000): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      what,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error(`Still waiting after ${ms} ms`)), ms)
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}

export const names = (list: readonly { readonly name: string }[]): string[] => list.map(({ name }) => name)

export { eventually } from '../running.fixtures.ts'
export { expect, until }
