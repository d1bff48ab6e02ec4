/**
 * Hands for tests of a client in the stateless era: a link that notes headers and withdrawals, and a session that has
 * agreed.
 */
import type { ParleyError } from '../../../../errors/index.ts'
import type { Body, LinkEvents, SendOptions } from '../../../../jsonrpc/index.ts'
import type { Capabilities } from '../../../../protocol/index.ts'
import type { Era } from '../../../../versions/index.ts'
import type { Endpoint, Inbound } from '../../../endpoint.ts'
import type { SessionEvent, SessionOptions } from '../../../options.ts'
import { everything, HandClock, settled, TestLink } from '../../../session.fixtures.ts'
import { Session } from '../../../session.ts'

export const NAMES = 'io.modelcontextprotocol/'

export class HttpLikeLink extends TestLink {
  readonly mirrors: boolean
  readonly headers: (SendOptions['headers'] | undefined)[] = []
  readonly withdrawn: unknown[] = []
  readonly versions: string[] = []
  events: LinkEvents | undefined
  withdraw: ((id: unknown) => void) | undefined

  constructor(mirrors: boolean) {
    super()
    this.mirrors = mirrors
    this.withdraw = mirrors ? (id) => this.withdrawn.push(id) : undefined
  }

  override send(frame: string, options?: SendOptions): void {
    super.send(frame)
    this.headers.push(options?.headers)
  }

  /** The frame of a request could not be handed over. */
  fail(id: number, error: Error): void {
    this.events?.failed?.(id, error)
  }

  override open(events: LinkEvents): void {
    this.events = events
    super.open(events)
  }

  negotiated(version: string): void {
    this.versions.push(version)
  }

  answer(id: unknown, result: Body): void {
    this.deliver({ jsonrpc: '2.0', id, result })
  }

  refuse(id: unknown, code: number, data?: unknown, message = 'no'): void {
    this.deliver({ jsonrpc: '2.0', id, error: { code, message, ...(data === undefined ? {} : { data }) } })
  }

  /** The last frame, which must be a request; gives its id. */
  get lastId(): number {
    return this.sent[this.sent.length - 1].id
  }
}

export interface ClientRig {
  session: Session
  link: HttpLikeLink
  clock: HandClock
  events: SessionEvent[]
  asked: Inbound[]
  endpoint: Endpoint
}

export interface ClientRigOptions extends Partial<Omit<SessionOptions, 'link' | 'endpoint'>> {
  mirrors?: boolean
  capabilities?: Capabilities
  answer?: (inbound: Inbound) => Body | Promise<Body>
  hooks?: Partial<Endpoint>
}

export function clientRig(options: ClientRigOptions = {}): ClientRig {
  const {
    mirrors = false,
    capabilities = { elicitation: {}, sampling: {}, roots: { listChanged: true } },
    answer = () => ({}),
    hooks = {},
    ...rest
  } = options
  const link = new HttpLikeLink(mirrors)
  const clock = new HandClock()
  const events: SessionEvent[] = []
  const asked: Inbound[] = []
  const endpoint: Endpoint = {
    introduce: () => ({ info: { name: 'c', version: '1' }, capabilities }),
    answer: (inbound) => {
      asked.push(inbound)
      return answer(inbound)
    },
    ...hooks,
  }
  const session = new Session({
    role: 'client',
    link: link as never,
    endpoint,
    clock,
    mint: () => 'minted',
    onEvent: (event) => events.push(event),
    ...rest,
  })
  return { session, link, clock, events, asked, endpoint }
}

export function discovery(more: Body = {}): Body {
  return {
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: everything,
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { [`${NAMES}serverInfo`]: { name: 'peer', version: '2' } },
    ...more,
  }
}

/** A client session that has agreed on 2026-07-28. */
export async function openStateless(options: ClientRigOptions & { discovered?: Body } = {}): Promise<ClientRig> {
  const { discovered, ...rest } = options
  const rig = clientRig(rest)
  const opening = rig.session.begin()
  rig.link.answer(rig.link.lastId, discovery(discovered))
  await opening
  rig.link.take()
  rig.link.headers.length = 0
  return rig
}

export const initialized = (version = '2025-11-25'): Body => ({
  protocolVersion: version,
  capabilities: everything,
  serverInfo: { name: 'old', version: '1' },
})

/** The frames of one method. */
// biome-ignore lint/suspicious/noExplicitAny: frames are whatever the session wrote
export const of = (rig: ClientRig, method: string): any[] => rig.link.sent.filter((frame) => frame.method === method)

export interface Begun {
  rig: ClientRig
  outcome: { value?: unknown; error?: ParleyError }
  opening: Promise<void>
}

/** A client session that has begun, and what comes of it. */
export function begun(options: ClientRigOptions = {}, era?: Era): Begun {
  const rig = clientRig(options)
  const outcome: Begun['outcome'] = {}
  const opening = rig.session.begin(era === undefined ? {} : { era }).then(
    () => {
      outcome.value = rig.session.version
    },
    (error) => {
      outcome.error = error
    },
  )
  return { rig, outcome, opening }
}

/** The server answers the handshake. */
export async function shakeHands({ rig, opening }: Begun): Promise<void> {
  await settled()
  rig.link.answer(of(rig, 'initialize')[0].id, initialized())
  await opening
}

export { settled }
