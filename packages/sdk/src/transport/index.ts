export { FrameReader, type FrameSink } from './frames.ts'
export type { Exchange, ResponseHeaders, Sink } from './http/exchange.ts'
export { type MemoryPairOptions, memoryPair } from './memory.ts'
export { type SseEvent, SseParser, type SseParserOptions, sseComment, sseEvent } from './sse.ts'
