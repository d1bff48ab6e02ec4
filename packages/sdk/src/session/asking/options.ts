/** Settings of calls that wait for answers of their clients. */
import { type Duration, milliseconds } from '../duration.ts'
import { Seal, type SealKey } from './seal.ts'

export interface AskingOptions {
  /**
   * The secret of the tokens that clients bring back. Of several keys the first one seals and all of them open, so that
   * a key can be changed. Default: random, and tokens are valid until the process ends.
   */
  key?: SealKey | readonly SealKey[]
  /** How long a client may take to answer, from the last question. Default 10 min. */
  ttl?: Duration
  /** How long a call may last in all, however often it asks. Default 1 h. */
  maxLife?: Duration
  /** How often a call may show questions to its client. Default 32. */
  maxRounds?: number
  /** Most calls that wait at once. Default 1000. */
  maxParked?: number
  /** Most calls of one client that wait at once, where clients are known. Default 250. */
  maxParkedEach?: number
  /**
   * How long to wait for more questions after each question, before they are shown. For questions that arrive one by
   * one, such as those of a server behind this one. Default 0: only questions that are asked together are shown together.
   */
  gather?: Duration
  /** How long an outcome is kept for a client that repeats its last request. Default 60 s. */
  keepOutcome?: Duration
}

/** Times in whole milliseconds. */
export interface AskingSettings {
  readonly ttl: number
  readonly maxLife: number
  readonly maxRounds: number
  readonly maxParked: number
  readonly maxParkedEach: number
  readonly keepOutcome: number
  readonly gather: number
}

export function askingSettings(options: AskingOptions = {}): AskingSettings {
  // Reports a bad key at start, and not with the first request that needs it.
  if (options.key !== undefined) new Seal(options.key)
  return {
    ttl: time('ttl', options.ttl ?? '10m', 1),
    maxLife: time('maxLife', options.maxLife ?? '1h', 1),
    maxRounds: count('maxRounds', options.maxRounds ?? 32),
    maxParked: count('maxParked', options.maxParked ?? 1000),
    maxParkedEach: count('maxParkedEach', options.maxParkedEach ?? 250),
    keepOutcome: time('keepOutcome', options.keepOutcome ?? '60s', 0),
    gather: time('gather', options.gather ?? 0, 0),
  }
}

/** Finite, because tokens hold their time as JSON. */
function time(name: string, duration: Duration, least: number): number {
  const ms = Math.round(milliseconds(duration))
  if (Number.isSafeInteger(ms) && ms >= least) return ms
  throw new RangeError(`asking.${name} must be a finite time${least > 0 ? ' above 0' : ''}, not ${String(duration)}`)
}

function count(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value > 0) return value
  throw new RangeError(`asking.${name} must be a whole number above 0, not ${String(value)}`)
}
