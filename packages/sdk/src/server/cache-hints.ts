/** How long and for which clients lists and resources may be cached (D-42). */
import { type Duration, milliseconds } from '../session/index.ts'

export interface CacheHint {
  /** How long clients may take the result for fresh. Default 0: not at all. */
  ttl?: Duration
  /** `public` only for results that are the same for all clients: caches may show them to others. Default `private`. */
  scope?: 'public' | 'private'
}

export interface CacheOptions {
  /** All lists, unless set otherwise. */
  lists?: CacheHint
  /** Readings of resources that have no hint of their own. */
  resources?: CacheHint
  /** What the server says of itself. */
  discovery?: CacheHint
}

/** As it is written in results. */
export interface WrittenHint {
  readonly ttlMs: number
  readonly cacheScope: 'public' | 'private'
}

export interface CacheSettings {
  readonly lists: WrittenHint | undefined
  readonly resources: WrittenHint | undefined
  readonly discovery: WrittenHint | undefined
}

export function cacheSettings({ lists, resources, discovery }: CacheOptions = {}): CacheSettings {
  return { lists: writtenHint(lists), resources: writtenHint(resources), discovery: writtenHint(discovery) }
}

/** Nothing is written where nothing is said: the protocol has a safe default. */
export function writtenHint(hint: CacheHint | undefined): WrittenHint | undefined {
  if (hint === undefined) return undefined
  const { ttl = 0, scope = 'private' } = hint
  const ttlMs = Math.round(milliseconds(ttl))
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0)
    throw new RangeError(`Not a time a result can stay fresh: ${JSON.stringify(ttl)}`)
  if (scope !== 'public' && scope !== 'private')
    throw new TypeError('The scope of a cache hint is "public" or "private"')
  return { ttlMs, cacheScope: scope }
}
