/** The types of 2025-03-26 against those of the official SDK of that time; checked by tsc. */
import type * as Sdk from 'sdk-2025-03-26/types.js'
import { describe, expectTypeOf, it } from 'vitest'
import type { V20250326 } from '../index.ts'
import type { Disagreeing, Misfitting } from './agreement.fixtures.ts'

type Exact = {
  BlobResourceContents: [V20250326.BlobResourceContents, Sdk.BlobResourceContents]
  CallToolRequest: [V20250326.CallToolRequest, Sdk.CallToolRequest]
  CancelledNotification: [V20250326.CancelledNotification, Sdk.CancelledNotification]
  ClientNotification: [V20250326.ClientNotification, Sdk.ClientNotification]
  ClientResult: [V20250326.ClientResult, Sdk.ClientResult]
  CompleteRequest: [V20250326.CompleteRequest, Sdk.CompleteRequest]
  CompleteResult: [V20250326.CompleteResult, Sdk.CompleteResult]
  CreateMessageRequest: [V20250326.CreateMessageRequest, Sdk.CreateMessageRequest]
  CreateMessageResult: [V20250326.CreateMessageResult, Sdk.CreateMessageResult]
  Cursor: [V20250326.Cursor, Sdk.Cursor]
  EmptyResult: [V20250326.EmptyResult, Sdk.EmptyResult]
  GetPromptRequest: [V20250326.GetPromptRequest, Sdk.GetPromptRequest]
  GetPromptResult: [V20250326.GetPromptResult, Sdk.GetPromptResult]
  Implementation: [V20250326.Implementation, Sdk.Implementation]
  InitializedNotification: [V20250326.InitializedNotification, Sdk.InitializedNotification]
  JSONRPCError: [V20250326.JSONRPCError, Sdk.JSONRPCError]
  JSONRPCNotification: [V20250326.JSONRPCNotification, Sdk.JSONRPCNotification]
  JSONRPCRequest: [V20250326.JSONRPCRequest, Sdk.JSONRPCRequest]
  JSONRPCResponse: [V20250326.JSONRPCResponse, Sdk.JSONRPCResponse]
  ListPromptsRequest: [V20250326.ListPromptsRequest, Sdk.ListPromptsRequest]
  ListPromptsResult: [V20250326.ListPromptsResult, Sdk.ListPromptsResult]
  ListResourceTemplatesRequest: [V20250326.ListResourceTemplatesRequest, Sdk.ListResourceTemplatesRequest]
  ListResourceTemplatesResult: [V20250326.ListResourceTemplatesResult, Sdk.ListResourceTemplatesResult]
  ListResourcesRequest: [V20250326.ListResourcesRequest, Sdk.ListResourcesRequest]
  ListResourcesResult: [V20250326.ListResourcesResult, Sdk.ListResourcesResult]
  ListRootsRequest: [V20250326.ListRootsRequest, Sdk.ListRootsRequest]
  ListRootsResult: [V20250326.ListRootsResult, Sdk.ListRootsResult]
  ListToolsRequest: [V20250326.ListToolsRequest, Sdk.ListToolsRequest]
  LoggingLevel: [V20250326.LoggingLevel, Sdk.LoggingLevel]
  Notification: [V20250326.Notification, Sdk.Notification]
  PaginatedRequest: [V20250326.PaginatedRequest, Sdk.PaginatedRequest]
  PaginatedResult: [V20250326.PaginatedResult, Sdk.PaginatedResult]
  PingRequest: [V20250326.PingRequest, Sdk.PingRequest]
  ProgressNotification: [V20250326.ProgressNotification, Sdk.ProgressNotification]
  ProgressToken: [V20250326.ProgressToken, Sdk.ProgressToken]
  Prompt: [V20250326.Prompt, Sdk.Prompt]
  PromptArgument: [V20250326.PromptArgument, Sdk.PromptArgument]
  PromptListChangedNotification: [V20250326.PromptListChangedNotification, Sdk.PromptListChangedNotification]
  PromptMessage: [V20250326.PromptMessage, Sdk.PromptMessage]
  PromptReference: [V20250326.PromptReference, Sdk.PromptReference]
  ReadResourceRequest: [V20250326.ReadResourceRequest, Sdk.ReadResourceRequest]
  ReadResourceResult: [V20250326.ReadResourceResult, Sdk.ReadResourceResult]
  Request: [V20250326.Request, Sdk.Request]
  RequestId: [V20250326.RequestId, Sdk.RequestId]
  ResourceContents: [V20250326.ResourceContents, Sdk.ResourceContents]
  ResourceListChangedNotification: [V20250326.ResourceListChangedNotification, Sdk.ResourceListChangedNotification]
  ResourceReference: [V20250326.ResourceReference, Sdk.ResourceReference]
  ResourceUpdatedNotification: [V20250326.ResourceUpdatedNotification, Sdk.ResourceUpdatedNotification]
  Result: [V20250326.Result, Sdk.Result]
  Root: [V20250326.Root, Sdk.Root]
  RootsListChangedNotification: [V20250326.RootsListChangedNotification, Sdk.RootsListChangedNotification]
  SamplingMessage: [V20250326.SamplingMessage, Sdk.SamplingMessage]
  ServerRequest: [V20250326.ServerRequest, Sdk.ServerRequest]
  ServerResult: [V20250326.ServerResult, Sdk.ServerResult]
  SetLevelRequest: [V20250326.SetLevelRequest, Sdk.SetLevelRequest]
  SubscribeRequest: [V20250326.SubscribeRequest, Sdk.SubscribeRequest]
  TextResourceContents: [V20250326.TextResourceContents, Sdk.TextResourceContents]
  ToolAnnotations: [V20250326.ToolAnnotations, Sdk.ToolAnnotations]
  ToolListChangedNotification: [V20250326.ToolListChangedNotification, Sdk.ToolListChangedNotification]
  UnsubscribeRequest: [V20250326.UnsubscribeRequest, Sdk.UnsubscribeRequest]
}

