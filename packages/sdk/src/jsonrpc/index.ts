export { fromBase64url, toBase64url } from './base64url.ts'
export { canonicalJson } from './canonical-json.ts'
export { exactWriter, noteExact } from './exact-text.ts'
export { ENDS, invalid, oversized } from './invalid.ts'
export { isObject, type JsonObject, type JsonValue } from './json.ts'
export { DEFAULT_LIMITS, exceedsBytes, limitsOf, type MessageLimits } from './limits.ts'
export type { FrameOrigin, Link, LinkEvents, SendOptions } from './link.ts'
export type {
  Body,
  ErrorMessage,
  Incoming,
  Invalid,
  Message,
  NotificationMessage,
  RequestId,
  RequestMessage,
  ResultMessage,
} from './message.ts'
export {
  isWorthNoting,
  memberAsNoted,
  note,
  noteCopiedResult,
  noteCopy,
  noteParts,
  noteText,
  partAsNoted,
} from './noted-text.ts'
export { classify, isRequestId, parse } from './parse.ts'
export { answerIn, resultIn } from './result-text.ts'
export {
  bodyText,
  errorText,
  notificationText,
  paramsText,
  requestText,
  resultHead,
  resultText,
  Serialised,
  type WriteParams,
} from './serialise.ts'
export { isStrayLine } from './stray-line.ts'
export { WrappedLink, wrappedEvents } from './wrapped-link.ts'
