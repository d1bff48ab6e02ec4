/** Shared by the tests of this step: both directions, what was lost on the way, and what was refused. */
import type { Body } from '../../../jsonrpc/index.ts'
import type { Part } from '../../change.ts'
import type { Loss, TranslationContext } from '../../operation.ts'
import { type PlanOptions, plan } from '../../plan.ts'
import { isVerdict, type Verdict } from '../../verdict.ts'

export const V11 = '2025-11-25'
export const V26 = '2026-07-28'
export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
export const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'
export const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'

export const client: Body = { name: 'c', version: '1' }
export const server: Body = { name: 's', version: '2' }
export const text = (value: string): Body => ({ type: 'text', text: value })

export type Outcome = Body | undefined | Verdict

export function translate(
  from: typeof V11 | typeof V26,
  method: string,
  part: Part,
  value: Body | undefined,
  context?: TranslationContext,
  options?: PlanOptions,
): Outcome {
  const made = plan(from, from === V11 ? V26 : V11, method, part, options)
  return made === undefined ? value : made(value, context)
}

export const up = (method: string, part: Part, value: Body | undefined, context?: TranslationContext): Outcome =>
  translate(V11, method, part, value, context)
export const down = (method: string, part: Part, value: Body | undefined, context?: TranslationContext): Outcome =>
  translate(V26, method, part, value, context)

export function withLosses(run: (context: TranslationContext) => Outcome): { outcome: Outcome; losses: string[] } {
  const found: Loss[] = []
  const outcome = run({ onLoss: (loss) => found.push(loss) })
  return { outcome, losses: found.map(({ rule, path, severity }) => `${rule} ${severity} ${path}`) }
}

export function refusal(outcome: Outcome): string {
  if (!isVerdict(outcome) || outcome.verdict !== 'refuse') throw new Error(`not refused: ${JSON.stringify(outcome)}`)
  return `${outcome.error.code} ${outcome.error.message}`
}
