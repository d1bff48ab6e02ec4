export { capabilitiesFrom, type RelayedEndpoint } from './answer.ts'
export { Client, type ClientHealth } from './client.ts'
export { connect } from './connect.ts'
export type { ElicitHandler, ElicitOption, ElicitQuestion, ElicitReply } from './elicitation.ts'
export type { EraMemory } from './era-memory.ts'
export { reporter } from './failure.ts'
export type { LoadedSkill, SkillFileContent } from './loaded-skill.ts'
export type { ListKind } from './news.ts'
export type { CallOptions, ConnectOptions } from './options.ts'
export type { CallOutcome } from './outcome.ts'
export type { PageOptions, ReadOptions } from './reading.ts'
export type { ConnectionState, Hope, LostRequest, ReconnectOptions, ReconnectReport, StateChange } from './reconnect.ts'
export type { CompletionTarget } from './reference.ts'
export type { RootLike, RootsOption } from './roots.ts'
export {
  type SampleHandler,
  type SampleOffer,
  type SampleOption,
  type SampleQuestion,
  type SampleReply,
  userRejected,
} from './sampling.ts'
export { HANDLE_KEY } from './session-handle.ts'
export type { Subscription, UpdateHandler } from './subscriptions.ts'
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
export type { TaskCallOptions, TaskHandle } from './task.ts'
export type { AnyTools, CallArguments, ToolName, ToolShape, ToolsOf, ValueOf } from './typed.ts'
