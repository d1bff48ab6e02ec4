/**
 * One step in the order of everything that happens to a request: it may answer, refuse, or hand the request to the next
 * step.
 */
import type { Answer, Inbound } from './endpoint.ts'

export type Answered = Answer | Promise<Answer>

export type Stage<C extends Inbound = Inbound> = (call: C, next: (call: C) => Answered) => Answered

/**
 * One function of all stages, the first outermost. Without a stage it is `last` itself. What is synchronous stays so.
 */
export function compose<C extends Inbound>(
  stages: readonly Stage<C>[],
  last: (call: C) => Answered,
): (call: C) => Answered {
  return stages.reduceRight<(call: C) => Answered>((next, stage) => (call) => stage(call, next), last)
}
