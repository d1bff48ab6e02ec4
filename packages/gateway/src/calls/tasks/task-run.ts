/**
 * A tool call that its server runs as a task, of which its client knows nothing: begun, waited for, and ended there
 * when nobody waits any more (C-23).
 */
import { type Body, isObject, type Progress, requestAsTask, type TaskPeer } from 'parley-mcp/engine'

const RELATED_TASK = 'io.modelcontextprotocol/related-task'
/** How long a server may take to hear that nobody wants its result any more. */
const FAREWELL_MS = 1000

export interface TaskRunOptions {
  readonly signal: AbortSignal
  readonly onProgress?: (progress: Progress) => void
}

/**
 * Given up, it is over when the server has been told: whoever waits for that keeps the conversation, without which
 * nobody could tell it.
 */
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
    const stop = peer.session.clock.after(FAREWELL_MS, leave)
    const told = beginning.then((begun) => ('task' in begun ? begun.task.cancel() : undefined))
    void told
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

/** C-25: the task is known to the gateway alone. */
function withoutTask(result: Body): Body {
  const meta = result['_meta']
  if (!isObject(meta) || meta[RELATED_TASK] === undefined) return result
  const { [RELATED_TASK]: _, ...kept } = meta
  const { _meta: _all, ...rest } = result
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}
