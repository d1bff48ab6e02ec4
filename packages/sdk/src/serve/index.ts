export { type FetchHandler, fetchHandler } from './fetch-handler.ts'
export {
  type AnswerMode,
  type HttpOptions,
  type Opener,
  principalOf,
  type ServedPaths,
  type SiteOptions,
  type SsePaths,
} from './options.ts'
export { type HintOptions, refuseWithHint } from './responses/hint.ts'
export { refuse } from './responses/refusal.ts'
export {
  type Admission,
  admission,
  type SessionSlot,
  type SessionSlots,
  TOO_MANY_SESSIONS,
} from './sessions/session-table.ts'
export type { Served, ServedMounts } from './site/served.ts'
export { HttpSite, type Mount, type Servable } from './site/site.ts'
export type { SiteRoute } from './site/site-routes.ts'
