export { type FetchHandler, fetchHandler } from './fetch-handler.ts'
export type { AnswerMode, HttpOptions, SsePaths } from './options.ts'
export { refuse } from './refusal.ts'
export { HttpSite, type Mount, type Servable } from './site.ts'
