export type { ClientView } from './asking/client.ts'
export { type Input, type InputWanted, inputRequired } from './asking/input.ts'
export type { AskOptions, ElicitAnswer, TaskWish, UrlAnswer } from './asking/questions.ts'
export type { SampleMessage, SampleParams, SamplePrompt } from './asking/sampling.ts'
export type { CacheHint, CacheOptions } from './cache-hints.ts'
export type { CapabilityReport, Offer } from './capabilities.ts'
export type { Completer, CompletionContext } from './completion.ts'
export { audio, type BlockOptions, embed, image, link, text } from './content/blocks.ts'
export type { Context } from './context.ts'
export type { Definition, DefinitionKind, Presentation } from './definition.ts'
export type { FailureInfo, OnError } from './failure.ts'
export type { ServerHealth } from './health.ts'
export type { ServerInfo, ServerOptions } from './options.ts'
export { assistant, type MessageValue, type PromptValue, user } from './prompts/messages.ts'
export {
  type ArgumentDescription,
  type PromptDefinition,
  type PromptHandler,
  type PromptOptions,
  prompt,
} from './prompts/prompt.ts'
export type { ContentsValue, OneContents } from './resources/contents.ts'
export {
  type ListedResource,
  notFound,
  type ReadValue,
  type ResourceDefinition,
  type ResourceHandler,
  type ResourceOptions,
  resource,
} from './resources/resource.ts'
export { createServer, Server, type ToolsIn } from './server.ts'
export type { SkillContent, SkillSource } from './skills/file.ts'
export { type SkillBody, type SkillDefinition, type SkillOptions, type SkillPlace, skill } from './skills/skill.ts'
export type { CapabilitiesObserver } from './state.ts'
export { type Background, background } from './tools/background.ts'
export type { ShownErrors } from './tools/failure.ts'
export { type ContentValue, type ResultFields, result, ToolResult } from './tools/results.ts'
export {
  type ArgumentsOf,
  type ReturnOf,
  type ToolDefinition,
  type ToolHandler,
  type ToolOptions,
  type ToolReturn,
  tool,
} from './tools/tool.ts'
export type { UriVariables } from './uri/match.ts'
export { type TemplateValue, UriTemplate } from './uri/template.ts'
export type { VariablesOf } from './uri/variables.ts'
