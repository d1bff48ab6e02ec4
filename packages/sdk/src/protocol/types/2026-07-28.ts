/**
 * The types of 2026-07-28 by the names of its schema: the newest vocabulary inside its envelope, less what only the
 * handshake era has.
 */
import type { Icon, Implementation, Meta, PaginatedParams, ProgressToken, RequestId } from './common.ts'
import type * as completion from './completion.ts'
import type { ElicitFormParams, ElicitUrlParams, ElicitResult as NewestElicitResult } from './elicitation.ts'
import type {
  Announced,
  BareCall,
  Call,
  Changed,
  ErrorObject,
  Framed,
  JsonRpcNotification,
  JsonRpcRequest,
  Without,
} from './framing.ts'
import type { RetryParams } from './input.ts'
import type * as lifecycle from './lifecycle.ts'
import type { LogLevel, LogMessageParams } from './logging.ts'
import type * as prompts from './prompts.ts'
import type * as resources from './resources.ts'
import type { Root } from './roots.ts'
import type { CreateMessageParams, CreateMessageResult } from './sampling.ts'
import type * as tools from './tools.ts'

export type {
  Annotations,
  Cursor,
  Icon,
  Implementation,
  Meta as MetaObject,
  Named as BaseMetadata,
  ProgressToken,
  RequestId,
  Role,
} from './common.ts'
export type { PromptReference, ResourceTemplateReference } from './completion.ts'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  SamplingContent as SamplingMessageContentBlock,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from './content.ts'
export type {
  BooleanSchema,
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
} from './framing.ts'
export type { SubscriptionFilter } from './lifecycle.ts'
export type { LogLevel as LoggingLevel } from './logging.ts'
export type { Prompt, PromptArgument, PromptMessage } from './prompts.ts'
export type { BlobResourceContents, Resource, ResourceTemplate, TextResourceContents } from './resources.ts'
export type { Root } from './roots.ts'
export type { CreateMessageResult, ModelHint, ModelPreferences, SamplingMessage, ToolChoice } from './sampling.ts'
export type { ToolAnnotations } from './tools.ts'

export type Icons = { icons?: Icon[] }
export type JSONValue = string | number | boolean | null | JSONObject | JSONArray
export type JSONObject = { [key: string]: JSONValue }
export type JSONArray = JSONValue[]
export type ResourceContents = Without<resources.TextResourceContents, 'text'>

// The envelope
export type RequestMetaObject = Meta & {
  progressToken?: ProgressToken
  'io.modelcontextprotocol/protocolVersion': string
  'io.modelcontextprotocol/clientInfo'?: Implementation
  'io.modelcontextprotocol/clientCapabilities': ClientCapabilities
  'io.modelcontextprotocol/logLevel'?: LogLevel
}
export type NotificationMetaObject = Meta & { 'io.modelcontextprotocol/subscriptionId'?: RequestId }
export type ResultMetaObject = Meta & { 'io.modelcontextprotocol/serverInfo'?: Implementation }
/** Any other string is allowed: extensions have their own. */
export type ResultType = 'complete' | 'input_required' | (string & Record<never, never>)
type Envelope = { _meta?: ResultMetaObject; resultType: ResultType }
type Caching = { ttlMs: number; cacheScope: 'public' | 'private' }
type Sent<Params> = Changed<Params, { _meta: RequestMetaObject }>
type Told<Params> = Changed<Params, { _meta?: NotificationMetaObject }>
type Returned<Body> = Changed<Body, Envelope>
type Cached<Body> = Changed<Body, Envelope & Caching>

