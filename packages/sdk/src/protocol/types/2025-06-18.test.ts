/** The types of 2025-06-18 against those of the official SDK of that time; checked by tsc. */
import type * as Sdk from 'sdk-2025-06-18/types.js'
import { describe, expectTypeOf, it } from 'vitest'
import type { V20250618 } from '../index.ts'
import type { Disagreeing, Misfitting } from './agreement.fixtures.ts'

type Exact = {
  BaseMetadata: [V20250618.BaseMetadata, Sdk.BaseMetadata]
  BlobResourceContents: [V20250618.BlobResourceContents, Sdk.BlobResourceContents]
  BooleanSchema: [V20250618.BooleanSchema, Sdk.BooleanSchema]
  CallToolRequest: [V20250618.CallToolRequest, Sdk.CallToolRequest]
  CallToolResult: [V20250618.CallToolResult, Sdk.CallToolResult]
  CancelledNotification: [V20250618.CancelledNotification, Sdk.CancelledNotification]
  ClientNotification: [V20250618.ClientNotification, Sdk.ClientNotification]
  ClientResult: [V20250618.ClientResult, Sdk.ClientResult]
  CompleteRequest: [V20250618.CompleteRequest, Sdk.CompleteRequest]
  CompleteRequestParams: [V20250618.CompleteRequestParams, Sdk.CompleteRequestParams]
  CompleteResult: [V20250618.CompleteResult, Sdk.CompleteResult]
  CreateMessageResult: [V20250618.CreateMessageResult, Sdk.CreateMessageResult]
  Cursor: [V20250618.Cursor, Sdk.Cursor]
  EmptyResult: [V20250618.EmptyResult, Sdk.EmptyResult]
  GetPromptRequest: [V20250618.GetPromptRequest, Sdk.GetPromptRequest]
  GetPromptRequestParams: [V20250618.GetPromptRequestParams, Sdk.GetPromptRequestParams]
  GetPromptResult: [V20250618.GetPromptResult, Sdk.GetPromptResult]
  InitializedNotification: [V20250618.InitializedNotification, Sdk.InitializedNotification]
  JSONRPCError: [V20250618.JSONRPCError, Sdk.JSONRPCError]
  JSONRPCMessage: [V20250618.JSONRPCMessage, Sdk.JSONRPCMessage]
  JSONRPCNotification: [V20250618.JSONRPCNotification, Sdk.JSONRPCNotification]
  JSONRPCRequest: [V20250618.JSONRPCRequest, Sdk.JSONRPCRequest]
  JSONRPCResponse: [V20250618.JSONRPCResponse, Sdk.JSONRPCResponse]
  ListPromptsRequest: [V20250618.ListPromptsRequest, Sdk.ListPromptsRequest]
  ListPromptsResult: [V20250618.ListPromptsResult, Sdk.ListPromptsResult]
  ListResourceTemplatesRequest: [V20250618.ListResourceTemplatesRequest, Sdk.ListResourceTemplatesRequest]
  ListResourceTemplatesResult: [V20250618.ListResourceTemplatesResult, Sdk.ListResourceTemplatesResult]
  ListResourcesRequest: [V20250618.ListResourcesRequest, Sdk.ListResourcesRequest]
  ListResourcesResult: [V20250618.ListResourcesResult, Sdk.ListResourcesResult]
  ListRootsRequest: [V20250618.ListRootsRequest, Sdk.ListRootsRequest]
  ListRootsResult: [V20250618.ListRootsResult, Sdk.ListRootsResult]
  ListToolsRequest: [V20250618.ListToolsRequest, Sdk.ListToolsRequest]
  LoggingLevel: [V20250618.LoggingLevel, Sdk.LoggingLevel]
  ModelHint: [V20250618.ModelHint, Sdk.ModelHint]
  ModelPreferences: [V20250618.ModelPreferences, Sdk.ModelPreferences]
  Notification: [V20250618.Notification, Sdk.Notification]
  PaginatedRequest: [V20250618.PaginatedRequest, Sdk.PaginatedRequest]
  PaginatedRequestParams: [V20250618.PaginatedRequestParams, Sdk.PaginatedRequestParams]
  PaginatedResult: [V20250618.PaginatedResult, Sdk.PaginatedResult]
  PingRequest: [V20250618.PingRequest, Sdk.PingRequest]
  ProgressNotification: [V20250618.ProgressNotification, Sdk.ProgressNotification]
  ProgressNotificationParams: [V20250618.ProgressNotificationParams, Sdk.ProgressNotificationParams]
  ProgressToken: [V20250618.ProgressToken, Sdk.ProgressToken]
  PromptListChangedNotification: [V20250618.PromptListChangedNotification, Sdk.PromptListChangedNotification]
  PromptMessage: [V20250618.PromptMessage, Sdk.PromptMessage]
  ReadResourceRequest: [V20250618.ReadResourceRequest, Sdk.ReadResourceRequest]
  ReadResourceRequestParams: [V20250618.ReadResourceRequestParams, Sdk.ReadResourceRequestParams]
  ReadResourceResult: [V20250618.ReadResourceResult, Sdk.ReadResourceResult]
  Request: [V20250618.Request, Sdk.Request]
  RequestId: [V20250618.RequestId, Sdk.RequestId]
  ResourceContents: [V20250618.ResourceContents, Sdk.ResourceContents]
  ResourceListChangedNotification: [V20250618.ResourceListChangedNotification, Sdk.ResourceListChangedNotification]
  ResourceTemplateReference: [V20250618.ResourceTemplateReference, Sdk.ResourceTemplateReference]
  ResourceUpdatedNotification: [V20250618.ResourceUpdatedNotification, Sdk.ResourceUpdatedNotification]
  ResourceUpdatedNotificationParams: [
    V20250618.ResourceUpdatedNotificationParams,
    Sdk.ResourceUpdatedNotificationParams,
  ]
  Result: [V20250618.Result, Sdk.Result]
  Root: [V20250618.Root, Sdk.Root]
  RootsListChangedNotification: [V20250618.RootsListChangedNotification, Sdk.RootsListChangedNotification]
  SamplingMessage: [V20250618.SamplingMessage, Sdk.SamplingMessage]
  ServerResult: [V20250618.ServerResult, Sdk.ServerResult]
  SetLevelRequest: [V20250618.SetLevelRequest, Sdk.SetLevelRequest]
  SetLevelRequestParams: [V20250618.SetLevelRequestParams, Sdk.SetLevelRequestParams]
  SubscribeRequest: [V20250618.SubscribeRequest, Sdk.SubscribeRequest]
  SubscribeRequestParams: [V20250618.SubscribeRequestParams, Sdk.SubscribeRequestParams]
  TextResourceContents: [V20250618.TextResourceContents, Sdk.TextResourceContents]
  ToolAnnotations: [V20250618.ToolAnnotations, Sdk.ToolAnnotations]
  ToolListChangedNotification: [V20250618.ToolListChangedNotification, Sdk.ToolListChangedNotification]
  UnsubscribeRequest: [V20250618.UnsubscribeRequest, Sdk.UnsubscribeRequest]
  UnsubscribeRequestParams: [V20250618.UnsubscribeRequestParams, Sdk.UnsubscribeRequestParams]
}

