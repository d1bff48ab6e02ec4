/** Groups of methods of 2026-07-28 that share an envelope, caching hints or the right to ask questions. */

/** The version of this step. A later version does not change it. */
export const STATELESS = '2026-07-28'

const listingMethods: readonly string[] = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']

/** Results that say how long and for which clients they may be kept. */
export const cacheableMethods: readonly string[] = [...listingMethods, 'resources/read', 'server/discover']

/** Requests that may be answered with questions. */
export const askingMethods: readonly string[] = ['tools/call', 'prompts/get', 'resources/read']

/** Every request of the version. */
export const requestMethods: readonly string[] = [
  ...cacheableMethods,
  'tools/call',
  'prompts/get',
  'completion/complete',
  'subscriptions/listen',
]

export const notificationMethods: readonly string[] = [
  'notifications/cancelled',
  'notifications/progress',
  'notifications/message',
  'notifications/tools/list_changed',
  'notifications/prompts/list_changed',
  'notifications/resources/list_changed',
  'notifications/resources/updated',
  'notifications/subscriptions/acknowledged',
]
