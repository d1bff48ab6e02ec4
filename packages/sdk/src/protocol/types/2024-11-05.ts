/**
 * The types of 2024-11-05 by the names of its schema: 2025-03-26 less audio, tool annotations, completions as a
 * capability, progress messages and batches.
 */
import type * as V03 from './2025-03-26.ts'
import type { Call, Changed, OpenResult, Without } from './framing.ts'

export type {
  BlobResourceContents,
  CallToolRequest,
  CallToolRequestParams,
  CancelledNotification,
  CancelledNotificationParams,
  ClientCapabilities,
  ClientRequest,
  CompleteRequest,
  CompleteRequestParams,
  CompleteResult,
  Cursor,
  EmbeddedResource,
  EmptyResult,
  GetPromptRequest,
  GetPromptRequestParams,
  ImageContent,
  Implementation,
  InitializedNotification,
  InitializeRequest,
  InitializeRequestParams,
  JSONRPCError,
  JSONRPCNotification,
  JSONRPCRequest,
  JSONRPCResponse,
  ListPromptsRequest,
  ListPromptsResult,
  ListResourcesRequest,
  ListResourcesResult,
  ListResourceTemplatesRequest,
  ListResourceTemplatesResult,
  ListRootsRequest,
  ListRootsResult,
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
  ProgressToken,
  Prompt,
  PromptArgument,
  PromptListChangedNotification,
  PromptReference,
  ReadResourceRequest,
  ReadResourceRequestParams,
  ReadResourceResult,
  Request,
  RequestId,
  RequestParams,
  Resource,
  ResourceContents,
  ResourceListChangedNotification,
  ResourceReference,
  ResourceTemplate,
  ResourceUpdatedNotification,
  ResourceUpdatedNotificationParams,
  Result,
  Role,
  Root,
  RootsListChangedNotification,
  SetLevelRequest,
  SetLevelRequestParams,
  SubscribeRequest,
  SubscribeRequestParams,
  TextContent,
  TextResourceContents,
  ToolListChangedNotification,
  UnsubscribeRequest,
  UnsubscribeRequestParams,
} from './2025-03-26.ts'

// JSON-RPC
export type JSONRPCMessage = V03.JSONRPCRequest | V03.JSONRPCNotification | V03.JSONRPCResponse | V03.JSONRPCError

// Life of a session
export type ServerCapabilities = Without<V03.ServerCapabilities, 'completions'>
export type InitializeResult = Changed<V03.InitializeResult, { capabilities: ServerCapabilities }>
export type ProgressNotificationParams = Without<V03.ProgressNotificationParams, 'message'>
export type ProgressNotification = Call<'notifications/progress', ProgressNotificationParams>

// Content
export type Annotated = { annotations?: V03.Annotations }
/** The schema of the version has no name for it. */
export type ContentBlock = V03.TextContent | V03.ImageContent | V03.EmbeddedResource

// Tools
export type Tool = Without<V03.Tool, 'annotations'>
export type ListToolsResult = Changed<V03.ListToolsResult, { tools: Tool[] }>
export type CallToolResult = Changed<V03.CallToolResult, { content: ContentBlock[] }>

// Prompts
export type PromptMessage = Changed<V03.PromptMessage, { content: ContentBlock }>
export type GetPromptResult = Changed<V03.GetPromptResult, { messages: PromptMessage[] }>

// Sampling
export type SamplingMessage = Changed<V03.SamplingMessage, { content: V03.TextContent | V03.ImageContent }>
export type CreateMessageRequestParams = Changed<V03.CreateMessageRequestParams, { messages: SamplingMessage[] }>
export type CreateMessageRequest = Call<'sampling/createMessage', CreateMessageRequestParams>
export type CreateMessageResult = Changed<V03.CreateMessageResult, SamplingMessage>

// Who may send what
export type ClientNotification =
  | V03.CancelledNotification
  | ProgressNotification
  | V03.InitializedNotification
  | V03.RootsListChangedNotification
export type ClientResult = OpenResult | CreateMessageResult | V03.ListRootsResult
export type ServerRequest = V03.PingRequest | CreateMessageRequest | V03.ListRootsRequest
export type ServerNotification =
  | V03.CancelledNotification
  | ProgressNotification
  | V03.LoggingMessageNotification
  | V03.ResourceUpdatedNotification
  | V03.ResourceListChangedNotification
  | V03.ToolListChangedNotification
  | V03.PromptListChangedNotification
export type ServerResult =
  | OpenResult
  | InitializeResult
  | V03.CompleteResult
  | GetPromptResult
  | V03.ListPromptsResult
  | V03.ListResourcesResult
  | V03.ListResourceTemplatesResult
  | V03.ReadResourceResult
  | CallToolResult
  | ListToolsResult