/** Looser, stricter or newer in that SDK than in the specification. */
type Compatible = {
  AudioContent: [V20250326.AudioContent, Sdk.AudioContent]
  CallToolResult: [V20250326.CallToolResult, Sdk.CallToolResult]
  ClientCapabilities: [V20250326.ClientCapabilities, Sdk.ClientCapabilities]
  ClientRequest: [V20250326.ClientRequest, Sdk.ClientRequest]
  EmbeddedResource: [V20250326.EmbeddedResource, Sdk.EmbeddedResource]
  ImageContent: [V20250326.ImageContent, Sdk.ImageContent]
  InitializeRequest: [V20250326.InitializeRequest, Sdk.InitializeRequest]
  InitializeResult: [V20250326.InitializeResult, Sdk.InitializeResult]
  ListToolsResult: [V20250326.ListToolsResult, Sdk.ListToolsResult]
  LoggingMessageNotification: [V20250326.LoggingMessageNotification, Sdk.LoggingMessageNotification]
  Resource: [V20250326.Resource, Sdk.Resource]
  ResourceTemplate: [V20250326.ResourceTemplate, Sdk.ResourceTemplate]
  ServerCapabilities: [V20250326.ServerCapabilities, Sdk.ServerCapabilities]
  ServerNotification: [V20250326.ServerNotification, Sdk.ServerNotification]
  TextContent: [V20250326.TextContent, Sdk.TextContent]
  Tool: [V20250326.Tool, Sdk.Tool]
}

describe('V1 types of 2025-03-26', () => {
  it('are those of the SDK', () => {
    expectTypeOf<Disagreeing<Exact>>().toBeNever()
  })

  it('fit the SDK where it deviates from the specification', () => {
    expectTypeOf<Misfitting<Compatible>>().toBeNever()
  })
})
