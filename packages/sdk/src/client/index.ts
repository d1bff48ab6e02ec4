export { capabilitiesFrom, type RelayedEndpoint } from './questions/client-endpoint.ts'
export { Client, type ClientHealth } from './client.ts'
export { connect } from './connect.ts'
export type { ElicitHandler, ElicitOption, ElicitQuestion, ElicitReply } from './questions/elicitation.ts'
export type { EraMemory } from './connection/era-memory.ts'
export { reporter } from './error-reporter.ts'
export type { LoadedSkill, SkillFileContent } from './skills/loaded-skill.ts'
export type { ListKind } from './subscriptions/changes.ts'
export type { CallOptions, ConnectOptions } from './options.ts'
export type { CallOutcome } from './calls/call-outcome.ts'
export type { PageOptions, ReadOptions } from './lists/cached-reader.ts'
export type { ConnectionState, Hope, LostRequest, ReconnectOptions, ReconnectReport, StateChange } from './connection/reconnect.ts'
export type { CompletionTarget } from './reference.ts'
export type { RootLike, RootsOption } from './questions/roots.ts'
export {
  type SampleHandler,
  type SampleOffer,
  type SampleOption,
  type SampleQuestion,
  type SampleReply,
  userRejected,
} from './questions/sampling.ts'
export { HANDLE_KEY } from './connection/session-handle.ts'
export type { Subscription, UpdateHandler } from './subscriptions/subscriptions.ts'
export {
  httpOptions,
  isAtHand,
  isRemote,
  type LinkOpener,
  type LinkSettings,
  noWayTo,
  type Opening,
  type Openings,
  openerFor,
  type RemoteTarget,
  type RemoteTransport,
  type Target,
  webSocketOptions,
} from './target.ts'
export type { TaskCallOptions, TaskHandle } from './tasks/client-tasks.ts'
export type { AnyTools, CallArguments, ToolName, ToolShape, ToolsOf, ValueOf } from './calls/tool-types.ts'
