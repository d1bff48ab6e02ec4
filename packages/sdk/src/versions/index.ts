export { BatchAnswer, type SplitBatch, splitBatch } from './batch.ts'
export {
  type Change,
  change,
  defineStep,
  type Era,
  type Part,
  type Rule,
  type RuleKind,
  type RuleRow,
  type Step,
} from './change.ts'
export { clientCapabilitiesIn } from './declared.ts'
export {
  type BadDefinition,
  DEFINITION_RULE,
  definitionsIn,
  emptyIfUnknown,
  type ReadableList,
  readableList,
} from './definitions/lists.ts'
export { type ReadableResult, readableResult } from './definitions/results.ts'
export {
  type Dialect,
  type DialectDirection,
  type DialectName,
  type DialectPlan,
  dialect,
  dialectNames,
  dialectPlan,
  isDialect,
  type MethodKind,
} from './dialects/dialect.ts'
export { type Action, type Entry, type ExplainOptions, type Explanation, explain, explainText } from './explain.ts'
export { type Crossing, type Flow, type FlowVerdict, flows } from './flows/flows.ts'
export { type InputDemand, type Question, readInputRequired, validResponses } from './flows/question-shapes.ts'
export {
  beginQuestions,
  type OpenQuestion,
  type QuestionsEffect,
  type QuestionsEvent,
  type QuestionsLimits,
  type QuestionsState,
  type QuestionsStep,
  stepQuestions,
} from './flows/questions.ts'
export { type HeaderParam, headerObjection, headerParamsOf, headersFor } from './header-params.ts'
export { capabilitiesOf, features, isKnownMethod, methodIn, methodsOf, sendable, supports } from './methods.ts'
export {
  defaults,
  type Edit,
  type EditContext,
  edit,
  type Loss,
  Many,
  type Operation,
  omit,
  omitSilently,
  type Profile,
  rename,
  type Severity,
  split,
  type TranslationContext,
} from './operation.ts'
export { type Plan, type PlanOptions, path, plan } from './plan.ts'
export { type RuleInfo, ruleInfo, rules } from './rules.ts'
export { sha256 } from './sha256.ts'
export {
  capabilitiesDown,
  clientCapabilitiesUp,
  extensionLosses,
  serverCapabilitiesUp,
} from './steps/2026-07-28/capabilities.ts'
export { META } from './steps/2026-07-28/envelope.ts'
export { askingMethods, cacheableMethods } from './steps/2026-07-28/methods.ts'
export {
  createTaskResultToExtension,
  detailedTask,
  outcomeOf as outcomeOfTask,
  taskFromExtension,
  taskToExtension,
} from './steps/2026-07-28/tasks-shape.ts'
export { becomeResult, drop, isVerdict, refuse, type Verdict } from './verdict.ts'
export {
  eraOf,
  type HandshakeVersion,
  handshakeVersions,
  isAtLeast,
  isVersion,
  isVersionString,
  negotiate,
  newestHandshakeVersion,
  newestVersion,
  oldestVersion,
  type ProtocolVersion,
  steps,
  unsupportedVersion,
  versions,
} from './version.ts'
