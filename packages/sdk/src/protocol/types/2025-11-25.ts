/** The types of 2025-11-25 by the names of its schema: the newest vocabulary, less what only 2026-07-28 has. */
import type { Icon, Meta, NotificationParams, PaginatedParams, PaginatedResult, RequestParams, Role } from './common.ts'
import type { CompleteParams, CompleteResult } from './completion.ts'
import type {
  AudioContent,
  ContentBlock,
  ImageContent,
  ToolResultContent as NewestToolResult,
  TextContent,
  ToolUseContent,
} from './content.ts'
import type { ElicitationCompleteParams, ElicitFormParams, ElicitResult, ElicitUrlParams } from './elicitation.ts'
import type {
  Announced,
  BareCall,
  Call,
  Changed,
  ErrorObject,
  Framed,
  JsonRpcNotification,
  JsonRpcRequest,
  OpenResult,
  Without,
} from './framing.ts'
import type { RetryParams } from './input.ts'
import type {
  CancelledParams,
  InitializeParams,
  ClientCapabilities as NewestClientCapabilities,
  InitializeResult as NewestInitializeResult,
  ServerCapabilities as NewestServerCapabilities,
  ProgressParams,
} from './lifecycle.ts'
import type { LogMessageParams, SetLevelParams } from './logging.ts'
import type { GetPromptParams, GetPromptResult, ListPromptsResult } from './prompts.ts'
import type {
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  ResourceUpdatedParams,
  SubscribeParams,
  TextResourceContents,
  UnsubscribeParams,
} from './resources.ts'
import type { ListRootsResult } from './roots.ts'
import type { CreateMessageParams, CreateMessageResult as NewestCreateMessageResult } from './sampling.ts'
import type {
  CancelTaskParams,
  CancelTaskResult,
  GetTaskParams,
  GetTaskPayloadParams,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksResult,
  TaskMetadata,
  TaskStatusParams,
} from './tasks.ts'
import type {
  CallToolParams,
  CallToolResult as NewestCallToolResult,
  Tool as NewestTool,
  ObjectSchema,
} from './tools.ts'

