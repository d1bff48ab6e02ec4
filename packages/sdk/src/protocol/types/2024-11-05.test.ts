/** The types of 2024-11-05 against those of the official SDK of that time; checked by tsc. */
import type * as Sdk from 'sdk-2024-11-05/types.js'
import { describe, expectTypeOf, it } from 'vitest'
import type { V20241105 } from '../index.ts'
import type { Disagreeing, Misfitting } from './agreement.fixtures.ts'

type Exact = {
  BlobResourceContents: [V20241105.BlobResourceContents, Sdk.BlobResourceContents]
  CallToolRequest: [V20241105.CallToolRequest, Sdk.CallToolRequest]
  CallToolResult: [V20241105.CallToolResult, Sdk.CallToolResult]
  CancelledNotification: [V20241105.CancelledNotification, Sdk.CancelledNotification]
  ClientNotification: [V20241105.ClientNotification, Sdk.ClientNotification]
  ClientResult: [V20241105.ClientResult, Sdk.ClientResult]
  CompleteRequest: [V20241105.CompleteRequest, Sdk.CompleteRequest]
  CompleteResult: [V20241105.CompleteResult, Sdk.CompleteResult]
  CreateMessageRequest: [V20241105.CreateMessageRequest, Sdk.CreateMessageRequest]
  CreateMessageResult: [V20241105.CreateMessageResult, Sdk.CreateMessageResult]
  Cursor: [V20241105.Cursor, Sdk.Cursor]
  EmptyResult: [V20241105.EmptyResult, Sdk.EmptyResult]
  GetPromptRequest: [V20241105.GetPromptRequest, Sdk.GetPromptRequest]
  GetPromptResult: [V20241105.GetPromptResult, Sdk.GetPromptResult]
  Implementation: [V20241105.Implementation, Sdk.Implementation]
  InitializedNotification: [V20241105.InitializedNotification, Sdk.InitializedNotification]
  JSONRPCError: [V20241105.JSONRPCError, Sdk.JSONRPCError]
  JSONRPCMessage: [V20241105.JSONRPCMessage, Sdk.JSONRPCMessage]
  JSONRPCNotification: [V20241105.JSONRPCNotification, Sdk.JSONRPCNotification]
  JSONRPCRequest: [V20241105.JSONRPCRequest, Sdk.JSONRPCRequest]
  JSONRPCResponse: [V20241105.JSONRPCResponse, Sdk.JSONRPCResponse]
  ListPromptsRequest: [V20241105.ListPromptsRequest, Sdk.ListPromptsRequest]
  ListPromptsResult: [V20241105.ListPromptsResult, Sdk.ListPromptsResult]
  ListResourceTemplatesRequest: [V20241105.ListResourceTemplatesRequest, Sdk.ListResourceTemplatesRequest]
  ListResourceTemplatesResult: [V20241105.ListResourceTemplatesResult, Sdk.ListResourceTemplatesResult]
  ListResourcesRequest: [V20241105.ListResourcesRequest, Sdk.ListResourcesRequest]
  ListResourcesResult: [V20241105.ListResourcesResult, Sdk.ListResourcesResult]
  ListRootsRequest: [V20241105.ListRootsRequest, Sdk.ListRootsRequest]
  ListRootsResult: [V20241105.ListRootsResult, Sdk.ListRootsResult]
  ListToolsRequest: [V20241105.ListToolsRequest, Sdk.ListToolsRequest]
  LoggingLevel: [V20241105.LoggingLevel, Sdk.LoggingLevel]
  Notification: [V20241105.Notification, Sdk.Notification]
  PaginatedRequest: [V20241105.PaginatedRequest, Sdk.PaginatedRequest]
  PaginatedResult: [V20241105.PaginatedResult, Sdk.PaginatedResult]
  PingRequest: [V20241105.PingRequest, Sdk.PingRequest]
  ProgressNotification: [V20241105.ProgressNotification, Sdk.ProgressNotification]
  ProgressToken: [V20241105.ProgressToken, Sdk.ProgressToken]
  Prompt: [V20241105.Prompt, Sdk.Prompt]
  PromptArgument: [V20241105.PromptArgument, Sdk.PromptArgument]
  PromptListChangedNotification: [V20241105.PromptListChangedNotification, Sdk.PromptListChangedNotification]
  PromptMessage: [V20241105.PromptMessage, Sdk.PromptMessage]
  PromptReference: [V20241105.PromptReference, Sdk.PromptReference]
  ReadResourceRequest: [V20241105.ReadResourceRequest, Sdk.ReadResourceRequest]
  ReadResourceResult: [V20241105.ReadResourceResult, Sdk.ReadResourceResult]
  Request: [V20241105.Request, Sdk.Request]
  RequestId: [V20241105.RequestId, Sdk.RequestId]
  ResourceContents: [V20241105.ResourceContents, Sdk.ResourceContents]
  ResourceListChangedNotification: [V20241105.ResourceListChangedNotification, Sdk.ResourceListChangedNotification]
  ResourceReference: [V20241105.ResourceReference, Sdk.ResourceReference]
  ResourceUpdatedNotification: [V20241105.ResourceUpdatedNotification, Sdk.ResourceUpdatedNotification]
  Result: [V20241105.Result, Sdk.Result]
  Root: [V20241105.Root, Sdk.Root]
  RootsListChangedNotification: [V20241105.RootsListChangedNotification, Sdk.RootsListChangedNotification]
  SamplingMessage: [V20241105.SamplingMessage, Sdk.SamplingMessage]
  ServerRequest: [V20241105.ServerRequest, Sdk.ServerRequest]
  ServerResult: [V20241105.ServerResult, Sdk.ServerResult]
  SetLevelRequest: [V20241105.SetLevelRequest, Sdk.SetLevelRequest]
  SubscribeRequest: [V20241105.SubscribeRequest, Sdk.SubscribeRequest]
  TextResourceContents: [V20241105.TextResourceContents, Sdk.TextResourceContents]
  ToolListChangedNotification: [V20241105.ToolListChangedNotification, Sdk.ToolListChangedNotification]
  UnsubscribeRequest: [V20241105.UnsubscribeRequest, Sdk.UnsubscribeRequest]
}

