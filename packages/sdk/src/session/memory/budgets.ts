/** How many bytes may be kept because of clients: for one session, for one client, and for all of them. */
import { ByteBudget, Charge, weightOf } from '../../collections/index.ts'
import { ParleyError } from '../../errors/index.ts'

export interface MemoryLimits {
  /** Most bytes of one session. Default 64 MiB. */
  session?: number | undefined
  /** Most bytes of one principal, or without a session of one address. Default 128 MiB. */
  principal?: number | undefined
  /**
   * Most bytes of all clients together. Default: an eighth of the heap, but no more than 512 MiB; 256 MiB where the
   * heap is not known.
   */
  total?: number | undefined
}

const MIB = 1024 * 1024
const SESSION = 64 * MIB
const PRINCIPAL = 128 * MIB
const MOST = 512 * MIB
const UNKNOWN = 256 * MIB
/** A kept message takes several times its length: as text, as values, and while it is sent on. */
const SHARE = 1 / 8

/** What a message, and a text, costs besides its characters. */
const EACH_MESSAGE = 2048
const EACH_TEXT = 512
/** In so short a text no structure is worth counting. */
const SHORT = 1024
/** Clients that keep nothing are forgotten when there are this many. */
const MANY = 1024
/**
 * How long a handler whose client has given up is still counted, in milliseconds: it may keep the request until it
 * ends.
 */
const LINGER = 60_000

export class MemoryBudgets {
  readonly total: ByteBudget
  readonly #name: string
  readonly #session: number
  readonly #principal: number
  readonly #clients = new Map<string, ByteBudget>()
  #many = MANY
  /** Of handlers that go on after their clients have given up, oldest first. */
  #lingering: { readonly charge: Charge; readonly until: number }[] = []

  /** `name`: what the settings are called in messages. */
  constructor(limits: MemoryLimits = {}, name = 'memory') {
    this.#name = name
    this.#session = bytes(`${name}.session`, limits.session ?? SESSION)
    this.#principal = bytes(`${name}.principal`, limits.principal ?? PRINCIPAL)
    this.total = new ByteBudget(`${name}.total`, bytes(`${name}.total`, limits.total ?? totalFor(heapLimit())))
  }

  /** For one session of this principal, if its principal is known. */
  session(principal?: string): ByteBudget {
    return new ByteBudget(
      `${this.#name}.session`,
      this.#session,
      principal === undefined ? this.total : this.client(principal),
    )
  }

  /** For all requests of one client that has no session. */
  client(key: string): ByteBudget {
    const known = this.#clients.get(key)
    if (known !== undefined) return known
    if (this.#clients.size >= this.#many) this.#forgetIdle()
    const made = new ByteBudget(`${this.#name}.principal`, this.#principal, this.total)
    this.#clients.set(key, made)
    return made
  }

  /** A handler that never ends is not counted for ever: nothing may be left of it. */
  linger(charge: Charge, now: number): void {
    if (charge.bytes > 0) this.#lingering.push({ charge, until: now + LINGER })
    this.#tidy(now)
  }

  /** Why there is no room, if so. `what`: what was to be kept. */
  noRoom(budget: ByteBudget, cost: number, what: string, now: number, isUrgent?: true): ParleyError | undefined {
    if (budget.fullFor(cost, isUrgent) === undefined) return undefined
    this.#tidy(now)
    return noRoom(budget, cost, what, isUrgent)
  }

  #tidy(now: number): void {
    const left = this.#lingering.findIndex(({ charge, until }) => charge.bytes > 0 && until > now)
    for (const { charge } of this.#lingering.splice(0, left === -1 ? this.#lingering.length : left)) charge.give()
  }

  #forgetIdle(): void {
    for (const [key, { used }] of this.#clients) if (used === 0) this.#clients.delete(key)
    this.#many = Math.max(MANY, this.#clients.size * 2)
  }
}

/**
 * What it costs to keep a message or something like it. `length`: of the text it was read from, where that is known.
 */
export function costOf(value: unknown, length?: number): number {
  if (length !== undefined && length <= SHORT) return EACH_MESSAGE + length
  return EACH_MESSAGE + Math.max(length ?? 0, weightOf(value))
}

/** What it costs to keep texts, each in a few tables. */
export function costOfTexts(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + EACH_TEXT + text.length, 0)
}

function noRoom(budget: ByteBudget, cost: number, what: string, isUrgent?: true): ParleyError | undefined {
  const full = budget.fullFor(cost, isUrgent)
  if (full === undefined) return undefined
  const { setting, limit, used } = full
  const whose = setting.endsWith('.session')
    ? 'this session'
    : setting.endsWith('.principal')
      ? 'this client'
      : 'all clients together'
  return new ParleyError('refusal_resource_constraints', {
    message:
      `There is no room for ${what} of about ${cost} bytes: ${used} bytes are kept for ${whose}, and ${setting} allows ${limit}. ` +
      'Wait for requests to be answered, cancel some, or end subscriptions, and try again.',
    data: { setting, limit, used, needed: cost },
  })
}

/** Counts the cost until the returned function is called. Throws when there is no room. */
export function keepIn(budget: ByteBudget, cost: number, what: string): () => void {
  const full = noRoom(budget, cost, what)
  if (full !== undefined) throw full
  const charge = new Charge(budget, cost)
  return () => charge.give()
}

/** `heap`: the most bytes that the heap of the process may have. */
export function totalFor(heap: number | undefined): number {
  return heap === undefined ? UNKNOWN : Math.min(MOST, Math.floor(heap * SHARE))
}

interface Runtime {
  process?: {
    getBuiltinModule?: (name: string) => { getHeapStatistics?: () => { heap_size_limit: number } } | undefined
  }
}

/** Undefined in browsers and on runtimes that do not tell. */
function heapLimit(): number | undefined {
  const found = (globalThis as Runtime).process?.getBuiltinModule?.('v8')?.getHeapStatistics?.().heap_size_limit
  return found !== undefined && found > 0 ? found : undefined
}

function bytes(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new RangeError(`${name} must be a whole number of bytes above 0, not ${String(value)}`)
}
