export { FrameReader, type FrameSink } from './frames.ts'
export { type HttpTransport, type OpenHttpOptions, openHttp } from './http/client/auto-link.ts'
export {
  brokenOff,
  callWith,
  type Fetch,
  type HttpCall,
  type HttpReply,
  type HttpRequest,
  unreachable,
} from './http/client/call.ts'
export { isUnsent } from './http/client/failure.ts'
export type { LazyAbortController } from './http/client/lazy-abort-controller.ts'
export type { HttpChallenge, HttpHeaders, HttpLinkOptions, LinkClock } from './http/client/options.ts'
export { refusalText } from './http/client/refusal.ts'
export { sseLink } from './http/client/sse-link.ts'
export { httpLink } from './http/client/streamable-link.ts'
export type { Exchange, ResponseBody, ResponseHeaders, Sink } from './http/exchange.ts'
export { Guard, type GuardOptions, isLoopback, loopbackHosts } from './http/guard.ts'
export { type AcceptedTypes, acceptedTypes, EVENT_STREAM, isJsonType, JSON_TYPE } from './http/media-types.ts'
export { SseServerLink, type SseServerLinkOptions } from './http/sse-server.ts'
export { type MemoryPairOptions, memoryPair } from './memory.ts'
export { type SseEvent, SseParser, type SseParserOptions, sseComment, sseEvent } from './sse.ts'
export { type SocketLike, SUBPROTOCOL, type WebSocketLinkOptions, webSocketLink } from './websocket.ts'
export { type Dial, type DialSettings, dialGlobal, type WebSocketOptions, webSocketTo } from './websocket-client.ts'