/** Looser, stricter or newer in that SDK than in the specification. */
type Compatible = {
  AudioContent: [V20250618.AudioContent, Sdk.AudioContent]
  ClientCapabilities: [V20250618.ClientCapabilities, Sdk.ClientCapabilities]
  ClientRequest: [V20250618.ClientRequest, Sdk.ClientRequest]
  ContentBlock: [V20250618.ContentBlock, Sdk.ContentBlock]
  CreateMessageRequest: [V20250618.CreateMessageRequest, Sdk.CreateMessageRequest]
  ElicitRequest: [V20250618.ElicitRequest, Sdk.ElicitRequest]
  ElicitResult: [V20250618.ElicitResult, Sdk.ElicitResult]
  EmbeddedResource: [V20250618.EmbeddedResource, Sdk.EmbeddedResource]
  EnumSchema: [V20250618.EnumSchema, Sdk.EnumSchema]
  ImageContent: [V20250618.ImageContent, Sdk.ImageContent]
  Implementation: [V20250618.Implementation, Sdk.Implementation]
  InitializeRequest: [V20250618.InitializeRequest, Sdk.InitializeRequest]
  InitializeResult: [V20250618.InitializeResult, Sdk.InitializeResult]
  ListToolsResult: [V20250618.ListToolsResult, Sdk.ListToolsResult]
  LoggingMessageNotification: [V20250618.LoggingMessageNotification, Sdk.LoggingMessageNotification]
  LoggingMessageNotificationParams: [V20250618.LoggingMessageNotificationParams, Sdk.LoggingMessageNotificationParams]
  NumberSchema: [V20250618.NumberSchema, Sdk.NumberSchema]
  PrimitiveSchemaDefinition: [V20250618.PrimitiveSchemaDefinition, Sdk.PrimitiveSchemaDefinition]
  Prompt: [V20250618.Prompt, Sdk.Prompt]
  PromptArgument: [V20250618.PromptArgument, Sdk.PromptArgument]
  PromptReference: [V20250618.PromptReference, Sdk.PromptReference]
  Resource: [V20250618.Resource, Sdk.Resource]
  ResourceLink: [V20250618.ResourceLink, Sdk.ResourceLink]
  ResourceTemplate: [V20250618.ResourceTemplate, Sdk.ResourceTemplate]
  ServerCapabilities: [V20250618.ServerCapabilities, Sdk.ServerCapabilities]
  ServerNotification: [V20250618.ServerNotification, Sdk.ServerNotification]
  ServerRequest: [V20250618.ServerRequest, Sdk.ServerRequest]
  StringSchema: [V20250618.StringSchema, Sdk.StringSchema]
  TextContent: [V20250618.TextContent, Sdk.TextContent]
  Tool: [V20250618.Tool, Sdk.Tool]
}

describe('V1 types of 2025-06-18', () => {
  it('are those of the SDK', () => {
    expectTypeOf<Disagreeing<Exact>>().toBeNever()
  })

  it('fit the SDK where it deviates from the specification', () => {
    expectTypeOf<Misfitting<Compatible>>().toBeNever()
  })
})
