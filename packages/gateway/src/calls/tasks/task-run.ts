/**
 * Runs a tool call as a task that its client does not know about (C-23). Cancels the task when the call is cancelled.
 */
import { type Body, isObject, type Progress, requestAsTask, type TaskPeer } from 'parley-mcp/engine'

const RELATED_TASK = 'io.modelcontextprotocol/related-task'
/** How long a server may take to begin and cancel the task of a call that was cancelled, in milliseconds. */
const MAX_CANCEL_MS = 1000

export interface TaskRunOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/** When the signal aborts, it ends after the task was cancelled. The conversation must stay open until then. */
export async function runAsTask(
  peer: TaskPeer,
  method: string,
  params: Body,
  { signal, onProgress }: TaskRunOptions,
): Promise<Body> {
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(signal.reason)
  if (signal.aborted) leave()
  const beginning = requestAsTask(peer, method, params, { signal: leaving.signal, ...(onProgress && { onProgress }) })
  const giveUp = (): void => {
    const stop = peer.session.clock.after(MAX_CANCEL_MS, leave)
    const cancelled = beginning.then((begun) => ('task' in begun ? begun.task.cancel() : undefined))
    void cancelled
      .catch(() => {})
      .finally(() => {
        stop()
        leave()
      })
  }
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    const begun = await beginning
    return withoutTask('result' in begun ? begun.result : await begun.task.result())
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** C-25: only the gateway knows the task. */
function withoutTask(result: Body): Body {
  const meta = result['_meta']
  if (!isObject(meta) || meta[RELATED_TASK] === undefined) return result
  const { [RELATED_TASK]: _, ...others } = meta
  const { _meta: _all, ...rest } = result
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}