export type {
  Annotations,
  Cursor,
  Icon,
  Implementation,
  Named as BaseMetadata,
  NotificationParams,
  PaginatedParams as PaginatedRequestParams,
  PaginatedResult,
  ProgressToken,
  RequestId,
  RequestParams,
  Role,
} from './common.ts'
export type {
  CompleteParams as CompleteRequestParams,
  CompleteResult,
  PromptReference,
  ResourceTemplateReference,
} from './completion.ts'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  TextContent,
  ToolUseContent,
} from './content.ts'
export type {
  BooleanSchema,
  ElicitFormParams as ElicitRequestFormParams,
  ElicitResult,
  EnumSchema,
  LegacyTitledEnumSchema,
  MultiSelectEnumSchema,
  NumberSchema,
  PrimitiveSchema as PrimitiveSchemaDefinition,
  SingleSelectEnumSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from './elicitation.ts'
export type {
  ErrorObject as Error,
  JsonRpcNotification as JSONRPCNotification,
  JsonRpcRequest as JSONRPCRequest,
  OpenResult as Result,
} from './framing.ts'
export type { ProgressParams as ProgressNotificationParams } from './lifecycle.ts'
export type {
  LogLevel as LoggingLevel,
  LogMessageParams as LoggingMessageNotificationParams,
  SetLevelParams as SetLevelRequestParams,
} from './logging.ts'
export type { GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage } from './prompts.ts'
export type {
  BlobResourceContents,
  ListResourcesResult,
  ListResourceTemplatesResult,
  ReadResourceResult,
  Resource,
  ResourceTemplate,
  ResourceUpdatedParams as ResourceUpdatedNotificationParams,
  SubscribeParams as SubscribeRequestParams,
  TextResourceContents,
  UnsubscribeParams as UnsubscribeRequestParams,
} from './resources.ts'
export type { ListRootsResult, Root } from './roots.ts'
export type { ModelHint, ModelPreferences, ToolChoice } from './sampling.ts'
export type {
  CancelTaskResult,
  CreateTaskResult,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksResult,
  RelatedTaskMetadata,
  Task,
  TaskMetadata,
  TaskStatus,
  TaskStatusParams as TaskStatusNotificationParams,
} from './tasks.ts'
export type { ToolAnnotations, ToolExecution } from './tools.ts'

export type Icons = { icons?: Icon[] }
export type EmptyResult = OpenResult
export type TaskAugmentedRequestParams = RequestParams & { task?: TaskMetadata }
export type ResourceRequestParams = RequestParams & { uri: string }
export type ResourceContents = Without<TextResourceContents, 'text'>

// JSON-RPC
export type Request = { method: string; params?: Record<string, unknown> }
export type Notification = { method: string; params?: Record<string, unknown> }
export type JSONRPCResultResponse = Framed<{ result: OpenResult }>
export type JSONRPCErrorResponse = { jsonrpc: '2.0'; id?: string | number; error: ErrorObject }
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse
export type JSONRPCMessage = JsonRpcRequest | JsonRpcNotification | JSONRPCResponse
export type URLElicitationRequiredError = Changed<
  JSONRPCErrorResponse,
  { error: ErrorObject & { code: -32042; data: { elicitations: ElicitRequestURLParams[]; [key: string]: unknown } } }
>

// Life of a session
export type ClientCapabilities = Without<NewestClientCapabilities, 'extensions'>
export type ServerCapabilities = Without<NewestServerCapabilities, 'extensions'>
export type InitializeRequestParams = Changed<InitializeParams, { capabilities: ClientCapabilities }>
export type InitializeRequest = Framed<Call<'initialize', InitializeRequestParams>>
export type InitializeResult = Changed<NewestInitializeResult, { capabilities: ServerCapabilities }>
export type InitializedNotification = Announced<BareCall<'notifications/initialized', NotificationParams>>
export type PingRequest = Framed<BareCall<'ping', RequestParams>>
export type CancelledNotificationParams = Changed<CancelledParams, { requestId?: string | number }>
export type CancelledNotification = Announced<Call<'notifications/cancelled', CancelledNotificationParams>>
export type ProgressNotification = Announced<Call<'notifications/progress', ProgressParams>>
export type PaginatedRequest = Framed<BareCall<string, PaginatedParams>>

// Tools
/** Only these keywords are named by the schema of the version; others may be there. */
export type ToolSchema = ObjectSchema & { properties?: Record<string, Record<string, unknown>>; required?: string[] }
export type Tool = Changed<NewestTool, { inputSchema: ToolSchema; outputSchema?: ToolSchema }>
export type ListToolsRequest = Framed<BareCall<'tools/list', PaginatedParams>>
export type ListToolsResult = PaginatedResult & { tools: Tool[] }
export type CallToolRequestParams = Without<CallToolParams, keyof RetryParams>
export type CallToolRequest = Framed<Call<'tools/call', CallToolRequestParams>>
export type CallToolResult = Changed<NewestCallToolResult, { structuredContent?: Record<string, unknown> }>
export type ToolListChangedNotification = Announced<BareCall<'notifications/tools/list_changed', NotificationParams>>

// Resources
export type ListResourcesRequest = Framed<BareCall<'resources/list', PaginatedParams>>
export type ListResourceTemplatesRequest = Framed<BareCall<'resources/templates/list', PaginatedParams>>
export type ReadResourceRequestParams = Without<ReadResourceParams, keyof RetryParams>
export type ReadResourceRequest = Framed<Call<'resources/read', ReadResourceRequestParams>>
export type SubscribeRequest = Framed<Call<'resources/subscribe', SubscribeParams>>
export type UnsubscribeRequest = Framed<Call<'resources/unsubscribe', UnsubscribeParams>>
export type ResourceListChangedNotification = Announced<
  BareCall<'notifications/resources/list_changed', NotificationParams>
>
export type ResourceUpdatedNotification = Announced<Call<'notifications/resources/updated', ResourceUpdatedParams>>

// Prompts and completion
export type ListPromptsRequest = Framed<BareCall<'prompts/list', PaginatedParams>>
export type GetPromptRequestParams = Without<GetPromptParams, keyof RetryParams>
export type GetPromptRequest = Framed<Call<'prompts/get', GetPromptRequestParams>>
export type PromptListChangedNotification = Announced<
  BareCall<'notifications/prompts/list_changed', NotificationParams>
>
export type CompleteRequest = Framed<Call<'completion/complete', CompleteParams>>

// Logging
export type SetLevelRequest = Framed<Call<'logging/setLevel', SetLevelParams>>
export type LoggingMessageNotification = Announced<Call<'notifications/message', LogMessageParams>>

// Sampling
export type ToolResultContent = Changed<
  NewestToolResult,
  { content: ContentBlock[]; structuredContent?: Record<string, unknown> }
>
export type SamplingMessageContentBlock = TextContent | ImageContent | AudioContent | ToolUseContent | ToolResultContent
export type SamplingMessage = {
  role: Role
  content: SamplingMessageContentBlock | SamplingMessageContentBlock[]
  _meta?: Meta
}
export type CreateMessageRequestParams = Changed<CreateMessageParams, { messages: SamplingMessage[]; tools?: Tool[] }>
export type CreateMessageRequest = Framed<Call<'sampling/createMessage', CreateMessageRequestParams>>
export type CreateMessageResult = Changed<NewestCreateMessageResult, SamplingMessage>

// Roots
export type ListRootsRequest = Framed<BareCall<'roots/list', RequestParams>>
export type RootsListChangedNotification = Announced<BareCall<'notifications/roots/list_changed', NotificationParams>>

// Elicitation
export type ElicitRequestURLParams = Changed<ElicitUrlParams, { elicitationId: string }>
export type ElicitRequestParams = ElicitFormParams | ElicitRequestURLParams
export type ElicitRequest = Framed<Call<'elicitation/create', ElicitRequestParams>>
export type ElicitationCompleteNotification = Announced<
  Call<'notifications/elicitation/complete', ElicitationCompleteParams>
>

// Tasks
export type GetTaskRequest = Framed<Call<'tasks/get', GetTaskParams>>
export type GetTaskPayloadRequest = Framed<Call<'tasks/result', GetTaskPayloadParams>>
export type CancelTaskRequest = Framed<Call<'tasks/cancel', CancelTaskParams>>
export type ListTasksRequest = Framed<BareCall<'tasks/list', PaginatedParams>>
export type TaskStatusNotification = Announced<Call<'notifications/tasks/status', TaskStatusParams>>

// Who may send what
type TaskRequest = GetTaskRequest | GetTaskPayloadRequest | ListTasksRequest | CancelTaskRequest
type TaskResult = GetTaskResult | GetTaskPayloadResult | ListTasksResult | CancelTaskResult
export type ClientRequest =
  | PingRequest
  | InitializeRequest
  | CompleteRequest
  | SetLevelRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscribeRequest
  | UnsubscribeRequest
  | CallToolRequest
  | ListToolsRequest
  | TaskRequest
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
  | TaskStatusNotification
export type ClientResult = EmptyResult | CreateMessageResult | ListRootsResult | ElicitResult | TaskResult
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest | TaskRequest
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | ElicitationCompleteNotification
  | TaskStatusNotification
export type ServerResult =
  | EmptyResult
  | InitializeResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult
  | TaskResult
