/** Translates one message in a test: the input is frozen, losses are collected, and verdicts are easy to compare. */
import type { Body } from '../jsonrpc/index.ts'
import type { Part } from './change.ts'
import type { TranslationContext } from './operation.ts'
import { type PlanOptions, plan } from './plan.ts'
import { isVerdict } from './verdict.ts'
import type { ProtocolVersion } from './version.ts'

export const V24: ProtocolVersion = '2024-11-05'
export const V03: ProtocolVersion = '2025-03-26'
export const V06: ProtocolVersion = '2025-06-18'
export const V11: ProtocolVersion = '2025-11-25'

export interface Translated {
  /** The message, or `refuse -32602`, `drop`, `result {…}`. */
  readonly outcome: Body | string | undefined
  /** `rule severity path`, in order. */
  readonly losses: readonly string[]
  /** Not enumerable, so that outcome and losses can be compared as a whole. */
  readonly reason: string
}

export function translate(
  [from, to]: readonly [ProtocolVersion, ProtocolVersion],
  [method, part]: readonly [string, Part],
  value: Body | undefined,
  options: PlanOptions & TranslationContext = {},
): Translated {
  const losses: string[] = []
  const frozen = freeze(value)
  const { profile, scope, ...context } = options
  const made = plan(from, to, method, part, { ...(profile && { profile }), ...(scope && { scope }) })
  const outcome =
    made === undefined
      ? frozen
      : made(frozen, { ...context, onLoss: ({ rule, severity, path }) => losses.push(`${rule} ${severity} ${path}`) })
  if (!isVerdict(outcome)) return translated(outcome, losses)
  if (outcome.verdict === 'refuse') return translated(`refuse ${outcome.error.code}`, losses, outcome.error.message)
  if (outcome.verdict === 'drop') return translated('drop', losses, outcome.reason)
  return translated(`result ${JSON.stringify(outcome.result)}`, losses)
}

function translated(outcome: Translated['outcome'], losses: readonly string[], reason = ''): Translated {
  return Object.defineProperty({ outcome, losses }, 'reason', { value: reason }) as Translated
}

export function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value
  for (const inner of Object.values(value)) freeze(inner)
  return Object.freeze(value)
}
