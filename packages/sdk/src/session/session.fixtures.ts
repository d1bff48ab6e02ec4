/** Hands for session tests: a clock that is moved by hand and a link whose other end is the test itself. */
import type { Body, FrameOrigin, Link, LinkEvents } from '../jsonrpc/index.ts'
import type { Capabilities } from '../protocol/index.ts'
import type { ProtocolVersion } from '../versions/index.ts'
import type { Cancel, Clock } from './clock.ts'
import type { Endpoint, Inbound } from './endpoint.ts'
import type { SessionEvent, SessionOptions } from './options.ts'
import { Session } from './session.ts'

export class HandClock implements Clock {
  time = 1_000_000
  readonly #timers: { due: number; task: () => void; hold: boolean }[] = []

  now(): number {
    return this.time
  }

  after(ms: number, task: () => void, hold = false): Cancel {
    const timer = { due: this.time + ms, task, hold }
    this.#timers.push(timer)
    const cancel: Cancel = () => {
      const at = this.#timers.indexOf(timer)
      if (at !== -1) this.#timers.splice(at, 1)
    }
    cancel.hold = (on) => {
      timer.hold = on
    }
    return cancel
  }

  get timers(): number {
    return this.#timers.length
  }

  /** Whether a program with nothing else to do would go on. */
  get holds(): boolean {
    return this.#timers.some(({ hold }) => hold)
  }

  /** Moves time on, running what falls due on the way and letting promises settle in between. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms
    for (;;) {
      const due = this.#timers.filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0]
      if (due === undefined) break
      this.#timers.splice(this.#timers.indexOf(due), 1)
      this.time = due.due
      due.task()
      await settled()
    }
    this.time = end
    await settled()
  }
}

/** Lets everything that is ready to happen happen. */
export async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve()
}

// biome-ignore lint/suspicious/noExplicitAny: frames are whatever the session wrote
type Frame = any

export class TestLink implements Link {
  readonly transport = 'test'
  readonly sent: Frame[] = []
  closed = false
  #events: LinkEvents | undefined

  open(events: LinkEvents): void {
    this.#events = events
  }
  send(frame: string): void {
    if (this.closed) throw new Error('closed')
    this.sent.push(JSON.parse(frame))
  }
  close(): void {
    this.closed = true
  }

  deliver(message: unknown, origin?: FrameOrigin): void {
    this.#events?.frame(typeof message === 'string' ? message : JSON.stringify(message), undefined, origin)
  }
  hangUp(reason?: Error): void {
    this.#events?.closed(reason)
  }
  request(id: unknown, method: string, params?: unknown): void {
    this.deliver({ jsonrpc: '2.0', id, method, ...(params === undefined ? {} : { params }) })
  }
  notify(method: string, params?: unknown): void {
    this.deliver({ jsonrpc: '2.0', method, ...(params === undefined ? {} : { params }) })
  }
  /** Frames sent since the last look. */
  take(): Frame[] {
    return this.sent.splice(0)
  }
}

export interface Rig {
  session: Session
  link: TestLink
  clock: HandClock
  events: SessionEvent[]
  /** What the endpoint was asked. */
  asked: Inbound[]
}

export interface RigOptions extends Partial<SessionOptions> {
  capabilities?: Capabilities
  answer?: Endpoint['answer']
  endpoint?: Endpoint
}

export const everything: Capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
}

export function makeRig(role: 'client' | 'server', options: RigOptions = {}): Rig {
  const {
    capabilities = role === 'server' ? everything : { roots: { listChanged: true }, sampling: {}, elicitation: {} },
    answer,
    ...rest
  } = options
  const link = new TestLink()
  const clock = new HandClock()
  const events: SessionEvent[] = []
  const asked: Inbound[] = []
  const endpoint: Endpoint = {
    introduce: () => ({ info: { name: role, version: '1' }, capabilities }),
    answer: (inbound) => {
      asked.push(inbound)
      return answer === undefined ? { echo: inbound.params as Body } : answer(inbound)
    },
  }
  const session = new Session({
    role,
    link,
    endpoint,
    clock,
    mint: () => 'minted',
    onEvent: (event) => events.push(event),
    ...rest,
  })
  return { session, link, clock, events, asked }
}

export function initializeParams(
  version: string = '2025-11-25',
  capabilities: Capabilities = { roots: { listChanged: true }, sampling: {}, elicitation: {} },
): Body {
  return { protocolVersion: version, capabilities, clientInfo: { name: 'peer', version: '2' } }
}

/** A server session whose client has said hello. */
export function openServer(
  version: ProtocolVersion = '2025-11-25',
  options: RigOptions & { clientCapabilities?: Capabilities } = {},
): Rig {
  const rig = makeRig('server', options)
  rig.link.request('hello', 'initialize', initializeParams(version, options.clientCapabilities))
  rig.link.notify('notifications/initialized')
  rig.link.take()
  return rig
}

/** A client session whose server has answered. */
export async function openClient(
  version: ProtocolVersion = '2025-11-25',
  options: RigOptions & { serverCapabilities?: Capabilities } = {},
): Promise<Rig> {
  const rig = makeRig('client', options)
  const opening = rig.session.initialise()
  const [{ id }] = rig.link.take()
  const result = {
    protocolVersion: version,
    capabilities: options.serverCapabilities ?? everything,
    serverInfo: { name: 'peer', version: '2' },
  }
  rig.link.deliver({ jsonrpc: '2.0', id, result })
  await opening
  rig.link.take()
  return rig
}

export interface Deferred {
  inbound: Inbound
  resolve: (result: Body) => void
  reject: (error: unknown) => void
}

/** An endpoint that answers when the test says so. */
export function deferring(): { answer: (inbound: Inbound) => Promise<Body>; calls: Deferred[] } {
  const calls: Deferred[] = []
  return { calls, answer: (inbound) => new Promise((resolve, reject) => calls.push({ inbound, resolve, reject })) }
}
