/** Questions to the client that run there as tasks: a person or a model may take longer than any request should. */
import type { Body } from '../jsonrpc/index.ts'
import { type Duration, type Inbound, peerRunsTasks, type RequestOptions, requestAsTask, type TaskPeer } from '../session/index.ts'

export interface TaskWish {
  /** How long the client is asked to keep the task. */
  ttl?: Duration
}

/** Asks as a task where the client runs such questions as tasks, and plainly where it does not. */
export async function askAsTask(request: Inbound, method: string, params: Body, wish: TaskWish, options: RequestOptions): Promise<Body> {
  const { session } = request
  if (!peerRunsTasks(session, method)) return request.request(method, params, options)
  const { maxTimeout, onProgress } = options
  const signal = options.signal === undefined ? request.signal : AbortSignal.any([options.signal, request.signal])
  const client: TaskPeer = {
    session,
    request: (name, body, how) => request.request(name, body, maxTimeout === undefined ? how : { ...how, maxTimeout }),
    onNotification: (name, handler) => session.onNotification(name, handler),
    onEnd: (end) => session.onClose(end),
  }
  const begun = await requestAsTask(client, method, params, { ...wish, signal, ...(onProgress && { onProgress }) })
  return 'task' in begun ? begun.task.result() : begun.result
}
