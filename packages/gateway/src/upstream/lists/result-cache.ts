/**
 * Remembers lists and resources of one server for as long as the server declared them fresh, for all clients or for one
 * (D-42).
 */
import { type Body, type Clock, cacheableMethods, weightOf } from 'parley-mcp/engine'
import type { ListKind } from './list-kinds.ts'

interface CachedResult {
  readonly method: string
  readonly uri: unknown
  readonly result: Body
  readonly expiresAt: number
  readonly weight: number
}

const METHODS_OF: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
}
const cacheable: ReadonlySet<string> = new Set(cacheableMethods)
const MAX_RESULTS = 1000
/** The size of all results together, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024
/** The size of one result, in bytes. */
const MAX_RESULT_BYTES = 1024 * 1024
/** The parameters of requests that are cached. `_meta` describes the client, and not what it asks for. */
const CACHEABLE_PARAMS: ReadonlySet<string> = new Set(['cursor', 'uri', '_meta'])
/** How long a result is cached, in milliseconds, even if the server allows more. Not every change is notified. */
const MAX_TTL_MS = 3_600_000

export class ResultCache {
  readonly #results = new Map<string, CachedResult>()
  readonly #clock: Clock
  /** By method: how often the server has reported a change of its results. */
  readonly #generations = new Map<string, number>()
  #weight = 0
  hits = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `declared`: the key of the extensions that the client declares. The result may depend on them. */
  find(method: string, params: Body, principal: string | undefined, declared = ''): Body | undefined {
    if (this.#results.size === 0 || !cacheable.has(method) || !isCacheable(params)) return undefined
    const cached =
      this.#get(cacheKey(method, params, undefined, declared)) ??
      this.#get(cacheKey(method, params, principal ?? '', declared))
    if (cached === undefined) return undefined
    this.hits++
    // The client may keep the result only for the rest of the time that the server allowed.
    return { ...cached.result, ttlMs: Math.max(0, Math.floor(cached.expiresAt - this.#clock.now())) }
  }

  /** Read before a request is sent. If it is different when the answer comes, the answer may be out of date. */
  generationOf(method: string): number {
    return this.#generations.get(method) ?? 0
  }

  /** `generation`: the one from before the request was sent. Returns false when the result may not be cached. */
  keep(
    method: string,
    params: Body,
    principal: string | undefined,
    result: Body,
    generation: number,
    declared = '',
  ): boolean {
    const { ttlMs, cacheScope, resultType = 'complete' } = result
    if (generation !== this.generationOf(method)) return false
    if (!cacheable.has(method) || typeof ttlMs !== 'number' || !(ttlMs > 0) || resultType !== 'complete') return false
    // The result may depend on any other parameter.
    if (!isCacheable(params)) return false
    const isPublic = cacheScope === 'public'
    // Clients without a principal cannot be told apart.
    if (!isPublic && principal === undefined) return false
    const key = cacheKey(method, params, isPublic ? undefined : principal, declared)
    this.#drop(key)
    const weight = key.length + weightOf(result, MAX_RESULT_BYTES)
    if (weight > MAX_RESULT_BYTES) return false
    this.#results.set(key, {
      method,
      uri: params['uri'],
      result,
      expiresAt: this.#clock.now() + Math.min(ttlMs, MAX_TTL_MS),
      weight,
    })
    this.#weight += weight
    while (this.#results.size > MAX_RESULTS || this.#weight > MAX_BYTES)
      this.#drop(this.#results.keys().next().value as string)
    return true
  }

  listChanged(kind: ListKind): void {
    const methods = METHODS_OF[kind]
    for (const method of methods) this.#raiseGeneration(method)
    for (const [key, { method }] of this.#results) if (methods.includes(method)) this.#drop(key)
  }

  updated(uri: string): void {
    this.#raiseGeneration('resources/read')
    for (const [key, cached] of this.#results)
      if (cached.method === 'resources/read' && typeof cached.uri === 'string' && cached.uri.startsWith(uri))
        this.#drop(key)
  }

  /** The answers to requests that were sent before are out of date. */
  #raiseGeneration(method: string): void {
    this.#generations.set(method, this.generationOf(method) + 1)
  }

  #get(key: string): CachedResult | undefined {
    const cached = this.#results.get(key)
    if (cached === undefined || cached.expiresAt > this.#clock.now()) return cached
    this.#drop(key)
    return undefined
  }

  #drop(key: string): void {
    this.#weight -= this.#results.get(key)?.weight ?? 0
    this.#results.delete(key)
  }
}

function isCacheable(params: Body): boolean {
  return Object.keys(params).every((name) => CACHEABLE_PARAMS.has(name))
}

function cacheKey(method: string, params: Body, principal: string | undefined, declared: string): string {
  return JSON.stringify([method, params['cursor'] ?? null, params['uri'] ?? null, principal ?? null, declared])
}
