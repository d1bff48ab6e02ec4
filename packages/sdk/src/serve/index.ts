export { type FetchHandler, fetchHandler } from './fetch-handler.ts'
export { type HintOptions, turnAway } from './hint.ts'
export {
  type AnswerMode,
  type HttpOptions,
  type Opener,
  principalOf,
  type ServedPaths,
  type SiteOptions,
  type SsePaths,
} from './options.ts'
export { refuse } from './refusal.ts'
export type { Served, ServedMounts } from './served.ts'
export { type Admission, admission, type HeldPlace, type Places, TOO_MANY } from './session-table.ts'
export { HttpSite, type Mount, type Servable } from './site.ts'
export type { Station } from './stations.ts'
