/** Translates a case the way a session would, and says what came of it. */

import {
  isVerdict,
  type Loss,
  type PlanOptions,
  type Profile,
  type ProtocolVersion,
  plan,
  type Verdict,
  versions,
} from '../../src/versions/index.ts'
import { type Case, contextOf } from './cases.ts'

export const profiles: readonly Profile[] = ['lenient', 'strict']

export interface Translated {
  /** The same reference as the input when there was nothing to do. */
  readonly outcome: unknown
  readonly losses: readonly Loss[]
}

export function translate(message: Case, to: ProtocolVersion, options: PlanOptions = {}): Translated {
  return translateBody(message, message.body, message.version, to, options)
}

/** Another body in the surroundings of the case, such as what an earlier translation made of it. */
export function translateBody(
  message: Case,
  body: unknown,
  from: ProtocolVersion,
  to: ProtocolVersion,
  options: PlanOptions = {},
): Translated {
  const losses: Loss[] = []
  const translation = plan(from, to, message.method, message.part, options)
  const outcome = translation === undefined ? body : translation(body as Case['body'], contextOf(message, losses))
  return { outcome, losses }
}

export function verdictOf(outcome: unknown): Verdict['verdict'] | undefined {
  return isVerdict(outcome) ? outcome.verdict : undefined
}

export interface Pair {
  readonly from: ProtocolVersion
  readonly to: ProtocolVersion
}

/** All ordered pairs of different versions. */
export const pairs: readonly Pair[] = versions.flatMap((from) =>
  versions.filter((to) => to !== from).map((to) => ({ from, to })),
)

export const upward: readonly Pair[] = pairs.filter(({ from, to }) => from < to)
export const downward: readonly Pair[] = pairs.filter(({ from, to }) => from > to)
