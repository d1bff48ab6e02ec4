/**
 * Names the rule a test is about, so that the coverage test can find it: `describe(rule('B-06'), …)` with `it('up …')`
 * and `it('down …')`.
 */
import { ruleInfo } from './rules.ts'

export function rule(id: string): string {
  const found = ruleInfo(id)
  if (found === undefined) throw new Error(`There is no rule ${id}`)
  return `${id} ${found.summary}`
}
