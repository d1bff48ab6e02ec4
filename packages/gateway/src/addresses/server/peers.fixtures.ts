/**
 * Peers on either side of a bridge that tests write themselves: servers of one version that do as they are told, and
 * clients of raw frames.
 */
import type { Capabilities, ProtocolVersion } from 'parley-mcp'
import { memoryPair } from 'parley-mcp/client'
import {
  type AcceptOptions,
  type Acceptor,
  type Answer,
  type Body,
  type Inbound,
  isObject,
  type Link,
  type LinkEvents,
  META,
  type SendOptions,
  Session,
  WrappedLink,
  wrappedEvents,
} from 'parley-mcp/engine'
import { vi } from 'vitest'

export interface ScriptedServer extends Acceptor {
  readonly sessions: Session[]
  /** Every request that came, in the newest vocabulary. */
  readonly asked: Inbound[]
  /** Every notification that came, and every request that only wants to be acknowledged. */
  readonly told: { readonly method: string; readonly params: Body }[]
  /** Requests that listen, of the stateless era; they are not among `asked`. */
  readonly listening: Set<Inbound>
}

export interface Script {
  readonly version: ProtocolVersion
  readonly capabilities?: Capabilities
  readonly answer?: (inbound: Inbound) => Answer | Promise<Answer>
  readonly opened?: (session: Session) => void
  /** How often a call may be answered with questions. */
  readonly maxRounds?: number
}

export const EVERYTHING: Capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  logging: {},
}

const ACKNOWLEDGED: ReadonlySet<string> = new Set(['logging/setLevel', 'resources/subscribe', 'resources/unsubscribe'])

export const text = (words: string): Body => ({ content: [{ type: 'text', text: words }] })

/** A server whose every answer the test writes. */
export function scripted({
  version,
  capabilities = EVERYTHING,
  answer = () => text('done'),
  opened,
  maxRounds,
}: Script): ScriptedServer {
  const sessions: Session[] = []
  const asked: Inbound[] = []
  const told: { method: string; params: Body }[] = []
  const listening = new Set<Inbound>()
  return {
    sessions,
    asked,
    told,
    listening,
    accept: (link: Link, options: AcceptOptions = {}) => {
      const introduction = { info: { name: 'scripted', version: '1' }, capabilities }
      const session = new Session({
        keepAlive: false,
        ...(maxRounds === undefined ? {} : { asking: { maxRounds } }),
        ...options,
        versions: [version],
        role: 'server',
        link,
        endpoint: {
          introduce: () => introduction,
          answer: (inbound) => {
            const { method, params } = inbound
            if (method === 'subscriptions/listen') return listen(inbound, listening)
            if (ACKNOWLEDGED.has(method)) {
              told.push({ method, params })
              return {}
            }
            asked.push(inbound)
            return answer(inbound)
          },
          notified: (method, params) => void told.push({ method, params }),
          opened: (session) => opened?.(session),
        },
      })
      sessions.push(session)
      return session
    },
  }
}

function listen(inbound: Inbound, listening: Set<Inbound>): Promise<Body> {
  listening.add(inbound)
  inbound.notify('notifications/subscriptions/acknowledged', { notifications: inbound.params['notifications'] })
  return new Promise((resolve) => {
    inbound.signal.addEventListener('abort', () => {
      listening.delete(inbound)
      resolve({})
    })
  })
}

/** Notes every frame that comes over a link, and every one that goes. */
export function overheard(frames: string[], sent: string[] = []): (link: Link) => Link {
  return (link) => new Overheard(link, frames, sent)
}

class Overheard extends WrappedLink {
  readonly #frames: string[]
  readonly #sent: string[]

  constructor(link: Link, frames: string[], sent: string[]) {
    super(link)
    this.#frames = frames
    this.#sent = sent
  }

  override open(events: LinkEvents): void {
    const frame: LinkEvents['frame'] = (text, ...rest) => {
      this.#frames.push(text)
      events.frame(text, ...rest)
    }
    super.open(wrappedEvents(events, { frame }))
  }

  override send(frame: string, options?: SendOptions): void {
    this.#sent.push(frame)
    super.send(frame, options)
  }
}

/** What comes over a link takes a while, in its order; what is `lost` never comes. */
export function fromAfar(lost: (message: RawMessage) => boolean = () => false): (link: Link) => Link {
  return (link) => new FromAfar(link, lost)
}

class FromAfar extends WrappedLink {
  readonly #lost: (message: RawMessage) => boolean

  constructor(link: Link, lost: (message: RawMessage) => boolean) {
    super(link)
    this.#lost = lost
  }

