/** A version step: the named changes between two adjacent versions. */
import type { CapabilityInfo, MethodInfo } from '../protocol/index.ts'
import type { Operation, Profile, Severity } from './operation.ts'

/** `params` of requests and notifications, `result`, or the error object. */
export type Part = 'params' | 'result' | 'error'

export interface Rule {
  readonly method: string | readonly string[]
  readonly part: Part
  /** Where the operations apply: `''` the part itself, `tools[]` each tool, `capabilities` an object inside. */
  readonly at?: string
  readonly apply: readonly Operation[] | Operation
  /** Which of the change's rules a loss is reported under; the first one unless told. */
  readonly cites?: string
  /** Only in this profile; without it in both. */
  readonly profile?: Profile
  /**
   * True for what only matters on the wire of the target version: the frame of its messages, and fields it no longer
   * has. Sessions write the frame themselves, and keep what a peer of the handshake era said in its own words.
   */
  readonly envelope?: boolean
}

export interface Change {
  readonly name: string
  /** Ids of the rules in `docs/translation.md` this change carries out. */
  readonly rules: readonly string[]
  readonly why: string
  /** What a reader of the older version does not get; absent when nothing is lost. */
  readonly loses?: string
  readonly severity?: Severity
  readonly methods?: {
    readonly added?: readonly MethodInfo[]
    readonly removed?: readonly string[]
    /** Same name, other sender or other needs. */
    readonly changed?: readonly MethodInfo[]
  }
  readonly capabilities?: { readonly added?: readonly CapabilityInfo[]; readonly removed?: readonly string[] }
  /** Names for `supports(version, feature)`. */
  readonly features?: { readonly added?: readonly string[]; readonly removed?: readonly string[] }
  /** From the older to the newer version. */
  readonly up?: readonly Rule[]
  /** From the newer to the older version. */
  readonly down?: readonly Rule[]
}

/**
 * - `shape`: a pure rewrite of one message, carried out by a step.
 * - `flow`: a conversation that takes another form and needs memory.
 * - `transport`: how bytes, headers and streams travel.
 * - `prose`: words or type names changed, messages did not.
 */
export type RuleKind = 'shape' | 'flow' | 'transport' | 'prose'

export type RuleRow = readonly [id: string, kind: RuleKind, summary: string]

/** `handshake` versions open with `initialize`; `stateless` ones carry everything on each request. */
export type Era = 'handshake' | 'stateless'

/** The names of the two versions, and the era of the newer one. */
interface StepNames<To extends string, E extends Era> {
  readonly from: string
  readonly to: To
  readonly era: E
}

export interface Step<To extends string = string, E extends Era = Era> extends StepNames<To, E> {
  /** Every known difference between the two versions. All ids of a step begin with the same letter. */
  readonly rules: readonly RuleRow[]
  readonly changes: readonly Change[]
}

export function defineStep<To extends string, E extends Era>(
  names: StepNames<To, E>,
  rules: readonly RuleRow[],
  changes: readonly Change[],
): Step<To, E> {
  return { ...names, rules, changes }
}

export function change(name: string, definition: Omit<Change, 'name'>): Change {
  return { name, ...definition }
}
