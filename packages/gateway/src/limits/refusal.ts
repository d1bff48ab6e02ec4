/** The error for a client over its limit, and the facts for the operator. */
import { ParleyError } from 'parley-mcp'
import type { RateLimit } from '../config/index.ts'

export type RefusalReason = 'client_rate_limit' | 'server_rate_limit'

/** One refusal, for the log and the counters. */
export interface Refused {
  readonly server: string
  readonly reason: RefusalReason
  /** The refused client, as the beginning of a sentence. The same text for the same client. */
  readonly whom: string
  /** The setting that refused it, with its value. */
  readonly limit: string
}

/** `sentence`: whose limit is reached. `setting`: the key in the configuration. */
export function tooOften(sentence: string, setting: string, limit: RateLimit, retryAfterMs: number): ParleyError {
  return new ParleyError('rate_limited', {
    message: `${sentence} (${shownLimit(setting, limit)}): try again in ${inSeconds(retryAfterMs)}`,
    data: { retryAfterMs },
  })
}

export function shownLimit(setting: string, { requests, per }: RateLimit): string {
  return `${setting}: ${requests} per ${shownTime(per)}`
}

const UNITS: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
]

/** In the notation of the configuration. */
function shownTime(ms: number): string {
  const [unit, size] = UNITS.find(([, each]) => ms % each === 0) ?? ['ms', 1]
  return `${ms / size} ${unit}`
}

function inSeconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Math.ceil(ms / 1000)} s`
}
