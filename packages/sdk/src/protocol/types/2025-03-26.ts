/**
 * The types of 2025-03-26 by the names of its schema: 2025-06-18 less titles, `_meta` inside definitions, links,
 * structured output and elicitation; with batches.
 */
import type * as V06 from './2025-06-18.ts'
import type { BareCall, Call, Changed, JsonRpcNotification, JsonRpcRequest, OpenResult, Without } from './framing.ts'

export type {
  CallToolRequest,
  CallToolRequestParams,
  CancelledNotification,
  CancelledNotificationParams,
  ClientNotification,
  CompleteResult,
  Cursor,
  EmptyResult,
  GetPromptRequest,
  GetPromptRequestParams,
  InitializedNotification,
  JSONRPCError,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  ListPromptsRequest,
  ListResourcesRequest,
  ListResourceTemplatesRequest,
  ListRootsRequest,
  ListToolsRequest,
  LoggingLevel,
  LoggingMessageNotification,
  LoggingMessageNotificationParams,
  ModelHint,
  ModelPreferences,
  Notification,
  NotificationParams,
  PaginatedRequest,
  PaginatedRequestParams,
  PaginatedResult,
  PingRequest,
  ProgressNotification,
  ProgressNotificationParams,
  ProgressToken,
  PromptListChangedNotification,
  ReadResourceRequest,
  ReadResourceRequestParams,
  Request,
  RequestId,
  RequestParams,
  ResourceListChangedNotification,
  ResourceUpdatedNotification,
  ResourceUpdatedNotificationParams,
  Result,
  Role,
  RootsListChangedNotification,
  ServerNotification,
  SetLevelRequest,
  SetLevelRequestParams,
  SubscribeRequest,
  SubscribeRequestParams,
  ToolAnnotations,
  ToolListChangedNotification,
  UnsubscribeRequest,
  UnsubscribeRequestParams,
} from './2025-06-18.ts'

// JSON-RPC
export type JSONRPCBatchRequest = (JsonRpcRequest | JsonRpcNotification)[]
export type JSONRPCBatchResponse = (V06.JSONRPCResponse | V06.JSONRPCError)[]
export type JSONRPCMessage = V06.JSONRPCMessage | JSONRPCBatchRequest | JSONRPCBatchResponse

// Life of a session
export type Implementation = Without<V06.Implementation, 'title'>
export type ClientCapabilities = Without<V06.ClientCapabilities, 'elicitation'>
export type ServerCapabilities = V06.ServerCapabilities
export type InitializeRequestParams = Changed<
  V06.InitializeRequestParams,
  { capabilities: ClientCapabilities; clientInfo: Implementation }
>
export type InitializeRequest = Call<'initialize', InitializeRequestParams>
export type InitializeResult = Changed<V06.InitializeResult, { serverInfo: Implementation }>

// Content
export type Annotations = Without<V06.Annotations, 'lastModified'>
type Annotated = { annotations?: Annotations }
export type TextContent = Changed<Without<V06.TextContent, '_meta'>, Annotated>
export type ImageContent = Changed<Without<V06.ImageContent, '_meta'>, Annotated>
export type AudioContent = Changed<Without<V06.AudioContent, '_meta'>, Annotated>
export type ResourceContents = Without<V06.ResourceContents, '_meta'>
export type TextResourceContents = Without<V06.TextResourceContents, '_meta'>
export type BlobResourceContents = Without<V06.BlobResourceContents, '_meta'>
export type EmbeddedResource = Changed<
  Without<V06.EmbeddedResource, '_meta'>,
  Annotated & { resource: TextResourceContents | BlobResourceContents }
>
/** The schema of the version has no name for it. */
export type ContentBlock = TextContent | ImageContent | AudioContent | EmbeddedResource

// Resources
export type Resource = Changed<Without<V06.Resource, 'title' | '_meta'>, Annotated>
export type ResourceTemplate = Changed<Without<V06.ResourceTemplate, 'title' | '_meta'>, Annotated>
export type ListResourcesResult = Changed<V06.ListResourcesResult, { resources: Resource[] }>
export type ListResourceTemplatesResult = Changed<
  V06.ListResourceTemplatesResult,
  { resourceTemplates: ResourceTemplate[] }
>
export type ReadResourceResult = Changed<
  V06.ReadResourceResult,
  { contents: (TextResourceContents | BlobResourceContents)[] }
>

// Tools
export type Tool = Without<V06.Tool, 'title' | 'outputSchema' | '_meta'>
export type ListToolsResult = Changed<V06.ListToolsResult, { tools: Tool[] }>
export type CallToolResult = Changed<Without<V06.CallToolResult, 'structuredContent'>, { content: ContentBlock[] }>

// Prompts and completion
export type PromptArgument = Without<V06.PromptArgument, 'title'>
export type Prompt = Changed<Without<V06.Prompt, 'title' | '_meta'>, { arguments?: PromptArgument[] }>
export type PromptMessage = Changed<V06.PromptMessage, { content: ContentBlock }>
export type ListPromptsResult = Changed<V06.ListPromptsResult, { prompts: Prompt[] }>
export type GetPromptResult = Changed<V06.GetPromptResult, { messages: PromptMessage[] }>
export type PromptReference = Without<V06.PromptReference, 'title'>
export type ResourceReference = V06.ResourceTemplateReference
export type CompleteRequestParams = Changed<
  Without<V06.CompleteRequestParams, 'context'>,
  { ref: PromptReference | ResourceReference }
>
export type CompleteRequest = Call<'completion/complete', CompleteRequestParams>

// Sampling
export type SamplingMessage = Changed<V06.SamplingMessage, { content: TextContent | ImageContent | AudioContent }>
export type CreateMessageRequestParams = Changed<V06.CreateMessageRequestParams, { messages: SamplingMessage[] }>
export type CreateMessageRequest = Call<'sampling/createMessage', CreateMessageRequestParams>
export type CreateMessageResult = Changed<V06.CreateMessageResult, SamplingMessage>

// Roots
export type Root = Without<V06.Root, '_meta'>
export type ListRootsResult = Changed<V06.ListRootsResult, { roots: Root[] }>

// Who may send what
export type ClientRequest =
  | Exclude<V06.ClientRequest, V06.InitializeRequest | V06.CompleteRequest>
  | InitializeRequest
  | CompleteRequest
export type ClientResult = OpenResult | CreateMessageResult | ListRootsResult
export type ServerRequest = BareCall<'ping', V06.RequestParams> | CreateMessageRequest | V06.ListRootsRequest
export type ServerResult =
  | OpenResult
  | InitializeResult
  | V06.CompleteResult
  | GetPromptResult
  | ListPromptsResult
  | ListResourcesResult
  | ListResourceTemplatesResult
  | ReadResourceResult
  | CallToolResult
  | ListToolsResult
