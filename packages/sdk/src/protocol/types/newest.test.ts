/**
 * The newest vocabulary against the official SDK of 2026, which keeps the envelope out of its types, too; checked by
 * tsc.
 */
import type * as Sdk from '@modelcontextprotocol/server'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type Annotations,
  type AudioContent,
  type BlobResourceContents,
  type BooleanSchema,
  baseMethods,
  type CallToolParams,
  type CallToolResult,
  type CancelledParams,
  type CancelTaskResult,
  type CompleteParams,
  type CompleteResult,
  type ContentBlock,
  type CreateTaskResult,
  type Cursor,
  type ElicitFormParams,
  type ElicitResult,
  type EmbeddedResource,
  type EmptyResult,
  type EnumSchema,
  type GetPromptParams,
  type GetPromptResult,
  type GetTaskPayloadResult,
  type GetTaskResult,
  type Icon,
  type ImageContent,
  type Implementation,
  type LegacyTitledEnumSchema,
  type ListenParams,
  type ListPromptsResult,
  type ListResourcesResult,
  type ListResourceTemplatesResult,
  type ListRootsResult,
  type ListTasksResult,
  type ListToolsResult,
  type LogLevel,
  type LogMessageParams,
  logLevels,
  type ModelHint,
  type ModelPreferences,
  type MultiSelectEnumSchema,
  type Named,
  type NotificationMethod,
  type NotificationParams,
  type NumberSchema,
  type PaginatedParams,
  type PaginatedResult,
  type PrimitiveSchema,
  type ProgressParams,
  type ProgressToken,
  type Prompt,
  type PromptArgument,
  type PromptMessage,
  type PromptReference,
  type ReadResourceParams,
  type ReadResourceResult,
  type RelatedTaskMetadata,
  type RequestId,
  type RequestMethod,
  type RequestParams,
  type Requests,
  type Resource,
  type ResourceContents,
  type ResourceLink,
  type ResourceTemplateReference,
  type ResourceUpdatedParams,
  type Role,
  type Root,
  type SamplingContent,
  type SamplingMessage,
  type SetLevelParams,
  type SingleSelectEnumSchema,
  type StringSchema,
  type SubscribeParams,
  type SubscriptionFilter,
  type SubscriptionsAcknowledgedParams,
  type Task,
  type TaskMetadata,
  type TaskStatus,
  type TaskStatusParams,
  type TextContent,
  type TextResourceContents,
  type TitledMultiSelectEnumSchema,
  type TitledSingleSelectEnumSchema,
  type Tool,
  type ToolAnnotations,
  type ToolChoice,
  type ToolExecution,
  type ToolResultContent,
  type ToolUseContent,
  type UnsubscribeParams,
  type UntitledMultiSelectEnumSchema,
  type UntitledSingleSelectEnumSchema,
} from '../index.ts'
import type { Disagreeing, Misfitting } from './agreement.fixtures.ts'

