/** The longest texts that a message may have as names, addresses and tokens. Arguments have no such limit. */
import { ParleyError } from '../../errors/index.ts'
import { type Body, type Incoming, isObject } from '../../jsonrpc/index.ts'

const KIB = 1024

/** By the path in a message: the most characters. `*` is every item of a list. */
export const MAX_LENGTHS = {
  id: 16 * KIB,
  'params.name': KIB,
  'params.taskId': KIB,
  'params._meta.progressToken': KIB,
  'params.progressToken': KIB,
  'params.requestId': 16 * KIB,
  'params.argument.name': KIB,
  'params.ref.name': KIB,
  'params.notifications.taskIds.*': KIB,
  'params.uri': 64 * KIB,
  'params.ref.uri': 64 * KIB,
  'params.notifications.resourceSubscriptions.*': 64 * KIB,
  'params.cursor': 64 * KIB,
  'params.requestState': 1024 * KIB,
} as const satisfies Readonly<Record<string, number>>

/** A message with fewer characters has no text that is too long. */
const SHORTEST = KIB

const PATHS = Object.entries(MAX_LENGTHS).map(([path, most]) => ({ path, steps: path.split('.'), most }))

/** Why a message is refused, if so. `length`: of its text. */
export function tooLong(incoming: Incoming, length: number): ParleyError | undefined {
  if (length <= SHORTEST || (incoming.kind !== 'request' && incoming.kind !== 'notification')) return undefined
  for (const { path, steps, most } of PATHS) {
    if (!exceeds(incoming.message, steps, 0, most)) continue
    return new ParleyError('invalid_params', {
      message: `"${path}" is too long: it may have ${most} characters`,
      data: { path, maxLength: most },
    })
  }
  return undefined
}

function exceeds(value: unknown, steps: readonly string[], at: number, most: number): boolean {
  const step = steps[at]
  if (step === undefined) return typeof value === 'string' && value.length > most
  if (step === '*') return Array.isArray(value) && value.some((item) => exceeds(item, steps, at + 1, most))
  return isObject(value) && exceeds((value as Body)[step], steps, at + 1, most)
}