  override open(events: LinkEvents): void {
    const frame: LinkEvents['frame'] = (...said) => {
      if (!this.#lost(JSON.parse(said[0]) as RawMessage)) setImmediate(() => events.frame(...said))
    }
    super.open(wrappedEvents(events, { frame }))
  }
}

/** Whatever comes over a link comes as if with the answer to the request that was sent last. */
export function onStreams(link: Link): Link {
  return new OnStreams(link)
}

class OnStreams extends WrappedLink {
  #within: number | undefined

  override open(events: LinkEvents): void {
    const frame: LinkEvents['frame'] = (text, parsed) =>
      events.frame(text, parsed, this.#within === undefined ? undefined : { within: this.#within })
    super.open(wrappedEvents(events, { frame }))
  }

  override send(frame: string, options?: SendOptions): void {
    const { id, method } = JSON.parse(frame) as RawMessage
    if (method !== undefined && typeof id === 'number') this.#within = id
    super.send(frame, options)
  }
}

export interface RawMessage {
  id?: string | number
  method?: string
  params?: Body
  result?: Body
  error?: { code: number; message: string; data?: Body }
}

/** Waits until something holds; machines may be slow. */
export function until<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 15_000, interval: 5 })
}

/** The words of a result; whatever is none fails the test. */
export function textOf({ result, error }: RawMessage): string {
  const content = result?.['content']
  if (!Array.isArray(content)) throw new Error(`No content: ${JSON.stringify(error ?? result)}`)
  return (content[0] as { text: string }).text
}

/** A client of raw frames. */
export class RawClient {
  readonly received: RawMessage[] = []
  readonly session: Session
  closed = false
  readonly #link: Link
  readonly #answers = new Map<string | number, (message: RawMessage) => void>()
  readonly #watchers = new Set<() => void>()
  #lastId = 0

  constructor(server: Acceptor, accept: AcceptOptions = {}) {
    const [near, far] = memoryPair()
    this.#link = near
    this.session = server.accept(accept.sharedLink ? this.#fromWhomItSays(far) : far, {
      keepAlive: false,
      asking: { gather: 0 },
      ...accept,
    })
    near.open({
      frame: (frame) => this.#receive(JSON.parse(frame) as RawMessage),
      closed: () => {
        this.closed = true
      },
    })
  }

  send(message: object): void {
    this.#link.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  /** The id of the request that is sent next. */
  get nextId(): number {
    return this.#lastId + 1
  }

  request(method: string, params: Body = {}): Promise<RawMessage> {
    const id = ++this.#lastId
    return new Promise((resolve) => {
      this.#answers.set(id, resolve)
      this.send({ id, method, params })
    })
  }

  /** A request of the stateless era. */
  ask(method: string, params: Body = {}, capabilities: Capabilities = {}): Promise<RawMessage> {
    return this.request(method, { ...params, _meta: envelope(capabilities, params['_meta']) })
  }

  /** Where several clients share the link: whom requests come from, from now on. Nobody knows at first. */
  principal: string | undefined

  #fromWhomItSays(link: Link): Link {
    return {
      transport: 'http',
      open: (events) =>
        link.open({
          ...events,
          frame: (frame) =>
            events.frame(frame, undefined, this.principal === undefined ? {} : { principal: this.principal }),
        }),
      send: (frame) => link.send(frame),
      close: () => link.close(),
    }
  }

  async shakeHands(version: string, capabilities: Capabilities = {}): Promise<Body> {
    const { result } = await this.request('initialize', {
      protocolVersion: version,
      capabilities,
      clientInfo: { name: 'raw', version: '1' },
    })
    this.send({ method: 'notifications/initialized' })
    return result as Body
  }

  of(method: string): RawMessage[] {
    return this.received.filter((message) => message.method === method)
  }

  /** The message of this method with this number, when it has come. */
  async next(method: string, index = 0): Promise<RawMessage> {
    for (;;) {
      const found = this.of(method)[index]
      if (found !== undefined) return found
      await new Promise<void>((resolve) => this.#watchers.add(resolve))
    }
  }

  close(): void {
    void this.#link.close()
  }

  #receive(message: RawMessage): void {
    this.received.push(message)
    if (message.method === undefined) this.#answers.get(message.id as number)?.(message)
    for (const watch of this.#watchers) watch()
    this.#watchers.clear()
  }
}

export function envelope(capabilities: Capabilities = {}, more: unknown = {}): Body {
  return {
    [META.version]: '2026-07-28',
    [META.clientInfo]: { name: 'raw', version: '1' },
    [META.clientCapabilities]: capabilities,
    ...(isObject(more) ? more : {}),
  }
}
