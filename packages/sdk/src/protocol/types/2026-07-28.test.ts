/** The types of 2026-07-28 against those of the official SDK of 2026; checked by tsc. */
import type * as Sdk from '@modelcontextprotocol/server'
import { describe, expectTypeOf, it } from 'vitest'
import type { V20260728 } from '../index.ts'
import type { Disagreeing, Misfitting } from './agreement.fixtures.ts'

type Exact = {
  Annotations: [V20260728.Annotations, Sdk.Annotations]
  AudioContent: [V20260728.AudioContent, Sdk.AudioContent]
  BaseMetadata: [V20260728.BaseMetadata, Sdk.BaseMetadata]
  BlobResourceContents: [V20260728.BlobResourceContents, Sdk.BlobResourceContents]
  BooleanSchema: [V20260728.BooleanSchema, Sdk.BooleanSchema]
  ContentBlock: [V20260728.ContentBlock, Sdk.ContentBlock]
  Cursor: [V20260728.Cursor, Sdk.Cursor]
  EmbeddedResource: [V20260728.EmbeddedResource, Sdk.EmbeddedResource]
  EnumSchema: [V20260728.EnumSchema, Sdk.EnumSchema]
  Icon: [V20260728.Icon, Sdk.Icon]
  Icons: [V20260728.Icons, Sdk.Icons]
  ImageContent: [V20260728.ImageContent, Sdk.ImageContent]
  Implementation: [V20260728.Implementation, Sdk.Implementation]
  InternalError: [V20260728.InternalError, Sdk.InternalError]
  InvalidParamsError: [V20260728.InvalidParamsError, Sdk.InvalidParamsError]
  InvalidRequestError: [V20260728.InvalidRequestError, Sdk.InvalidRequestError]
  JSONArray: [V20260728.JSONArray, Sdk.JSONArray]
  JSONObject: [V20260728.JSONObject, Sdk.JSONObject]
  JSONRPCErrorResponse: [V20260728.JSONRPCErrorResponse, Sdk.JSONRPCErrorResponse]
  JSONRPCNotification: [V20260728.JSONRPCNotification, Sdk.JSONRPCNotification]
  JSONRPCRequest: [V20260728.JSONRPCRequest, Sdk.JSONRPCRequest]
  JSONValue: [V20260728.JSONValue, Sdk.JSONValue]
  LegacyTitledEnumSchema: [V20260728.LegacyTitledEnumSchema, Sdk.LegacyTitledEnumSchema]
  ListRootsRequest: [V20260728.ListRootsRequest, Sdk.ListRootsRequest]
  LoggingLevel: [V20260728.LoggingLevel, Sdk.LoggingLevel]
  LoggingMessageNotificationParams: [V20260728.LoggingMessageNotificationParams, Sdk.LoggingMessageNotificationParams]
  MetaObject: [V20260728.MetaObject, Sdk.MetaObject]
  MethodNotFoundError: [V20260728.MethodNotFoundError, Sdk.MethodNotFoundError]
  ModelHint: [V20260728.ModelHint, Sdk.ModelHint]
  ModelPreferences: [V20260728.ModelPreferences, Sdk.ModelPreferences]
  MultiSelectEnumSchema: [V20260728.MultiSelectEnumSchema, Sdk.MultiSelectEnumSchema]
  Notification: [V20260728.Notification, Sdk.Notification]
  NotificationParams: [V20260728.NotificationParams, Sdk.NotificationParams]
  NumberSchema: [V20260728.NumberSchema, Sdk.NumberSchema]
  ParseError: [V20260728.ParseError, Sdk.ParseError]
  PrimitiveSchemaDefinition: [V20260728.PrimitiveSchemaDefinition, Sdk.PrimitiveSchemaDefinition]
  ProgressNotificationParams: [V20260728.ProgressNotificationParams, Sdk.ProgressNotificationParams]
  ProgressToken: [V20260728.ProgressToken, Sdk.ProgressToken]
  Prompt: [V20260728.Prompt, Sdk.Prompt]
  PromptMessage: [V20260728.PromptMessage, Sdk.PromptMessage]
  Request: [V20260728.Request, Sdk.Request]
  RequestId: [V20260728.RequestId, Sdk.RequestId]
  Resource: [V20260728.Resource, Sdk.Resource]
  ResourceContents: [V20260728.ResourceContents, Sdk.ResourceContents]
  ResourceLink: [V20260728.ResourceLink, Sdk.ResourceLink]
  ResourceTemplateReference: [V20260728.ResourceTemplateReference, Sdk.ResourceTemplateReference]
  ResourceUpdatedNotificationParams: [
    V20260728.ResourceUpdatedNotificationParams,
    Sdk.ResourceUpdatedNotificationParams,
  ]
  ResultMetaObject: [V20260728.ResultMetaObject, Sdk.ResultMetaObject]
  Role: [V20260728.Role, Sdk.Role]
  Root: [V20260728.Root, Sdk.Root]
  SamplingMessage: [V20260728.SamplingMessage, Sdk.SamplingMessage]
  SamplingMessageContentBlock: [V20260728.SamplingMessageContentBlock, Sdk.SamplingMessageContentBlock]
  SingleSelectEnumSchema: [V20260728.SingleSelectEnumSchema, Sdk.SingleSelectEnumSchema]
  StringSchema: [V20260728.StringSchema, Sdk.StringSchema]
  SubscriptionFilter: [V20260728.SubscriptionFilter, Sdk.SubscriptionFilter]
  SubscriptionsAcknowledgedNotificationParams: [
    V20260728.SubscriptionsAcknowledgedNotificationParams,
    Sdk.SubscriptionsAcknowledgedNotificationParams,
  ]
  TextContent: [V20260728.TextContent, Sdk.TextContent]
  TextResourceContents: [V20260728.TextResourceContents, Sdk.TextResourceContents]
  TitledMultiSelectEnumSchema: [V20260728.TitledMultiSelectEnumSchema, Sdk.TitledMultiSelectEnumSchema]
  TitledSingleSelectEnumSchema: [V20260728.TitledSingleSelectEnumSchema, Sdk.TitledSingleSelectEnumSchema]
  ToolAnnotations: [V20260728.ToolAnnotations, Sdk.ToolAnnotations]
  ToolChoice: [V20260728.ToolChoice, Sdk.ToolChoice]
  ToolResultContent: [V20260728.ToolResultContent, Sdk.ToolResultContent]
  ToolUseContent: [V20260728.ToolUseContent, Sdk.ToolUseContent]
  UntitledMultiSelectEnumSchema: [V20260728.UntitledMultiSelectEnumSchema, Sdk.UntitledMultiSelectEnumSchema]
  UntitledSingleSelectEnumSchema: [V20260728.UntitledSingleSelectEnumSchema, Sdk.UntitledSingleSelectEnumSchema]
}

