/** Which definition of the specification describes a part of a method. */
import type { Part } from '../../src/versions/index.ts'

interface Naming {
  /** `Request`, `Result` and `Notification` are put behind it. */
  readonly base: string
  /** Results that carry nothing of their own. */
  readonly empty?: true
}

const requests: Readonly<Record<string, Naming>> = {
  initialize: { base: 'Initialize' },
  ping: { base: 'Ping', empty: true },
  'tools/list': { base: 'ListTools' },
  'tools/call': { base: 'CallTool' },
  'prompts/list': { base: 'ListPrompts' },
  'prompts/get': { base: 'GetPrompt' },
  'resources/list': { base: 'ListResources' },
  'resources/templates/list': { base: 'ListResourceTemplates' },
  'resources/read': { base: 'ReadResource' },
  'resources/subscribe': { base: 'Subscribe', empty: true },
  'resources/unsubscribe': { base: 'Unsubscribe', empty: true },
  'completion/complete': { base: 'Complete' },
  'logging/setLevel': { base: 'SetLevel', empty: true },
  'sampling/createMessage': { base: 'CreateMessage' },
  'roots/list': { base: 'ListRoots' },
  'elicitation/create': { base: 'Elicit' },
  'tasks/get': { base: 'GetTask' },
  'tasks/result': { base: 'GetTaskPayload' },
  'tasks/list': { base: 'ListTasks' },
  'tasks/cancel': { base: 'CancelTask' },
  'tasks/update': { base: 'UpdateTask' },
  'server/discover': { base: 'Discover' },
  'subscriptions/listen': { base: 'SubscriptionsListen' },
}

const notifications: Readonly<Record<string, string>> = {
  'notifications/initialized': 'Initialized',
  'notifications/cancelled': 'Cancelled',
  'notifications/progress': 'Progress',
  'notifications/message': 'LoggingMessage',
  'notifications/tools/list_changed': 'ToolListChanged',
  'notifications/prompts/list_changed': 'PromptListChanged',
  'notifications/resources/list_changed': 'ResourceListChanged',
  'notifications/resources/updated': 'ResourceUpdated',
  'notifications/roots/list_changed': 'RootsListChanged',
  'notifications/elicitation/complete': 'ElicitationComplete',
  'notifications/tasks/status': 'TaskStatus',
  'notifications/tasks': 'TaskStatus',
  'notifications/subscriptions/acknowledged': 'SubscriptionsAcknowledged',
}

export function kindOf(method: string): 'request' | 'notification' {
  return method in notifications ? 'notification' : 'request'
}

/** The definition of what a sender writes for the part; `error` has none that all versions share. */
export function definitionOf(method: string, part: Exclude<Part, 'error'>): string {
  const notification = notifications[method]
  if (notification !== undefined) return `${notification}Notification`
  const named = requests[method]
  if (named === undefined) throw new Error(`No definition is known for ${method}`)
  if (part === 'params') return `${named.base}Request`
  return named.empty === true ? 'EmptyResult' : `${named.base}Result`
}