type Exact = {
  Annotations: [Annotations, Sdk.Annotations]
  Cursor: [Cursor, Sdk.Cursor]
  EmptyResult: [EmptyResult, Sdk.EmptyResult]
  Icon: [Icon, Sdk.Icon]
  Implementation: [Implementation, Sdk.Implementation]
  Named: [Named, Sdk.BaseMetadata]
  NotificationParams: [NotificationParams, Sdk.NotificationParams]
  PaginatedParams: [PaginatedParams, Sdk.PaginatedRequestParams]
  PaginatedResult: [PaginatedResult, Sdk.PaginatedResult]
  ProgressToken: [ProgressToken, Sdk.ProgressToken]
  RequestId: [RequestId, Sdk.RequestId]
  RequestParams: [RequestParams, Sdk.RequestParams]
  Role: [Role, Sdk.Role]
  CompleteParams: [CompleteParams, Sdk.CompleteRequestParams]
  CompleteResult: [CompleteResult, Sdk.CompleteResult]
  ResourceTemplateReference: [ResourceTemplateReference, Sdk.ResourceTemplateReference]
  AudioContent: [AudioContent, Sdk.AudioContent]
  ContentBlock: [ContentBlock, Sdk.ContentBlock]
  EmbeddedResource: [EmbeddedResource, Sdk.EmbeddedResource]
  ImageContent: [ImageContent, Sdk.ImageContent]
  ResourceLink: [ResourceLink, Sdk.ResourceLink]
  SamplingContent: [SamplingContent, Sdk.SamplingMessageContentBlock]
  TextContent: [TextContent, Sdk.TextContent]
  ToolResultContent: [ToolResultContent, Sdk.ToolResultContent]
  ToolUseContent: [ToolUseContent, Sdk.ToolUseContent]
  BooleanSchema: [BooleanSchema, Sdk.BooleanSchema]
  ElicitFormParams: [ElicitFormParams, Sdk.ElicitRequestFormParams]
  ElicitResult: [ElicitResult, Sdk.ElicitResult]
  EnumSchema: [EnumSchema, Sdk.EnumSchema]
  LegacyTitledEnumSchema: [LegacyTitledEnumSchema, Sdk.LegacyTitledEnumSchema]
  MultiSelectEnumSchema: [MultiSelectEnumSchema, Sdk.MultiSelectEnumSchema]
  NumberSchema: [NumberSchema, Sdk.NumberSchema]
  PrimitiveSchema: [PrimitiveSchema, Sdk.PrimitiveSchemaDefinition]
  SingleSelectEnumSchema: [SingleSelectEnumSchema, Sdk.SingleSelectEnumSchema]
  StringSchema: [StringSchema, Sdk.StringSchema]
  TitledMultiSelectEnumSchema: [TitledMultiSelectEnumSchema, Sdk.TitledMultiSelectEnumSchema]
  TitledSingleSelectEnumSchema: [TitledSingleSelectEnumSchema, Sdk.TitledSingleSelectEnumSchema]
  UntitledMultiSelectEnumSchema: [UntitledMultiSelectEnumSchema, Sdk.UntitledMultiSelectEnumSchema]
  UntitledSingleSelectEnumSchema: [UntitledSingleSelectEnumSchema, Sdk.UntitledSingleSelectEnumSchema]
  ListenParams: [ListenParams, Sdk.SubscriptionsListenRequestParams]
  ProgressParams: [ProgressParams, Sdk.ProgressNotificationParams]
  SubscriptionFilter: [SubscriptionFilter, Sdk.SubscriptionFilter]
  SubscriptionsAcknowledgedParams: [SubscriptionsAcknowledgedParams, Sdk.SubscriptionsAcknowledgedNotificationParams]
  LogLevel: [LogLevel, Sdk.LoggingLevel]
  LogMessageParams: [LogMessageParams, Sdk.LoggingMessageNotificationParams]
  SetLevelParams: [SetLevelParams, Sdk.SetLevelRequestParams]
  GetPromptResult: [GetPromptResult, Sdk.GetPromptResult]
  ListPromptsResult: [ListPromptsResult, Sdk.ListPromptsResult]
  Prompt: [Prompt, Sdk.Prompt]
  PromptMessage: [PromptMessage, Sdk.PromptMessage]
  BlobResourceContents: [BlobResourceContents, Sdk.BlobResourceContents]
  ListResourcesResult: [ListResourcesResult, Sdk.ListResourcesResult]
  ListResourceTemplatesResult: [ListResourceTemplatesResult, Sdk.ListResourceTemplatesResult]
  ReadResourceResult: [ReadResourceResult, Sdk.ReadResourceResult]
  Resource: [Resource, Sdk.Resource]
  ResourceUpdatedParams: [ResourceUpdatedParams, Sdk.ResourceUpdatedNotificationParams]
  SubscribeParams: [SubscribeParams, Sdk.SubscribeRequestParams]
  TextResourceContents: [TextResourceContents, Sdk.TextResourceContents]
  UnsubscribeParams: [UnsubscribeParams, Sdk.UnsubscribeRequestParams]
  ListRootsResult: [ListRootsResult, Sdk.ListRootsResult]
  Root: [Root, Sdk.Root]
  ModelHint: [ModelHint, Sdk.ModelHint]
  ModelPreferences: [ModelPreferences, Sdk.ModelPreferences]
  SamplingMessage: [SamplingMessage, Sdk.SamplingMessage]
  ToolChoice: [ToolChoice, Sdk.ToolChoice]
  CancelTaskResult: [CancelTaskResult, Sdk.CancelTaskResult]
  CreateTaskResult: [CreateTaskResult, Sdk.CreateTaskResult]
  GetTaskPayloadResult: [GetTaskPayloadResult, Sdk.GetTaskPayloadResult]
  GetTaskResult: [GetTaskResult, Sdk.GetTaskResult]
  ListTasksResult: [ListTasksResult, Sdk.ListTasksResult]
  RelatedTaskMetadata: [RelatedTaskMetadata, Sdk.RelatedTaskMetadata]
  Task: [Task, Sdk.Task]
  TaskMetadata: [TaskMetadata, Sdk.TaskMetadata]
  TaskStatus: [TaskStatus, Sdk.TaskStatus]
  TaskStatusParams: [TaskStatusParams, Sdk.TaskStatusNotificationParams]
  CallToolResult: [CallToolResult, Sdk.CallToolResult]
  ListToolsResult: [ListToolsResult, Sdk.ListToolsResult]
  Tool: [Tool, Sdk.Tool]
  ToolAnnotations: [ToolAnnotations, Sdk.ToolAnnotations]
  ToolExecution: [ToolExecution, Sdk.ToolExecution]
}

