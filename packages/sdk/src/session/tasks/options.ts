/** Settings for tasks that are run for a peer, and what of its wishes is granted. */
import { ParleyError } from '../../errors/index.ts'
import { isObject } from '../../jsonrpc/index.ts'
import { MemoryTaskStore, type TaskStore } from '../../stores/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Inbound } from '../endpoint.ts'
import type { SessionView } from '../session-view.ts'
import { usesExtension } from './extension.ts'

export interface TaskOptions {
  /** How long a task is kept from its creation, unless the requestor asks for another time. Default 1 h. */
  ttl?: Duration
  /** The longest time that a task is kept. Default 24 h; `null` for no limit. Then some tasks may be kept for ever. */
  maxTtl?: Duration | null
  /**
   * How long requestors should wait between two polls. Default 1 s. Since 2026-07-28 less while the task is younger
   * than that.
   */
  pollInterval?: Duration
  /** Most tasks that are kept for one principal, finished ones included. Default 1000. */
  maxTasks?: number
  /** Most tasks in one page of `tasks/list`. Default 100. */
  pageSize?: number
  /** Default: in memory. */
  store?: TaskStore
  /**
   * The owner of the tasks of a request. Default: its session, and the tasks end with it. Where clients share a
   * session: the principal that the transport found. Without a principal, each client that knows the id of a task has
   * the task. Ids cannot be guessed.
   */
  principal?: (session: SessionView, request: Inbound) => string
}

export interface TaskSettings {
  readonly ttl: number
  readonly maxTtl: number | null
  readonly pollInterval: number
  /**
   * After how long a task should be looked at for the first time; undefined where that is no sooner than ever after.
   */
  readonly firstLook: number | undefined
  readonly maxTasks: number
  readonly pageSize: number
  readonly store: TaskStore
  readonly principal: (session: SessionView, request: Inbound) => string
}

export function taskSettings(options: TaskOptions = {}): TaskSettings {
  const { maxTtl = '24h', maxTasks = 1000, pageSize = 100 } = options
  for (const [name, value] of Object.entries({ maxTasks, pageSize })) {
    if (!Number.isInteger(value) || value < 1) throw new RangeError(`tasks.${name} must be a whole number above 0`)
  }
  return {
    ttl: wholeMilliseconds(options.ttl ?? '1h'),
    maxTtl: maxTtl === null ? null : wholeMilliseconds(maxTtl),
    pollInterval: wholeMilliseconds(options.pollInterval ?? '1s'),
    firstLook: options.pollInterval === undefined ? 100 : undefined,
    maxTasks,
    pageSize,
    store: options.store ?? new MemoryTaskStore(),
    principal: options.principal ?? ownerOf,
  }
}

function ownerOf(session: SessionView, request: Inbound): string {
  return usesExtension(request) ? (request.principal ?? 'anonymous') : session.id
}

/** The time a requestor gets; `task` is what it sent, `null` in it asks for ever. */
export function grantedTtl(task: unknown, { ttl, maxTtl }: TaskSettings): number | null {
  if (!isObject(task)) throw new ParleyError('invalid_params', { message: '"task" must be an object' })
  const wish = task['ttl'] === undefined ? ttl : task['ttl']
  if (wish === null) return maxTtl
  if (typeof wish !== 'number' || !Number.isSafeInteger(wish) || wish < 1) {
    throw new ParleyError('invalid_params', { message: '"task.ttl" must be a whole number of milliseconds above 0' })
  }
  return maxTtl === null ? wish : Math.min(wish, maxTtl)
}

/** The schema knows whole numbers only. */
export function wholeMilliseconds(duration: Duration): number {
  const ms = Math.round(milliseconds(duration))
  if (Number.isSafeInteger(ms) && ms > 0) return ms
  throw new RangeError(`Not a time a task can have: ${JSON.stringify(duration)}`)
}