/** Looser, stricter or newer in that SDK than in the specification. */
type Compatible = {
  ClientCapabilities: [V20241105.ClientCapabilities, Sdk.ClientCapabilities]
  ClientRequest: [V20241105.ClientRequest, Sdk.ClientRequest]
  EmbeddedResource: [V20241105.EmbeddedResource, Sdk.EmbeddedResource]
  ImageContent: [V20241105.ImageContent, Sdk.ImageContent]
  InitializeRequest: [V20241105.InitializeRequest, Sdk.InitializeRequest]
  InitializeResult: [V20241105.InitializeResult, Sdk.InitializeResult]
  ListToolsResult: [V20241105.ListToolsResult, Sdk.ListToolsResult]
  LoggingMessageNotification: [V20241105.LoggingMessageNotification, Sdk.LoggingMessageNotification]
  Resource: [V20241105.Resource, Sdk.Resource]
  ResourceTemplate: [V20241105.ResourceTemplate, Sdk.ResourceTemplate]
  ServerCapabilities: [V20241105.ServerCapabilities, Sdk.ServerCapabilities]
  ServerNotification: [V20241105.ServerNotification, Sdk.ServerNotification]
  TextContent: [V20241105.TextContent, Sdk.TextContent]
  Tool: [V20241105.Tool, Sdk.Tool]
}

describe('V1 types of 2024-11-05', () => {
  it('are those of the SDK', () => {
    expectTypeOf<Disagreeing<Exact>>().toBeNever()
  })

  it('fit the SDK where it deviates from the specification', () => {
    expectTypeOf<Misfitting<Compatible>>().toBeNever()
  })
})