/** Without envelope in that SDK, or looser than in the specification. */
type Compatible = {
  CallToolRequest: [V20260728.CallToolRequest, Sdk.CallToolRequest]
  CallToolRequestParams: [V20260728.CallToolRequestParams, Sdk.CallToolRequestParams]
  CallToolResult: [V20260728.CallToolResult, Sdk.CallToolResult]
  CancelledNotification: [V20260728.CancelledNotification, Sdk.CancelledNotification]
  CancelledNotificationParams: [V20260728.CancelledNotificationParams, Sdk.CancelledNotificationParams]
  ClientNotification: [V20260728.ClientNotification, Sdk.ClientNotification]
  ClientRequest: [V20260728.ClientRequest, Sdk.ClientRequest]
  ClientResult: [V20260728.ClientResult, Sdk.ClientResult]
  CompleteRequest: [V20260728.CompleteRequest, Sdk.CompleteRequest]
  CompleteRequestParams: [V20260728.CompleteRequestParams, Sdk.CompleteRequestParams]
  CompleteResult: [V20260728.CompleteResult, Sdk.CompleteResult]
  DiscoverRequest: [V20260728.DiscoverRequest, Sdk.DiscoverRequest]
  ElicitRequestFormParams: [V20260728.ElicitRequestFormParams, Sdk.ElicitRequestFormParams]
  ElicitResult: [V20260728.ElicitResult, Sdk.ElicitResult]
  EmptyResult: [V20260728.EmptyResult, Sdk.EmptyResult]
  GetPromptRequest: [V20260728.GetPromptRequest, Sdk.GetPromptRequest]
  GetPromptRequestParams: [V20260728.GetPromptRequestParams, Sdk.GetPromptRequestParams]
  GetPromptResult: [V20260728.GetPromptResult, Sdk.GetPromptResult]
  JSONRPCMessage: [V20260728.JSONRPCMessage, Sdk.JSONRPCMessage]
  JSONRPCResponse: [V20260728.JSONRPCResponse, Sdk.JSONRPCResponse]
  JSONRPCResultResponse: [V20260728.JSONRPCResultResponse, Sdk.JSONRPCResultResponse]
  ListPromptsRequest: [V20260728.ListPromptsRequest, Sdk.ListPromptsRequest]
  ListPromptsResult: [V20260728.ListPromptsResult, Sdk.ListPromptsResult]
  ListResourceTemplatesRequest: [V20260728.ListResourceTemplatesRequest, Sdk.ListResourceTemplatesRequest]
  ListResourceTemplatesResult: [V20260728.ListResourceTemplatesResult, Sdk.ListResourceTemplatesResult]
  ListResourcesRequest: [V20260728.ListResourcesRequest, Sdk.ListResourcesRequest]
  ListResourcesResult: [V20260728.ListResourcesResult, Sdk.ListResourcesResult]
  ListRootsResult: [V20260728.ListRootsResult, Sdk.ListRootsResult]
  ListToolsRequest: [V20260728.ListToolsRequest, Sdk.ListToolsRequest]
  ListToolsResult: [V20260728.ListToolsResult, Sdk.ListToolsResult]
  LoggingMessageNotification: [V20260728.LoggingMessageNotification, Sdk.LoggingMessageNotification]
  PaginatedRequest: [V20260728.PaginatedRequest, Sdk.PaginatedRequest]
  PaginatedRequestParams: [V20260728.PaginatedRequestParams, Sdk.PaginatedRequestParams]
  PaginatedResult: [V20260728.PaginatedResult, Sdk.PaginatedResult]
  ProgressNotification: [V20260728.ProgressNotification, Sdk.ProgressNotification]
  PromptArgument: [V20260728.PromptArgument, Sdk.PromptArgument]
  PromptListChangedNotification: [V20260728.PromptListChangedNotification, Sdk.PromptListChangedNotification]
  PromptReference: [V20260728.PromptReference, Sdk.PromptReference]
  ReadResourceRequest: [V20260728.ReadResourceRequest, Sdk.ReadResourceRequest]
  ReadResourceRequestParams: [V20260728.ReadResourceRequestParams, Sdk.ReadResourceRequestParams]
  ReadResourceResult: [V20260728.ReadResourceResult, Sdk.ReadResourceResult]
  RequestMetaObject: [V20260728.RequestMetaObject, Sdk.RequestMetaObject]
  RequestParams: [V20260728.RequestParams, Sdk.RequestParams]
  ResourceListChangedNotification: [V20260728.ResourceListChangedNotification, Sdk.ResourceListChangedNotification]
  ResourceRequestParams: [V20260728.ResourceRequestParams, Sdk.ResourceRequestParams]
  ResourceUpdatedNotification: [V20260728.ResourceUpdatedNotification, Sdk.ResourceUpdatedNotification]
  Result: [V20260728.Result, Sdk.Result]
  ServerNotification: [V20260728.ServerNotification, Sdk.ServerNotification]
  ServerResult: [V20260728.ServerResult, Sdk.ServerResult]
  SubscriptionsAcknowledgedNotification: [
    V20260728.SubscriptionsAcknowledgedNotification,
    Sdk.SubscriptionsAcknowledgedNotification,
  ]
  SubscriptionsListenRequest: [V20260728.SubscriptionsListenRequest, Sdk.SubscriptionsListenRequest]
  SubscriptionsListenRequestParams: [V20260728.SubscriptionsListenRequestParams, Sdk.SubscriptionsListenRequestParams]
  SubscriptionsListenResult: [V20260728.SubscriptionsListenResult, Sdk.SubscriptionsListenResult]
  Tool: [V20260728.Tool, Sdk.Tool]
  ToolListChangedNotification: [V20260728.ToolListChangedNotification, Sdk.ToolListChangedNotification]
}

describe('V1 types of 2026-07-28', () => {
  it('are those of the SDK', () => {
    expectTypeOf<Disagreeing<Exact>>().toBeNever()
  })

  it('fit the SDK where it deviates from the specification', () => {
    expectTypeOf<Misfitting<Compatible>>().toBeNever()
  })

  it('F9 carry the envelope', () => {
    expectTypeOf<V20260728.CallToolResult>().toHaveProperty('resultType')
    expectTypeOf<V20260728.ListToolsResult>().toExtend<{ ttlMs: number; cacheScope: 'public' | 'private' }>()
    expectTypeOf<V20260728.CallToolRequestParams['_meta']>().toExtend<{
      'io.modelcontextprotocol/protocolVersion': string
    }>()
    expectTypeOf<V20260728.Tool>().not.toHaveProperty('execution')
  })
})
