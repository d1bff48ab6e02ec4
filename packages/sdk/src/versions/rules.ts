/** The rules of all steps. Steps, tests and `docs/translation.md` cite their ids. */
import type { RuleKind, RuleRow } from './change.ts'
import { steps } from './version.ts'

export interface RuleInfo {
  readonly id: string
  readonly kind: RuleKind
  readonly summary: string
}

/** These hold within one version: a server sent what its own version does not allow. */
const inEveryVersion: readonly RuleRow[] = [
  [
    'R-01',
    'flow',
    'A definition in a list that clients would refuse is mended where that does no harm, and else left out alone.',
  ],
  ['R-02', 'flow', 'A result that is none of its method is mended where that does no harm, and else becomes an error.'],
]

export const rules: readonly RuleInfo[] = [...steps.flatMap((step) => step.rules), ...inEveryVersion].map(
  ([id, kind, summary]) => ({ id, kind, summary }),
)

const byId: ReadonlyMap<string, RuleInfo> = new Map(rules.map((rule) => [rule.id, rule]))

export function ruleInfo(id: string): RuleInfo | undefined {
  return byId.get(id)
}
