/**
 * Tasks in two dialects: the experimental core of 2025-11-25 and the extension `io.modelcontextprotocol/tasks`. Only
 * shapes; who asks whom when is a flow.
 */
import { type Body, isObject } from '../../../jsonrpc/index.ts'
import { without } from '../without.ts'

/** How a task ended: with the result of its request or with a JSON-RPC error. */
type Outcome = { readonly result: Body } | { readonly error: Body }

/** Fields the extension shows inline and 2025-11-25 only tells on request. */
const INLINE = ['result', 'error', 'inputRequests', 'resultType', '_meta']

/** The bare task of 2025-11-25 as the extension writes it. */
export function taskToExtension(task: Body): Body {
  return renamed(renamed(task, 'ttl', 'ttlMs'), 'pollInterval', 'pollIntervalMs')
}

/** The bare task of the extension, without what it shows inline, as 2025-11-25 writes it. */
export function taskFromExtension(task: Body): Body {
  const status = statusFromExtension(task)
  const bare = INLINE.reduce(without, task)
  const named = renamed(renamed(bare, 'ttlMs', 'ttl'), 'pollIntervalMs', 'pollInterval')
  const timed = Object.hasOwn(named, 'ttl') ? named : { ...named, ttl: null }
  return timed['status'] === status ? timed : { ...timed, status }
}

/**
 * A task with what `tasks/result` said about it, the way the extension answers `tasks/get`. A failed tool is a
 * completed task there.
 */
export function detailedTask(task: Body, outcome?: Outcome): Body {
  const converted = taskToExtension(task)
  if (outcome === undefined) return converted
  return 'result' in outcome
    ? { ...converted, status: 'completed', result: outcome.result }
    : { ...converted, status: 'failed', error: outcome.error }
}

/** What 2025-11-25 calls the state of a task of the extension: a tool that reports an error has failed. */
export function statusFromExtension(task: Body): unknown {
  const { status, result } = task
  return status === 'completed' && isObject(result) && result['isError'] === true ? 'failed' : status
}

/**
 * What `tasks/result` of 2025-11-25 answers for a task of the extension; `undefined` while it runs, or when it was
 * cancelled.
 */
export function outcomeOf(task: Body): Outcome | undefined {
  const { status, result, error } = task
  if (status === 'completed' && isObject(result)) return { result: without(result, 'resultType') }
  return status === 'failed' && isObject(error) ? { error } : undefined
}

/** `{ task: {…} }` → flat. */
export function createTaskResultToExtension(result: Body): Body {
  const { task, ...rest } = result
  return { ...rest, ...taskToExtension(isObject(task) ? task : {}), resultType: 'task' }
}

/** Flat → `{ task: {…} }`. */
export function createTaskResultFromExtension(result: Body): Body {
  const task = taskFromExtension(result)
  return isObject(result['_meta']) ? { _meta: result['_meta'], task } : { task }
}

/** True for the answer to a request that 2025-11-25 runs as a task. */
export function isCreateTaskResult(result: Body): boolean {
  const task = result['task']
  return (
    isObject(task) &&
    typeof task['taskId'] === 'string' &&
    result['content'] === undefined &&
    result['action'] === undefined
  )
}

function renamed(object: Body, from: string, to: string): Body {
  if (!Object.hasOwn(object, from)) return object
  return { ...without(object, from), [to]: object[from] }
}
