/** `parley-mcp/client`: talk to any MCP server, in any version. */
export {
  type AnyTools,
  type CallArguments,
  type CallOptions,
  type CallOutcome,
  Client,
  type CompletionTarget,
  type ConnectOptions,
  connect,
  type ElicitHandler,
  type ElicitOption,
  type ElicitQuestion,
  type ElicitReply,
  type ListKind,
  type PageOptions,
  type RootLike,
  type RootsOption,
  type SampleHandler,
  type SampleOffer,
  type SampleOption,
  type SampleQuestion,
  type SampleReply,
  type Subscription,
  type ToolName,
  type ToolShape,
  type ToolsOf,
  type UpdateHandler,
  userRejected,
  type ValueOf,
} from './client/index.ts'
export { type ErrorKind, ParleyError, ToolError } from './errors/index.ts'
export type { Link, LinkEvents, SendOptions } from './jsonrpc/index.ts'
export type {
  Acceptor,
  Clock,
  Duration,
  Identity,
  Mint,
  PendingRequest,
  Progress,
  RequestOptions,
  Session,
  SessionEvent,
  SessionHealth,
  SessionStats,
} from './session/index.ts'
export { type MemoryPairOptions, memoryPair } from './transport/index.ts'
export type { Loss, Profile } from './versions/index.ts'
