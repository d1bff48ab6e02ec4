/** Answers `subscriptions/listen`: each open request gets the changes that it asks for (D-19, D-29, D-30). */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { declares, type SubscriptionFilter, TASKS_EXTENSION } from '../../protocol/index.ts'
import { costOfTexts, declaresExtension, extensionMissing, type Inbound, type Session } from '../../session/index.ts'
import { META } from '../../versions/index.ts'
import type { Conversation } from '../conversation.ts'
import { ResourceSubscriptions } from './subscriptions.ts'

type Filter = SubscriptionFilter & { taskIds?: string[] }

/** By notification: the field that asks for it, and the capability that it needs. */
const LISTS: Readonly<Record<string, { readonly field: keyof SubscriptionFilter; readonly needs: string }>> = {
  'notifications/tools/list_changed': { field: 'toolsListChanged', needs: 'tools.listChanged' },
  'notifications/prompts/list_changed': { field: 'promptsListChanged', needs: 'prompts.listChanged' },
  'notifications/resources/list_changed': { field: 'resourcesListChanged', needs: 'resources.listChanged' },
}

/** All listeners together may name so many times as many resources as one of them. */
const SHARES = 100

interface ChangeListener {
  readonly inbound: Inbound
  readonly filter: Filter
  /** Gives back the bytes of its filter. */
  readonly give: () => void
  /** Ends it because the server wants that. */
  end(): void
}

export class ChangeListeners {
  readonly #listeners = new Set<ChangeListener>()
  readonly #resources = new ResourceSubscriptions<ChangeListener>(({ inbound }, uri) =>
    inbound.notify('notifications/resources/updated', { uri }),
  )
  readonly #tasks = new Map<string, Set<ChangeListener>>()
  /** Sessions that are ending. A new listener there is ended at once. */
  readonly #ending = new WeakSet<Session>()

  get size(): number {
    return this.#listeners.size
  }

  /** How many resources are listened to, each listener counted by itself. */
  get resources(): number {
    return this.#resources.count()
  }

  /** Resolves when the server ends it. Until then the client gets the changes of its filter. */
  listen(inbound: Inbound, filter: Filter): Promise<Body> {
    return new Promise((resolve) => {
      const result: Body = { _meta: { [META.subscription]: inbound.id } }
      if (inbound.cancelled || this.#ending.has(inbound.session)) return resolve(result)
      const { resourceSubscriptions = [], taskIds = [] } = filter
      const listener: ChangeListener = {
        inbound,
        filter,
        give: inbound.keep(costOfTexts([...resourceSubscriptions, ...taskIds]), 'a listener'),
        end: () => {
          this.#remove(listener)
          resolve(result)
        },
      }
      this.#add(listener)
      inbound.signal.addEventListener('abort', () => listener.end(), { once: true })
      inbound.notify('notifications/subscriptions/acknowledged', { notifications: filter })
    })
  }

  /** A list has changed. */
  announce(notice: string): void {
    const field = LISTS[notice]?.field
    if (field === undefined) return
    for (const { inbound, filter } of [...this.#listeners]) if (filter[field] === true) inbound.notify(notice)
  }

  updated(uri: string): void {
    this.#resources.updated(uri)
  }

  taskChanged(taskId: string, task: Body): void {
    for (const { inbound } of this.#tasks.get(taskId) ?? []) inbound.notify('notifications/tasks', task)
  }

  /** The session takes no more requests. */
  endAll(session: Session): void {
    this.#ending.add(session)
    for (const listener of [...this.#listeners]) if (listener.inbound.session === session) listener.end()
  }

  #add(listener: ChangeListener): void {
    this.#listeners.add(listener)
    for (const uri of listener.filter.resourceSubscriptions ?? []) this.#resources.add(listener, uri)
    for (const id of listener.filter.taskIds ?? [])
      this.#tasks.set(id, (this.#tasks.get(id) ?? new Set()).add(listener))
  }

  #remove(listener: ChangeListener): void {
    this.#listeners.delete(listener)
    listener.give()
    this.#resources.removeAll(listener)
    for (const id of listener.filter.taskIds ?? []) {
      const listeners = this.#tasks.get(id)
      if (listeners?.delete(listener) && listeners.size === 0) this.#tasks.delete(id)
    }
  }
}

export async function listen(conversation: Conversation, inbound: Inbound): Promise<Body> {
  const wanted = inbound.params['notifications']
  if (!isObject(wanted))
    throw new ParleyError('invalid_params', {
      message: '"notifications" must be an object that says what to listen for',
    })
  return conversation.host.listeners.listen(inbound, await honoured(conversation, inbound, wanted))
}

/** The part of the filter that the server accepts. The client sees it in the acknowledgement. */
async function honoured(conversation: Conversation, inbound: Inbound, wanted: Body): Promise<Filter> {
  const { registry, maxSubscriptions, tasks, listeners } = conversation.host
  const declared = conversation.introduce().capabilities
  const filter: Filter = {}
  for (const { field, needs } of Object.values(LISTS))
    if (wanted[field] === true && declares(declared, needs)) Object.assign(filter, { [field]: true })
  const uris = stringsIn(wanted, 'resourceSubscriptions', maxSubscriptions)
  if (uris !== undefined && declares(declared, 'resources.subscribe')) {
    filter.resourceSubscriptions = uris.filter((uri) => registry.find(uri)?.definition.subscribable)
    if (listeners.resources + filter.resourceSubscriptions.length > SHARES * maxSubscriptions) {
      throw new ParleyError('too_many_requests', { message: 'There are too many subscriptions already' })
    }
  }
  const taskIds = stringsIn(wanted, 'taskIds', maxSubscriptions)
  if (taskIds === undefined) return filter
  if (!declaresExtension(inbound.caller.capabilities, TASKS_EXTENSION)) throw extensionMissing(TASKS_EXTENSION)
  if (declaresExtension(declared, TASKS_EXTENSION)) filter.taskIds = await tasks.owned(inbound, taskIds)
  return filter
}

function stringsIn(wanted: Body, field: string, most: number): string[] | undefined {
  const values = wanted[field]
  if (values === undefined) return undefined
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string')) {
    throw new ParleyError('invalid_params', { message: `"notifications.${field}" must be a list of strings` })
  }
  if (values.length > most)
    throw new ParleyError('subscription_failed', { message: `"notifications.${field}" may name ${most} at most` })
  return [...new Set(values)]
}
