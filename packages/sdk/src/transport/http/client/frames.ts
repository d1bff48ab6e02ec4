/** Finds the ids and the method of a frame, mostly from its first characters: most senders use the same key order. */
import { isObject, isRequestId, type RequestId, type SendOptions } from '../../../jsonrpc/index.ts'

export interface Outgoing {
  /** The ids of the requests in the frame. */
  readonly requests: readonly RequestId[]
  /** The method of the first message, if it has one. */
  readonly method: string | undefined
  /** The request that this frame cancels. */
  readonly cancels?: RequestId
}

const ID = String.raw`(-?\d{1,15}|"[^"\\]*")`
const REQUEST = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${ID},"method":"([^"\\]+)"`)
const NOTIFICATION = /^\{"jsonrpc":"2\.0","method":"([^"\\]+)"/
const ANSWER = new RegExp(String.raw`^\{"jsonrpc": ?"2\.0", ?"id": ?${ID}, ?"(?:result|error)":`)
const NONE: readonly RequestId[] = []

export function readOutgoing(frame: string): Outgoing {
  const request = REQUEST.exec(frame)
  if (request !== null) return { requests: [idFrom(request[1] as string)], method: request[2] }
  const method = NOTIFICATION.exec(frame)?.[1]
  if (method !== undefined && method !== 'notifications/cancelled') return { requests: NONE, method }
  const messages = messagesIn(frame)
  const first = messages[0]
  const requests = messages
    .filter((message) => typeof message['method'] === 'string' && isRequestId(message['id']))
    .map(({ id }) => id as RequestId)
  const named = first?.['method']
  const params = first?.['params']
  const cancelled = named === 'notifications/cancelled' && isObject(params) ? params['requestId'] : undefined
  return {
    requests,
    method: typeof named === 'string' ? named : undefined,
    ...(isRequestId(cancelled) ? { cancels: cancelled } : {}),
  }
}

/** Whether the frame is of the stateless era: it belongs to no session, and its response answers it (D-60…D-62). */
export function isStateless(options: SendOptions | undefined): boolean {
  return options?.headers?.['mcp-method'] !== undefined
}

/** The ids of the requests that a received frame answers. */
export function answersIn(frame: string): readonly RequestId[] {
  const answer = ANSWER.exec(frame)
  if (answer !== null) return [idFrom(answer[1] as string)]
  if (NOTIFICATION.test(frame) || REQUEST.test(frame)) return NONE
  return messagesIn(frame)
    .filter((message) => message['method'] === undefined && isRequestId(message['id']))
    .map(({ id }) => id as RequestId)
}

function idFrom(written: string): RequestId {
  return written[0] === '"' ? written.slice(1, -1) : Number(written)
}

function messagesIn(frame: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(frame)
    return (Array.isArray(value) ? value : [value]).filter(isObject)
  } catch {
    return []
  }
}
