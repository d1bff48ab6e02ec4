/** Lists and resources that a server said stay fresh for a while, for all clients or for one (D-42). */
import type { Body, Clock } from 'parley-mcp/engine'
import { cacheableMethods } from 'parley-mcp/engine'
import type { ListKind } from './upstream.ts'

interface Kept {
  readonly method: string
  readonly uri: unknown
  readonly result: Body
  readonly until: number
}

const METHODS_OF: Readonly<Record<ListKind, readonly string[]>> = {
  tools: ['tools/list'],
  prompts: ['prompts/list'],
  resources: ['resources/list', 'resources/templates/list', 'resources/read'],
}
const cacheable: ReadonlySet<string> = new Set(cacheableMethods)
const MOST = 1000
/** However long a server says: lists change without anybody telling. */
const LONGEST = 3_600_000

export class Shelf {
  readonly #kept = new Map<string, Kept>()
  readonly #clock: Clock
  hits = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  find(method: string, params: Body, principal: string | undefined): Body | undefined {
    if (!cacheable.has(method) || this.#kept.size === 0) return undefined
    const kept = this.#at(keyOf(method, params, undefined)) ?? this.#at(keyOf(method, params, principal ?? ''))
    if (kept === undefined) return undefined
    this.hits++
    // What is left of its time; nobody may keep it longer than the server allowed.
    return { ...kept.result, ttlMs: Math.max(0, Math.floor(kept.until - this.#clock.now())) }
  }

  keep(method: string, params: Body, principal: string | undefined, result: Body): void {
    const { ttlMs, cacheScope, resultType = 'complete' } = result
    if (!cacheable.has(method) || typeof ttlMs !== 'number' || !(ttlMs > 0) || resultType !== 'complete') return
    if (params['inputResponses'] !== undefined || params['requestState'] !== undefined) return
    const isPublic = cacheScope === 'public'
    // Of anonymous clients nobody knows whether they are one.
    if (!isPublic && principal === undefined) return
    const key = keyOf(method, params, isPublic ? undefined : principal)
    this.#kept.delete(key)
    this.#kept.set(key, { method, uri: params['uri'], result, until: this.#clock.now() + Math.min(ttlMs, LONGEST) })
    const oldest = this.#kept.size > MOST ? this.#kept.keys().next().value : undefined
    if (oldest !== undefined) this.#kept.delete(oldest)
  }

  listChanged(kind: ListKind): void {
    const methods = METHODS_OF[kind]
    for (const [key, { method }] of this.#kept) if (methods.includes(method)) this.#kept.delete(key)
  }

  updated(uri: string): void {
    for (const [key, kept] of this.#kept) if (kept.method === 'resources/read' && String(kept.uri).startsWith(uri)) this.#kept.delete(key)
  }

  #at(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    if (kept === undefined || kept.until > this.#clock.now()) return kept
    this.#kept.delete(key)
    return undefined
  }
}

function keyOf(method: string, params: Body, principal: string | undefined): string {
  return JSON.stringify([method, params['cursor'] ?? null, params['uri'] ?? null, principal ?? null])
}
