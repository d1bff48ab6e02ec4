/** The changing part of a server, shared with its conversations and hidden from its users. */
import type { ServerCapabilities } from '../protocol/index.ts'
import {
  type AskingOptions,
  askingSettings,
  type Identity,
  type Introduction,
  MemoryBudgets,
  type Session,
  type Stage,
  systemClock,
  TaskReceiver,
} from '../session/index.ts'
import { type CacheSettings, cacheSettings } from './cache-hints.ts'
import { deriveCapabilities } from './capabilities.ts'
import type { Conversation } from './conversation.ts'
import { type FailureInfo, logToConsole } from './failure.ts'
import { changeNotices } from './lists.ts'
import type { ServerInfo, ServerOptions } from './options.ts'
import { emptyRegistry, type ListName, type Registry } from './registry.ts'
import { ChangeAnnouncer } from './subscriptions/announcer.ts'
import { ChangeListeners } from './subscriptions/listeners.ts'
import { ResourceSubscriptions } from './subscriptions/subscriptions.ts'
import { checkShownErrors, type ShownErrors } from './tools/failure.ts'

export type CapabilitiesObserver = (declared: ServerCapabilities, before: ServerCapabilities) => void

/** Shortest time between two notices that the same list has changed, in milliseconds. */
const NOTICE_INTERVAL = 100

export class ServerState {
  readonly options: ServerOptions
  readonly info: Identity
  readonly pageSize: number
  readonly maxSubscriptions: number
  /** The bytes that are kept because of clients. */
  readonly budgets: MemoryBudgets
  readonly conversations: Set<Conversation> = new Set()
  /** The stages of every request, in this order. */
  stages: readonly Stage[] = []
  paused = false
  readonly observers: Set<CapabilitiesObserver> = new Set()
  readonly subscriptions: ResourceSubscriptions<Conversation> = new ResourceSubscriptions(
    ({ session }, uri) => void session?.notify('notifications/resources/updated', { uri }),
  )
  readonly tasks: TaskReceiver
  readonly listeners: ChangeListeners = new ChangeListeners()
  readonly cache: CacheSettings
  /** One key for all sessions: a token of one session may come back to another. */
  readonly asking: AskingOptions
  /** Handlers run again with each answer instead of being suspended, so any process may take the next request. */
  readonly replays: boolean
  readonly showErrors: ShownErrors
  readonly #instructions: string | undefined
  readonly #announcer: ChangeAnnouncer
  #experimental: Readonly<Record<string, Record<string, unknown>>>
  #registry = emptyRegistry
  #begun = false
  /** The same object while nothing changes. */
  #introduction: Introduction | undefined

  constructor(info: ServerInfo, options: ServerOptions) {
    if (typeof info !== 'object' || info === null)
      throw new TypeError('A server needs a name and a version: createServer({ name, version })')
    const { instructions, ...identity } = info
    for (const field of ['name', 'version'] as const) {
      if (typeof identity[field] !== 'string' || identity[field] === '')
        throw new TypeError(`A server needs a ${field}`)
    }
    this.info = Object.freeze(identity as Identity)
    this.options = options
    this.pageSize = positive('pageSize', options.pageSize ?? 100)
    this.maxSubscriptions = positive('maxSubscriptions', options.maxSubscriptions ?? 1000)
    this.budgets = new MemoryBudgets(options.memory)
    this.tasks = new TaskReceiver(options.tasks, (error, during) => this.report(error, { during }))
    this.tasks.onChange((taskId, _, detailed) => this.listeners.taskChanged(taskId, detailed))
    this.cache = cacheSettings(options.cache)
    askingSettings(options.asking)
    this.asking = { key: crypto.getRandomValues(new Uint8Array(32)), ...options.asking }
    this.replays = options.stateless ?? false
    this.showErrors = checkShownErrors(options.showErrors)
    this.#instructions = instructions
    this.#experimental = { ...options.experimental }
    this.#announcer = new ChangeAnnouncer(options.clock ?? systemClock, NOTICE_INTERVAL, (notice) =>
      this.#broadcast(notice),
    )
  }

  /** Values are immutable. A new value is reported to observers and clients. */
  get registry(): Registry {
    return this.#registry
  }

  set registry(registry: Registry) {
    const before = this.#registry
    if (registry === before) return
    if (this.#begun) registry.verify()
    this.#observed(() => {
      this.#registry = registry
      this.#introduction = undefined
    })
    if (this.conversations.size === 0) return
    const changed = (Object.keys(changeNotices) as ListName[]).filter((list) => registry[list] !== before[list])
    for (const notice of new Set(changed.map((list) => changeNotices[list]))) this.#announcer.announce(notice)
  }

  /**
   * Finds definitions that could never be listed before the first conversation. Not sooner: schemas take a while to
   * convert.
   */
  begin(): void {
    if (this.#begun) return
    this.#registry.verify()
    this.#begun = true
  }

  declareExperimental(name: string, settings: Record<string, unknown>): void {
    this.#observed(() => {
      this.#experimental = { ...this.#experimental, [name]: settings }
      this.#introduction = undefined
    })
  }

  declared(): ServerCapabilities {
    const { logging = true, offers = [], extensions = {} } = this.options
    return deriveCapabilities({
      registry: this.#registry,
      logging,
      offers,
      experimental: this.#experimental,
      extensions,
    })
  }

  introduce(): Introduction {
    if (this.#introduction === undefined) {
      this.#introduction = { info: this.info, capabilities: this.declared(), ...this.cache.discovery }
      if (this.#instructions !== undefined) this.#introduction.instructions = this.#instructions
    }
    return this.#introduction
  }

  /** A resource has changed. */
  updated(uri: string): void {
    this.subscriptions.updated(uri)
    this.listeners.updated(uri)
  }

  /** Sessions whose handshake is complete. */
  openSessions(): Session[] {
    return [...this.conversations].flatMap(({ session }) => (session?.open ? [session] : []))
  }

  /** For the local log. */
  report(error: unknown, info: FailureInfo): void {
    try {
      const told: unknown = (this.options.onError ?? logToConsole)(error, info)
      if (told instanceof Promise) told.catch(() => {})
    } catch {
      // There is no place to report an observer that fails.
    }
  }

  /** Gives back everything that was kept for the conversation. */
  release(conversation: Conversation): void {
    this.conversations.delete(conversation)
    this.subscriptions.removeAll(conversation)
    if (conversation.session !== undefined) this.tasks.release(conversation.session)
    if (this.conversations.size === 0) this.#announcer.stop()
  }

  #observed(change: () => void): void {
    const before = this.observers.size === 0 ? undefined : this.declared()
    change()
    if (before === undefined) return
    const declared = this.declared()
    if (JSON.stringify(declared) === JSON.stringify(before)) return
    for (const observer of this.observers) {
      try {
        observer(declared, before)
      } catch (error) {
        this.report(error, { during: 'capabilities observer' })
      }
    }
  }

  #broadcast(notice: string): void {
    for (const session of this.openSessions()) session.notify(notice)
    this.listeners.announce(notice)
  }
}

function positive(name: string, value: number): number {
  if (Number.isInteger(value) && value > 0) return value
  throw new RangeError(`${name} must be a whole number above 0`)
}