/** Looser in that SDK than in the specification. */
type Compatible = {
  PromptReference: [PromptReference, Sdk.PromptReference]
  CancelledParams: [CancelledParams, Sdk.CancelledNotificationParams]
  GetPromptParams: [GetPromptParams, Sdk.GetPromptRequestParams]
  PromptArgument: [PromptArgument, Sdk.PromptArgument]
  ReadResourceParams: [ReadResourceParams, Sdk.ReadResourceRequestParams]
  ResourceContents: [ResourceContents, Sdk.ResourceContents]
  CallToolParams: [CallToolParams, Sdk.CallToolRequestParams]
}

describe('the comparison of types', () => {
  it('notices what is missing, optional, different or extra', () => {
    type Pairs = {
      same: [{ a: string; b?: number }, { [key: string]: unknown; a: string; b?: number }]
      missing: [{ a: string }, { a: string; b?: number }]
      extra: [{ a: string; b?: number }, { a: string }]
      optional: [{ a?: string }, { a: string }]
      different: [{ a: string }, { a: number }]
    }
    expectTypeOf<Disagreeing<Pairs>>().toEqualTypeOf<'missing' | 'extra' | 'optional' | 'different'>()
    expectTypeOf<Misfitting<Pairs>>().toEqualTypeOf<'optional' | 'different'>()
  })
})

describe('V1 the newest vocabulary', () => {
  it('is that of the SDK', () => {
    expectTypeOf<Disagreeing<Exact>>().toBeNever()
    expectTypeOf<Misfitting<Compatible>>().toBeNever()
  })

  it('is made of plain records, so that sessions take it without a cast', () => {
    expectTypeOf<Requests[RequestMethod]['params']>().toExtend<Record<string, unknown>>()
    expectTypeOf<Requests[RequestMethod]['result']>().toExtend<Record<string, unknown>>()
  })

  it('names every method of the oldest version', () => {
    const known: Record<RequestMethod | NotificationMethod, true> = {
      initialize: true,
      'server/discover': true,
      'subscriptions/listen': true,
      ping: true,
      'tools/list': true,
      'tools/call': true,
      'prompts/list': true,
      'prompts/get': true,
      'resources/list': true,
      'resources/templates/list': true,
      'resources/read': true,
      'resources/subscribe': true,
      'resources/unsubscribe': true,
      'completion/complete': true,
      'logging/setLevel': true,
      'sampling/createMessage': true,
      'roots/list': true,
      'elicitation/create': true,
      'tasks/get': true,
      'tasks/result': true,
      'tasks/list': true,
      'tasks/cancel': true,
      'notifications/initialized': true,
      'notifications/cancelled': true,
      'notifications/progress': true,
      'notifications/message': true,
      'notifications/tools/list_changed': true,
      'notifications/prompts/list_changed': true,
      'notifications/resources/list_changed': true,
      'notifications/resources/updated': true,
      'notifications/roots/list_changed': true,
      'notifications/elicitation/complete': true,
      'notifications/tasks/status': true,
      'notifications/subscriptions/acknowledged': true,
    }
    expect(baseMethods.filter((method) => !Object.hasOwn(known, method.name))).toEqual([])
  })

  it('F5 orders log levels from the least to the most severe', () => {
    expect(logLevels).toEqual(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'])
  })
})
