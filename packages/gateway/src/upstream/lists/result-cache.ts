/**
 * Remembers lists and resources of one server for as long as the server declared them fresh, for all clients or for one
 * (D-42).
 */
import { type Body, type Clock, cacheableMethods, weightOf } from 'parley-mcp/engine'
import type { ListKind } from '../upstream.ts'

interface Kept {
  readonly method: string
  readonly uri: unknown
  readonly result: Body
  readonly until: number
  readonly weight: number
}

const METHODS_OF: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
}
const cacheable: ReadonlySet<string> = new Set(cacheableMethods)
const MOST = 1000
/** Of all that is kept, and of one answer, in bytes: many clients can read much. */
const MOST_BYTES = 32 * 1024 * 1024
const LARGEST = 1024 * 1024
/** What an answer is known by; the envelope says who asks, and not what. */
const ASKED: ReadonlySet<string> = new Set(['cursor', 'uri', '_meta'])
/** However long a server says: lists change without anybody telling. */
const LONGEST = 3_600_000

export class ResultCache {
  readonly #kept = new Map<string, Kept>()
  readonly #clock: Clock
  /** By method: how often the server has told that what it answers has changed. */
  readonly #generations = new Map<string, number>()
  #weight = 0
  hits = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** `declared`: the key of the extensions that the client declares, by which a server may choose its answer. */
  find(method: string, params: Body, principal: string | undefined, declared = ''): Body | undefined {
    if (this.#kept.size === 0 || !cacheable.has(method) || !isUsual(params)) return undefined
    const kept =
      this.#at(keyOf(method, params, undefined, declared)) ?? this.#at(keyOf(method, params, principal ?? '', declared))
    if (kept === undefined) return undefined
    this.hits++
    // What is left of its time; nobody may keep it longer than the server allowed.
    return { ...kept.result, ttlMs: Math.max(0, Math.floor(kept.until - this.#clock.now())) }
  }

  /** To be taken when a request is sent: news that come before its answer may be newer than that is. */
  generationOf(method: string): number {
    return this.#generations.get(method) ?? 0
  }

  /** `generation`: that of the moment in which it was asked for. False when it may not be given again. */
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
    // Whatever else is asked, or answered, may be the reason for what was said.
    if (!isUsual(params)) return false
    const isPublic = cacheScope === 'public'
    // Of anonymous clients nobody knows whether they are one.
    if (!isPublic && principal === undefined) return false
    const key = keyOf(method, params, isPublic ? undefined : principal, declared)
    this.#drop(key)
    const weight = key.length + weightOf(result, LARGEST)
    if (weight > LARGEST) return false
    this.#kept.set(key, {
      method,
      uri: params['uri'],
      result,
      until: this.#clock.now() + Math.min(ttlMs, LONGEST),
      weight,
    })
    this.#weight += weight
    while (this.#kept.size > MOST || this.#weight > MOST_BYTES) this.#drop(this.#kept.keys().next().value as string)
    return true
  }

  listChanged(kind: ListKind): void {
    const methods = METHODS_OF[kind]
    for (const method of methods) this.#overtake(method)
    for (const [key, { method }] of this.#kept) if (methods.includes(method)) this.#drop(key)
  }

  updated(uri: string): void {
    this.#overtake('resources/read')
    for (const [key, kept] of this.#kept)
      if (kept.method === 'resources/read' && typeof kept.uri === 'string' && kept.uri.startsWith(uri)) this.#drop(key)
  }

  /** What was asked for before is old when it comes. */
  #overtake(method: string): void {
    this.#generations.set(method, this.generationOf(method) + 1)
  }

  #at(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.until > this.#clock.now()) return kept
    this.#drop(key)
    return undefined
  }

  #drop(key: string): void {
    this.#weight -= this.#kept.get(key)?.weight ?? 0
    this.#kept.delete(key)
  }
}

function isUsual(params: Body): boolean {
  return Object.keys(params).every((name) => ASKED.has(name))
}

function keyOf(method: string, params: Body, principal: string | undefined, declared: string): string {
  return JSON.stringify([method, params['cursor'] ?? null, params['uri'] ?? null, principal ?? null, declared])
}