// JSON-RPC
export type RequestParams = { _meta: RequestMetaObject }
export type NotificationParams = { _meta?: NotificationMetaObject }
export type Request = { method: string; params?: Record<string, unknown> }
export type Notification = { method: string; params?: Record<string, unknown> }
export type Result = Envelope & { [key: string]: unknown }
export type EmptyResult = Result
export type JSONRPCResultResponse = Answer<Result>
export type JSONRPCErrorResponse = { jsonrpc: '2.0'; id?: RequestId; error: ErrorObject }
export type JSONRPCResponse = JSONRPCResultResponse | JSONRPCErrorResponse
export type JSONRPCMessage = JsonRpcRequest | JsonRpcNotification | JSONRPCResponse
type Answer<Body> = Framed<{ result: Body }>
type Failure<Code extends number, Data> = Changed<JSONRPCErrorResponse, { error: ErrorObject & { code: Code } & Data }>
export type ParseError = ErrorObject & { code: -32700 }
export type InvalidRequestError = ErrorObject & { code: -32600 }
export type MethodNotFoundError = ErrorObject & { code: -32601 }
export type InvalidParamsError = ErrorObject & { code: -32602 }
export type InternalError = ErrorObject & { code: -32603 }
export type HeaderMismatchError = Failure<-32020, unknown>
export type MissingRequiredClientCapabilityError = Failure<
  -32021,
  { data: { requiredCapabilities: ClientCapabilities } }
>
export type UnsupportedProtocolVersionError = Failure<-32022, { data: { supported: string[]; requested: string } }>

// Discovery
export type ClientCapabilities = Changed<
  Without<lifecycle.ClientCapabilities, 'tasks'>,
  { roots?: Record<string, unknown> }
>
export type ServerCapabilities = Without<lifecycle.ServerCapabilities, 'tasks'>
export type DiscoverRequest = Framed<Call<'server/discover', RequestParams>>
export type DiscoverResult = Changed<Cached<lifecycle.DiscoverResult>, { capabilities: ServerCapabilities }>
export type DiscoverResultResponse = Answer<DiscoverResult>

// Questions inside results
export type InputRequest = CreateMessageRequest | ListRootsRequest | ElicitRequest
export type InputResponse = CreateMessageResult | ListRootsResult | ElicitResult
export type InputRequests = Record<string, InputRequest>
export type InputResponses = Record<string, InputResponse>
export type InputRequiredResult = Envelope & { inputRequests?: InputRequests; requestState?: string }
export type InputResponseRequestParams = RequestParams & Retry
type Retry = Changed<RetryParams, { inputResponses?: InputResponses }>
type Retriable<Params> = Changed<Params, Retry & { _meta: RequestMetaObject }>

// Progress, cancellation, pagination, caching
export type CancelledNotificationParams = Told<lifecycle.CancelledParams>
export type CancelledNotification = Announced<Call<'notifications/cancelled', CancelledNotificationParams>>
export type ProgressNotificationParams = Told<lifecycle.ProgressParams>
export type ProgressNotification = Announced<Call<'notifications/progress', ProgressNotificationParams>>
export type PaginatedRequestParams = Sent<PaginatedParams>
export type PaginatedRequest = Framed<Call<string, PaginatedRequestParams>>
export type PaginatedResult = Envelope & { nextCursor?: string }
export type CacheableResult = Envelope & Caching

// Subscriptions
export type SubscriptionsListenRequestParams = Sent<lifecycle.ListenParams>
export type SubscriptionsListenRequest = Framed<Call<'subscriptions/listen', SubscriptionsListenRequestParams>>
export type SubscriptionsListenResultMetaObject = ResultMetaObject & {
  'io.modelcontextprotocol/subscriptionId': RequestId
}
export type SubscriptionsListenResult = { _meta: SubscriptionsListenResultMetaObject; resultType: ResultType }
export type SubscriptionsListenResultResponse = Answer<SubscriptionsListenResult>
export type SubscriptionsAcknowledgedNotificationParams = Told<lifecycle.SubscriptionsAcknowledgedParams>
export type SubscriptionsAcknowledgedNotification = Announced<
  Call<'notifications/subscriptions/acknowledged', SubscriptionsAcknowledgedNotificationParams>
>

// Tools
export type Tool = Without<tools.Tool, 'execution'>
export type ListToolsRequest = Framed<Call<'tools/list', PaginatedRequestParams>>
export type ListToolsResult = Changed<Cached<tools.ListToolsResult>, { tools: Tool[] }>
export type ListToolsResultResponse = Answer<ListToolsResult>
export type CallToolRequestParams = Retriable<Without<tools.CallToolParams, 'task'>>
export type CallToolRequest = Framed<Call<'tools/call', CallToolRequestParams>>
export type CallToolResult = Returned<tools.CallToolResult>
export type CallToolResultResponse = Answer<CallToolResult | InputRequiredResult>
export type ToolListChangedNotification = Announced<BareCall<'notifications/tools/list_changed', NotificationParams>>

