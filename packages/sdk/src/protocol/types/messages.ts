/** Which parameters and which result belong to a method, in the newest vocabulary. */
import type { EmptyResult, NotificationParams, RequestParams } from './common.ts'
import type { CompleteParams, CompleteResult } from './completion.ts'
import type { ElicitationCompleteParams, ElicitParams, ElicitResult } from './elicitation.ts'
import type {
  CancelledParams,
  DiscoverParams,
  DiscoverResult,
  InitializeParams,
  InitializeResult,
  ListenParams,
  ListenResult,
  ProgressParams,
  SubscriptionsAcknowledgedParams,
} from './lifecycle.ts'
import type { LogMessageParams, SetLevelParams } from './logging.ts'
import type { GetPromptParams, GetPromptResult, ListPromptsParams, ListPromptsResult } from './prompts.ts'
import type {
  ListResourcesParams,
  ListResourcesResult,
  ListResourceTemplatesParams,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  ResourceUpdatedParams,
  SubscribeParams,
  UnsubscribeParams,
} from './resources.ts'
import type { ListRootsParams, ListRootsResult } from './roots.ts'
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts'
import type {
  CancelTaskParams,
  CancelTaskResult,
  GetTaskParams,
  GetTaskPayloadParams,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksParams,
  ListTasksResult,
  TaskStatusParams,
} from './tasks.ts'
import type { CallToolParams, CallToolResult, ListToolsParams, ListToolsResult } from './tools.ts'

/** Every request of every version. */
export type Requests = {
  initialize: { params: InitializeParams; result: InitializeResult }
  'server/discover': { params: DiscoverParams; result: DiscoverResult }
  'subscriptions/listen': { params: ListenParams; result: ListenResult }
  ping: { params: RequestParams; result: EmptyResult }
  'tools/list': { params: ListToolsParams; result: ListToolsResult }
  'tools/call': { params: CallToolParams; result: CallToolResult }
  'prompts/list': { params: ListPromptsParams; result: ListPromptsResult }
  'prompts/get': { params: GetPromptParams; result: GetPromptResult }
  'resources/list': { params: ListResourcesParams; result: ListResourcesResult }
  'resources/templates/list': { params: ListResourceTemplatesParams; result: ListResourceTemplatesResult }
  'resources/read': { params: ReadResourceParams; result: ReadResourceResult }
  'resources/subscribe': { params: SubscribeParams; result: EmptyResult }
  'resources/unsubscribe': { params: UnsubscribeParams; result: EmptyResult }
  'completion/complete': { params: CompleteParams; result: CompleteResult }
  'logging/setLevel': { params: SetLevelParams; result: EmptyResult }
  'sampling/createMessage': { params: CreateMessageParams; result: CreateMessageResult }
  'roots/list': { params: ListRootsParams; result: ListRootsResult }
  'elicitation/create': { params: ElicitParams; result: ElicitResult }
  'tasks/get': { params: GetTaskParams; result: GetTaskResult }
  'tasks/result': { params: GetTaskPayloadParams; result: GetTaskPayloadResult }
  'tasks/list': { params: ListTasksParams; result: ListTasksResult }
  'tasks/cancel': { params: CancelTaskParams; result: CancelTaskResult }
}

/** Every notification of every version. */
export type Notifications = {
  'notifications/initialized': NotificationParams
  'notifications/cancelled': CancelledParams
  'notifications/progress': ProgressParams
  'notifications/message': LogMessageParams
  'notifications/tools/list_changed': NotificationParams
  'notifications/prompts/list_changed': NotificationParams
  'notifications/resources/list_changed': NotificationParams
  'notifications/resources/updated': ResourceUpdatedParams
  'notifications/roots/list_changed': NotificationParams
  'notifications/elicitation/complete': ElicitationCompleteParams
  'notifications/tasks/status': TaskStatusParams
  'notifications/subscriptions/acknowledged': SubscriptionsAcknowledgedParams
}

export type RequestMethod = keyof Requests

export type NotificationMethod = keyof Notifications
