/** Names what is to be completed: a prompt or a resource template. */
import type { CompleteParams } from '../protocol/index.ts'

/** The protocol's own reference, or just what it refers to. */
export type CompletionTarget = CompleteParams['ref'] | { prompt: string } | { resource: string }

export function referenceTo(target: CompletionTarget): CompleteParams['ref'] {
  if ('type' in target) return target
  return 'prompt' in target
    ? { type: 'ref/prompt', name: target.prompt }
    : { type: 'ref/resource', uri: target.resource }
}
