/** JSON-RPC 2.0 messages, without any MCP meaning. */
import type { WireError } from '../errors/index.ts'

export type RequestId = string | number

/** Parameters and results of a message; what is inside is the business of the layers above. */
export type Body = Record<string, unknown>

export interface RequestMessage {
  jsonrpc: '2.0'
  id: RequestId
  method: string
  params?: Body
}

export interface NotificationMessage {
  jsonrpc: '2.0'
  method: string
  params?: Body
}

export interface ResultMessage {
  jsonrpc: '2.0'
  id: RequestId
  result: Body
}

export interface ErrorMessage {
  jsonrpc: '2.0'
  /** Null or absent when the request could not be read. */
  id?: RequestId | null
  error: WireError
}

export type Message = RequestMessage | NotificationMessage | ResultMessage | ErrorMessage

export type Incoming =
  | { kind: 'request'; message: RequestMessage }
  | { kind: 'notification'; message: NotificationMessage }
  | { kind: 'result'; message: ResultMessage }
  | { kind: 'error'; message: ErrorMessage }
  | { kind: 'batch'; items: Incoming[] }
  | Invalid

/** A frame that is no message: `id` is set when the sender can be told which request it was. */
export interface Invalid {
  kind: 'invalid'
  id: RequestId | undefined
  error: WireError
  /** True when it looked like an answer: an answer is never answered. */
  isAnswer: boolean
}
