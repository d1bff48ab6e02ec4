export { baseCapabilities, type Capabilities, type CapabilityInfo, declares, splitPath } from './capabilities.ts'
export { extensionMethods, mutualExtensions, RELATED_TASK, SKILLS_EXTENSION, TASKS_EXTENSION } from './extensions.ts'
export { decodeHeader, encodeHeader, HEADERS, namedBy } from './headers.ts'
export {
  baseMethods,
  type CapabilityPath,
  type MethodInfo,
  maySend,
  notification,
  request,
  type Sender,
  type Side,
} from './methods.ts'
export type * as V20241105 from './types/2024-11-05.ts'
export type * as V20250326 from './types/2025-03-26.ts'
export type * as V20250618 from './types/2025-06-18.ts'
export type * as V20251125 from './types/2025-11-25.ts'
export type * as V20260728 from './types/2026-07-28.ts'
export type {
  Annotations,
  Cursor,
  EmptyResult,
  Icon,
  Implementation,
  Meta,
  Named,
  NotificationParams,
  PaginatedParams,
  PaginatedResult,
  ProgressToken,
  RequestId,
  RequestMeta,
  RequestParams,
  Role,
} from './types/common.ts'
export type { CompleteParams, CompleteResult, PromptReference, ResourceTemplateReference } from './types/completion.ts'
export type {
  AudioContent,
  ContentBlock,
  EmbeddedResource,
  ImageContent,
  ResourceLink,
  SamplingContent,
  TextContent,
  ToolResultContent,
  ToolUseContent,
} from './types/content.ts'
export type {
  BooleanSchema,
  ElicitAction,
  ElicitationCompleteParams,
  ElicitFormParams,
  ElicitParams,
  ElicitResult,
  ElicitUrlParams,
  ElicitValue,
  EnumSchema,
  FormSchema,
  LegacyTitledEnumSchema,
  MultiSelectEnumSchema,
  NumberSchema,
  PrimitiveSchema,
  SingleSelectEnumSchema,
  StringSchema,
  TitledMultiSelectEnumSchema,
  TitledSingleSelectEnumSchema,
  UntitledMultiSelectEnumSchema,
  UntitledSingleSelectEnumSchema,
} from './types/elicitation.ts'
export type {
  InputRequest,
  InputRequests,
  InputRequiredResult,
  InputResponse,
  InputResponses,
  RetryParams,
} from './types/input.ts'
export type {
  CancelledParams,
  ClientCapabilities,
  Details,
  DiscoverParams,
  DiscoverResult,
  InitializeParams,
  InitializeResult,
  ListenParams,
  ListenResult,
  ProgressParams,
  ServerCapabilities,
  SubscriptionFilter,
  SubscriptionsAcknowledgedParams,
} from './types/lifecycle.ts'
export { type LogLevel, type LogMessageParams, logLevels, type SetLevelParams } from './types/logging.ts'
export type { NotificationMethod, Notifications, RequestMethod, Requests } from './types/messages.ts'
export type {
  GetPromptParams,
  GetPromptResult,
  ListPromptsParams,
  ListPromptsResult,
  Prompt,
  PromptArgument,
  PromptMessage,
} from './types/prompts.ts'
export type {
  BlobResourceContents,
  ListResourcesParams,
  ListResourcesResult,
  ListResourceTemplatesParams,
  ListResourceTemplatesResult,
  ReadResourceParams,
  ReadResourceResult,
  Resource,
  ResourceContents,
  ResourceTemplate,
  ResourceUpdatedParams,
  SubscribeParams,
  TextResourceContents,
  UnsubscribeParams,
} from './types/resources.ts'
export type { ListRootsParams, ListRootsResult, Root } from './types/roots.ts'
export type {
  CreateMessageParams,
  CreateMessageResult,
  IncludeContext,
  ModelHint,
  ModelPreferences,
  SamplingMessage,
  StopReason,
  ToolChoice,
} from './types/sampling.ts'
export type {
  CancelTaskParams,
  CancelTaskResult,
  CreateTaskResult,
  GetTaskParams,
  GetTaskPayloadParams,
  GetTaskPayloadResult,
  GetTaskResult,
  ListTasksParams,
  ListTasksResult,
  RelatedTaskMetadata,
  Task,
  TaskMetadata,
  TaskStatus,
  TaskStatusParams,
} from './types/tasks.ts'
export type {
  CallToolParams,
  CallToolResult,
  JsonSchema,
  ListToolsParams,
  ListToolsResult,
  ObjectSchema,
  Tool,
  ToolAnnotations,
  ToolExecution,
} from './types/tools.ts'
