export { BatchAnswer, type SplitBatch, splitBatch } from './batch.ts'
export { type Change, change, defineStep, type Part, type Rule, type Step } from './change.ts'
export { type Action, type Entry, type ExplainOptions, type Explanation, explain, explainText } from './explain.ts'
export { capabilitiesOf, features, methodIn, methodsOf, sendable, supports } from './methods.ts'
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
export { type RuleInfo, type RuleKind, ruleInfo, rules } from './rules.ts'
export { steps } from './steps/index.ts'
export { becomeResult, drop, isVerdict, refuse, type Verdict } from './verdict.ts'