// Resources
export type ListResourcesRequest = Framed<Call<'resources/list', PaginatedRequestParams>>
export type ListResourcesResult = Cached<resources.ListResourcesResult>
export type ListResourcesResultResponse = Answer<ListResourcesResult>
export type ListResourceTemplatesRequest = Framed<Call<'resources/templates/list', PaginatedRequestParams>>
export type ListResourceTemplatesResult = Cached<resources.ListResourceTemplatesResult>
export type ListResourceTemplatesResultResponse = Answer<ListResourceTemplatesResult>
export type ResourceRequestParams = RequestParams & { uri: string }
export type ReadResourceRequestParams = Retriable<resources.ReadResourceParams>
export type ReadResourceRequest = Framed<Call<'resources/read', ReadResourceRequestParams>>
export type ReadResourceResult = Cached<resources.ReadResourceResult>
export type ReadResourceResultResponse = Answer<ReadResourceResult | InputRequiredResult>
export type ResourceListChangedNotification = Announced<
  BareCall<'notifications/resources/list_changed', NotificationParams>
>
export type ResourceUpdatedNotificationParams = Told<resources.ResourceUpdatedParams>
export type ResourceUpdatedNotification = Announced<
  Call<'notifications/resources/updated', ResourceUpdatedNotificationParams>
>

// Prompts and completion
export type ListPromptsRequest = Framed<Call<'prompts/list', PaginatedRequestParams>>
export type ListPromptsResult = Cached<prompts.ListPromptsResult>
export type ListPromptsResultResponse = Answer<ListPromptsResult>
export type GetPromptRequestParams = Retriable<prompts.GetPromptParams>
export type GetPromptRequest = Framed<Call<'prompts/get', GetPromptRequestParams>>
export type GetPromptResult = Returned<prompts.GetPromptResult>
export type GetPromptResultResponse = Answer<GetPromptResult | InputRequiredResult>
export type PromptListChangedNotification = Announced<
  BareCall<'notifications/prompts/list_changed', NotificationParams>
>
export type CompleteRequestParams = Sent<completion.CompleteParams>
export type CompleteRequest = Framed<Call<'completion/complete', CompleteRequestParams>>
export type CompleteResult = Returned<completion.CompleteResult>
export type CompleteResultResponse = Answer<CompleteResult>

// Logging
export type LoggingMessageNotificationParams = Told<LogMessageParams>
export type LoggingMessageNotification = Announced<Call<'notifications/message', LoggingMessageNotificationParams>>

// What a server asks: no messages of their own but parts of a result, so without envelope
export type CreateMessageRequestParams = Changed<Without<CreateMessageParams, 'task' | '_meta'>, { tools?: Tool[] }>
export type CreateMessageRequest = Call<'sampling/createMessage', CreateMessageRequestParams>
export type ListRootsRequest = BareCall<'roots/list', { _meta?: Meta }>
export type ListRootsResult = { roots: Root[] }
export type ElicitRequestFormParams = Without<ElicitFormParams, 'task' | '_meta'>
export type ElicitRequestURLParams = Without<ElicitUrlParams, 'elicitationId' | 'task' | '_meta'>
export type ElicitRequestParams = ElicitRequestFormParams | ElicitRequestURLParams
export type ElicitRequest = Call<'elicitation/create', ElicitRequestParams>
export type ElicitResult = Without<NewestElicitResult, '_meta'>

// Who may send what
export type ClientRequest =
  | DiscoverRequest
  | CompleteRequest
  | GetPromptRequest
  | ListPromptsRequest
  | ListResourcesRequest
  | ListResourceTemplatesRequest
  | ReadResourceRequest
  | SubscriptionsListenRequest
  | CallToolRequest
  | ListToolsRequest
export type ClientNotification = CancelledNotification
export type ClientResult = EmptyResult
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
  | SubscriptionsAcknowledgedNotification
export type ServerResult =
  | EmptyResult
  | DiscoverResult
  | CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | ReadResourceResult
  | SubscriptionsListenResult
  | CallToolResult
  | ListToolsResult
  | InputRequiredResult
