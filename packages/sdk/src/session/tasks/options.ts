/** Settings for tasks that are run for a peer, and what of its wishes is granted. */
import { ParleyError } from '../../errors/index.ts'
import { isObject } from '../../jsonrpc/index.ts'
import { MemoryTaskStore, type TaskStore } from '../../stores/index.ts'
import { type Duration, milliseconds } from '../duration.ts'
import type { Inbound } from '../endpoint.ts'
import type { SessionView } from '../session-view.ts'
import { usesExtension } from './extension.ts'

export interface TaskOptions {
  /** How long a task is kept, from its creation, when the requestor does not say. Default 1 h. */
  ttl?: Duration
  /**
   * The longest a task is kept, whatever the requestor wants. Default 24 h; `null` for no limit, and then some may be
   * kept for ever.
   */
  maxTtl?: Duration | null
  /**
   * How long requestors are asked to wait between two looks. Default 1 s, and since 2026-07-28 less while the task is
   * younger than that.
   */
  pollInterval?: Duration
  /** Most tasks that are kept for one principal, finished ones included. Default 1000. */
  maxTasks?: number
  /** Most tasks in one page of `tasks/list`. Default 100. */
  pageSize?: number
  /** Default: in memory. */
  store?: TaskStore
  /**
   * Whom the tasks of a request belong to. Default: its session, and then they end with it; where requests of several
   * clients share a session, whom the transport found the request to come from, and then who knows its id, which cannot
   * be guessed, has the task.
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
