export type * from './acceptor.ts'
export { type Clock, type Mint, systemClock, systemMint } from './clock.ts'
export { type Duration, milliseconds } from './duration.ts'
export type { Endpoint, Identity, Inbound, Introduction, MessageContext } from './endpoint.ts'
export { breach, type Declarations } from './guard.ts'
export type { NotificationHandler } from './notifications.ts'
export type { Progress, RequestOptions, SessionEvent, SessionOptions } from './options.ts'
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
export type { PendingRequest } from './requests.ts'
export { type CloseOptions, Session, type SessionHealth } from './session.ts'
export type { SessionStats } from './stats.ts'
