export type * from './acceptor.ts'
export { type AskingOptions, type AskingSettings, askingSettings } from './asking/options.ts'
export { paramsDigest, Seal, type SealKey } from './asking/seal.ts'
export { afterTurns } from './asking/turns.ts'
export { type Clock, type Mint, systemClock, systemMint } from './clock.ts'
export { type DialectLinkOptions, dialectLink } from './dialects/link.ts'
export { spokenVersions } from './dialects/versions.ts'
export { type Duration, milliseconds } from './duration.ts'
export {
  type Answer,
  type Caller,
  type Endpoint,
  type Identity,
  type Inbound,
  InputRequired,
  type Introduction,
  type MessageContext,
  type Retry,
} from './endpoint.ts'
export { LostInDiscovery, refusedHandshake, versionsIn } from './eras/discovery.ts'
export { wasAsked } from './eras/stateless/client/asked.ts'
export { unframed } from './eras/stateless/client/result.ts'
export { declaresExtension, extensionMissing } from './eras/stateless/guard.ts'
export { breach, type Declarations } from './guard.ts'
export { costOf, costOfTexts, MemoryBudgets, type MemoryLimits } from './memory/budgets.ts'
export {
  type Activity,
  type Holder,
  Holders,
  holderOf,
  networkOf,
  type SessionUse,
  sessionToEnd,
} from './memory/making-room.ts'
export { withMetadata } from './metadata.ts'
export type { KeepAliveSettings, SessionEvent, SessionOptions } from './options.ts'
export { awaitsPeer, lastAskedAt } from './outgoing/awaits-peer.ts'
export { endedUnanswered, shutDownUnanswered } from './outgoing/request-errors.ts'
export type { Adopt, LossReason, UnansweredRequest } from './outgoing/unanswered-request.ts'
export {
  admissions,
  admits,
  type ClientPhase,
  clientTransitions,
  next,
  type Phase,
  type PhaseChange,
  type PhaseEvent,
  type PhaseRecord,
  phaseEvents,
  type ServerPhase,
  serverTransitions,
} from './phase.ts'
export type { EngineRequestOptions, Progress, RequestOptions } from './request-options.ts'
export { Session } from './session.ts'
export type {
  CloseOptions,
  ListenFilter,
  ListenOptions,
  ListenRequest,
  NotificationHandler,
  OpenOptions,
  PendingRequest,
} from './session-view.ts'
export { type Answered, compose, type Stage } from './stage.ts'
export type { SessionHealth, SessionStats } from './stats.ts'
export { peerRunsTasks, runsTasks } from './tasks/capability.ts'
export type { TaskOptions } from './tasks/options.ts'
export { isFlatTask, PolledTask, readFlatTask } from './tasks/polled-task.ts'
export { TaskReceiver, type TaskRun } from './tasks/receiver.ts'
export { RemoteTask, requestAsTask, type TaskPeer, type TaskRequestOptions } from './tasks/remote-task.ts'
export { isTask } from './tasks/running-task.ts'
export { isTerminal, taskTransitions } from './tasks/status.ts'
export { StatusProgress } from './tasks/status-progress.ts'
