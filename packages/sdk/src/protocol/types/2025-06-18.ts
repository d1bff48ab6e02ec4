/**
 * The types of 2025-06-18 by the names of its schema: 2025-11-25 less icons, tasks, tools in sampling, URL elicitation
 * and choices in forms.
 */
import type * as V11 from './2025-11-25.ts'
import type {
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
import type { Details } from './lifecycle.ts'

export type {
  Annotations,
  AudioContent,
  BaseMetadata,
  BlobResourceContents,
  BooleanSchema,
  CompleteRequestParams,
  CompleteResult,
  Cursor,
  EmbeddedResource,
  EmptyResult,
  GetPromptRequestParams,
  ImageContent,
  JSONRPCNotification,
  JSONRPCRequest,
  ListRootsResult,
  LoggingLevel,
  LoggingMessageNotificationParams,
  ModelHint,
  ModelPreferences,
  Notification,
  NotificationParams,
  PaginatedRequestParams,
  PaginatedResult,
  ProgressNotificationParams,
  ProgressToken,
  PromptArgument,
  PromptReference,
  ReadResourceRequestParams,
  ReadResourceResult,
  Request,
  RequestId,
  RequestParams,
  ResourceContents,
  ResourceTemplateReference,
  ResourceUpdatedNotificationParams,
  Result,
  Role,
  Root,
  SetLevelRequestParams,
  SubscribeRequestParams,
  TextContent,
  TextResourceContents,
  ToolAnnotations,
  UnsubscribeRequestParams,
} from './2025-11-25.ts'

// JSON-RPC
export type JSONRPCResponse = V11.JSONRPCResultResponse
export type JSONRPCError = Framed<{ error: ErrorObject }>
export type JSONRPCMessage = JsonRpcRequest | JsonRpcNotification | JSONRPCResponse | JSONRPCError

// Life of a session
export type Implementation = Without<V11.Implementation, 'icons' | 'description' | 'websiteUrl'>
export type ClientCapabilities = Changed<
  Without<V11.ClientCapabilities, 'tasks'>,
  { sampling?: Details; elicitation?: Details }
>
export type ServerCapabilities = Without<V11.ServerCapabilities, 'tasks'>
export type InitializeRequestParams = Changed<
  V11.InitializeRequestParams,
  { capabilities: ClientCapabilities; clientInfo: Implementation }
>
export type InitializeRequest = Call<'initialize', InitializeRequestParams>
export type InitializeResult = Changed<
  V11.InitializeResult,
  { capabilities: ServerCapabilities; serverInfo: Implementation }
>
export type InitializedNotification = BareCall<'notifications/initialized', V11.NotificationParams>
export type PingRequest = BareCall<'ping', V11.RequestParams>
export type CancelledNotificationParams = Changed<V11.CancelledNotificationParams, { requestId: V11.RequestId }>
export type CancelledNotification = Call<'notifications/cancelled', CancelledNotificationParams>
export type ProgressNotification = Call<'notifications/progress', V11.ProgressNotificationParams>
export type PaginatedRequest = BareCall<string, V11.PaginatedRequestParams>

// Resources
export type Resource = Without<V11.Resource, 'icons'>
export type ResourceTemplate = Without<V11.ResourceTemplate, 'icons'>
export type ListResourcesRequest = BareCall<'resources/list', V11.PaginatedRequestParams>
export type ListResourcesResult = Changed<V11.ListResourcesResult, { resources: Resource[] }>
export type ListResourceTemplatesRequest = BareCall<'resources/templates/list', V11.PaginatedRequestParams>
export type ListResourceTemplatesResult = Changed<
  V11.ListResourceTemplatesResult,
  { resourceTemplates: ResourceTemplate[] }
>
export type ReadResourceRequest = Call<'resources/read', V11.ReadResourceRequestParams>
export type SubscribeRequest = Call<'resources/subscribe', V11.SubscribeRequestParams>
export type UnsubscribeRequest = Call<'resources/unsubscribe', V11.UnsubscribeRequestParams>
export type ResourceListChangedNotification = BareCall<'notifications/resources/list_changed', V11.NotificationParams>
export type ResourceUpdatedNotification = Call<'notifications/resources/updated', V11.ResourceUpdatedNotificationParams>

// Content
export type ResourceLink = Without<V11.ResourceLink, 'icons'>
export type ContentBlock = V11.TextContent | V11.ImageContent | V11.AudioContent | ResourceLink | V11.EmbeddedResource

// Tools
export type Tool = Without<V11.Tool, 'icons' | 'execution'>
export type ListToolsRequest = BareCall<'tools/list', V11.PaginatedRequestParams>
export type ListToolsResult = Changed<V11.ListToolsResult, { tools: Tool[] }>
export type CallToolRequestParams = Without<V11.CallToolRequestParams, 'task'>
export type CallToolRequest = Call<'tools/call', CallToolRequestParams>
export type CallToolResult = Changed<V11.CallToolResult, { content: ContentBlock[] }>
export type ToolListChangedNotification = BareCall<'notifications/tools/list_changed', V11.NotificationParams>

// Prompts and completion
export type Prompt = Without<V11.Prompt, 'icons'>
export type PromptMessage = Changed<V11.PromptMessage, { content: ContentBlock }>
export type ListPromptsRequest = BareCall<'prompts/list', V11.PaginatedRequestParams>
export type ListPromptsResult = Changed<V11.ListPromptsResult, { prompts: Prompt[] }>
export type GetPromptRequest = Call<'prompts/get', V11.GetPromptRequestParams>
export type GetPromptResult = Changed<V11.GetPromptResult, { messages: PromptMessage[] }>
export type PromptListChangedNotification = BareCall<'notifications/prompts/list_changed', V11.NotificationParams>
export type CompleteRequest = Call<'completion/complete', V11.CompleteRequestParams>

// Logging
export type SetLevelRequest = Call<'logging/setLevel', V11.SetLevelRequestParams>
export type LoggingMessageNotification = Call<'notifications/message', V11.LoggingMessageNotificationParams>

// Sampling
export type SamplingMessage = { role: V11.Role; content: V11.TextContent | V11.ImageContent | V11.AudioContent }
export type CreateMessageRequestParams = Changed<
  Without<V11.CreateMessageRequestParams, 'tools' | 'toolChoice' | 'task'>,
  { messages: SamplingMessage[] }
>
export type CreateMessageRequest = Call<'sampling/createMessage', CreateMessageRequestParams>
export type CreateMessageResult = Changed<V11.CreateMessageResult, SamplingMessage>

// Roots
export type ListRootsRequest = BareCall<'roots/list', V11.RequestParams>
export type RootsListChangedNotification = BareCall<'notifications/roots/list_changed', V11.NotificationParams>

// Elicitation
export type StringSchema = Without<V11.StringSchema, 'default'>
export type NumberSchema = Without<V11.NumberSchema, 'default'>
export type EnumSchema = Without<V11.LegacyTitledEnumSchema, 'default'>
export type PrimitiveSchemaDefinition = StringSchema | NumberSchema | V11.BooleanSchema | EnumSchema
export type ElicitRequestParams = Changed<
  Without<V11.ElicitRequestFormParams, 'mode' | 'task'>,
  { requestedSchema: { type: 'object'; properties: Record<string, PrimitiveSchemaDefinition>; required?: string[] } }
>
export type ElicitRequest = Call<'elicitation/create', ElicitRequestParams>
export type ElicitResult = Changed<V11.ElicitResult, { content?: Record<string, string | number | boolean> }>

// Who may send what
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
export type ClientNotification =
  | CancelledNotification
  | ProgressNotification
  | InitializedNotification
  | RootsListChangedNotification
export type ClientResult = OpenResult | CreateMessageResult | V11.ListRootsResult | ElicitResult
export type ServerRequest = PingRequest | CreateMessageRequest | ListRootsRequest | ElicitRequest
export type ServerNotification =
  | CancelledNotification
  | ProgressNotification
  | LoggingMessageNotification
  | ResourceUpdatedNotification
  | ResourceListChangedNotification
  | ToolListChangedNotification
  | PromptListChangedNotification
export type ServerResult =
  | OpenResult
  | InitializeResult
  | V11.CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourceTemplatesResult
  | ListResourcesResult
  | V11.ReadResourceResult
  | CallToolResult
  | ListToolsResult
