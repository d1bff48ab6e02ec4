import type { explain, RuleInfo, Step } from '../src/versions/index.ts'

export function renderTranslation(data: { steps: readonly Step[]; rules: readonly RuleInfo[]; explain: typeof explain }): string
