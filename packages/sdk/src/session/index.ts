export type * from './acceptor.ts'
export { type AskingOptions, type AskingSettings, askingSettings } from './asking/options.ts'
export { paramsDigest, Seal, type SealKey } from './asking/seal.ts'
export { afterTurns } from './asking/turns.ts'
export { awaitsPeer, lastAskedAt } from './awaits-peer.ts'
export { type Clock, type Mint, systemClock, systemMint } from './clock.ts'
export { type DialectLinkOptions, dialectLink } from './dialect-link.ts'
export { spokenVersions } from './dialect-versions.ts'
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
export { diedOfProbe, refusedHandshake, versionsIn } from './era.ts'
export { breach, type Declarations } from './guard.ts'
export type { SessionHealth } from './health.ts'
export { type Activity, type Holder, Holders, holderOf, networkOf, type SessionUse, sessionToEnd } from './making-room.ts'
export { costOf, costOfTexts, MemoryBudgets, type MemoryLimits } from './memory.ts'
export { withMetadata } from './metadata.ts'
export type { NotificationHandler } from './notifications.ts'
export type { KeepAliveSettings, Progress, RequestOptions, SessionEvent, SessionOptions } from './options.ts'
export type { Adopt, Orphan, Orphaned } from './orphan.ts'
export type { PendingRequest } from './pending.ts'
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
export { endedUnanswered, shutDownUnanswered } from './request-errors.ts'
export { type CloseOptions, Session } from './session.ts'
export { type Answered, compose, type Stage } from './stage.ts'
export { wasAsked } from './stateless/client-asked.ts'
export type { ListenFilter, Listening, ListenOptions } from './stateless/client-listening.ts'
export type { OpenOptions } from './stateless/client-opening.ts'
export { unframed } from './stateless/client-result.ts'
export { declaresExtension, extensionMissing } from './stateless/guard.ts'
export type { SessionStats } from './stats.ts'
export { peerRunsTasks, runsTasks } from './tasks/capability.ts'
export type { TaskOptions } from './tasks/options.ts'
export { isFlatTask, PolledTask, readFlatTask } from './tasks/polled-task.ts'
export { TaskReceiver, type TaskRun } from './tasks/receiver.ts'
export { RemoteTask, requestAsTask, type TaskPeer, type TaskRequestOptions } from './tasks/remote-task.ts'
export { isTask } from './tasks/running-task.ts'
export { isTerminal, taskTransitions } from './tasks/status.ts'
export { StatusProgress } from './tasks/status-progress.ts'
