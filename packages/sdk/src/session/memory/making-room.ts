/** Decides which session ends when there are too many and another one begins. */

/**
 * What the client of a session does. `working`: it waits for an answer.
 * `asked`: all its requests wait for an answer of the client itself.
 * `listening`: it reads a stream, or its connection is open. `idle`: none of these.
 */
export type Activity = 'working' | 'asked' | 'listening' | 'idle'

/** A principal or a network that has sessions. */
export interface Holder {
  readonly name: string
  /** How many it has. */
  readonly sessions: number
}

/** What is known of the use of a session. */
export interface SessionUse {
  readonly holder: Holder
  /** The handshake is complete. */
  readonly isOpen: boolean
  /** Its client has made a request or opened a stream since the handshake. */
  readonly isUsed: boolean
  /** When its client was last heard, or last given an answer. */
  readonly lastUsedAt: number
  readonly activity: Activity
  /** When its client was last asked something; looked at only where the client was. */
  readonly askedAt: number
  /** Its client wants to hear what changes there: it goes after those whose clients do not. */
  readonly isFollowed?: boolean | undefined
}

/**
 * The holders of sessions, with their counts. The counts are always up to date: counting in a flood of sessions would
 * be expensive.
 */
export class Holders {
  readonly #holders = new Map<string, { readonly name: string; sessions: number }>()
  #total = 0

  /** The holder has one more, until `leave`. `name`: from `holderOf`. */
  enter(name: string): Holder {
    const holder = this.#holders.get(name) ?? { name, sessions: 0 }
    this.#holders.set(name, holder)
    holder.sessions++
    this.#total++
    return holder
  }

  leave({ name }: Holder): void {
    const holder = this.#holders.get(name)
    if (holder === undefined) return
    this.#total--
    if (--holder.sessions === 0) this.#holders.delete(name)
  }

  of(name: string): number {
    return this.#holders.get(name)?.sessions ?? 0
  }

  /** An equal share of all sessions, for each that has some and for a newcomer of that name. */
  shareWith(name: string): number {
    return Math.floor(this.#total / (this.#holders.size + (this.#holders.has(name) ? 0 : 1)))
  }
}

/** For so many milliseconds a question without an answer keeps its session: the client, or its user, may be gone. */
export const UNANSWERED = 120_000

/**
 * The session that makes room for a new one of `newcomer`; `undefined` when there is none.
 * It is of the holder that has the most, the newcomer counted. Of that holder's sessions the first to go is one without
 * a complete handshake, then one that was never used, then the one that is silent longest. A client at work keeps its
 * session. A holder that has fewer than the newcomer would have keeps all of them.
 */
export function sessionToEnd<T extends SessionUse>(
  sessions: readonly T[],
  holders: Holders,
  newcomer: string,
  now: number,
): T | undefined {
  const own = holders.of(newcomer) + 1
  const countOf = ({ name, sessions: count }: Holder): number => (name === newcomer ? own : count)
  const idle = firstOf(sessions, countOf, (session, count) => count >= own && !isAtWork(session, now))
  if (idle !== undefined) return idle
  // Open streams are cheap. A holder with more than an equal share gives up one that only listens to a holder with
  // less.
  const share = holders.shareWith(newcomer)
  return own > share
    ? undefined
    : firstOf(sessions, countOf, ({ activity }, count) => count > share && activity === 'listening')
}

type Admits = (session: SessionUse, count: number) => boolean

function firstOf<T extends SessionUse>(
  sessions: readonly T[],
  countOf: (holder: Holder) => number,
  admits: Admits,
): T | undefined {
  let first: T | undefined
  let most = 0
  for (const session of sessions) {
    const count = countOf(session.holder)
    const isBefore = first === undefined || count > most || (count === most && goesBefore(session, first))
    // Last, because it costs most to find out.
    if (!isBefore || !admits(session, count)) continue
    first = session
    most = count
  }
  return first
}

function goesBefore(one: SessionUse, other: SessionUse): boolean {
  const stage = stageOf(one)
  const otherStage = stageOf(other)
  return stage === otherStage ? one.lastUsedAt < other.lastUsedAt : stage < otherStage
}

function stageOf({ isOpen, isUsed, isFollowed }: SessionUse): number {
  if (isFollowed) return 3
  return isUsed ? 2 : isOpen ? 1 : 0
}

function isAtWork(session: SessionUse, now: number): boolean {
  const { activity } = session
  if (activity !== 'asked') return activity !== 'idle'
  return now - Math.max(session.lastUsedAt, session.askedAt) < UNANSWERED
}

/** The holder of a session: the principal if known, else the network of the client. */
export function holderOf(principal: string | undefined, address: string | undefined): string {
  if (principal !== undefined) return `principal ${principal}`
  return address === undefined ? 'unknown' : `address ${networkOf(address)}`
}

/** One IPv6 client has 2^64 addresses. An IPv4 address may be written as an IPv6 address. */
export function networkOf(address: string): string {
  if (address.startsWith('::ffff:') && address.includes('.')) return address.slice(7)
  if (!address.includes(':')) return address
  const [before = '', after = ''] = (address.split('%')[0] as string).split('::')
  const head = before.split(':').filter((group) => group !== '')
  const tail = after.split(':').filter((group) => group !== '')
  const groups = address.includes('::')
    ? [...head, ...Array<string>(Math.max(0, 8 - head.length - tail.length)).fill('0'), ...tail]
    : head
  return `${groups.slice(0, 4).join(':')}::/64`
}
