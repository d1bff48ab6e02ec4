/**
 * Puts results into the envelope of the stateless era: their type, their server, and how long they stay fresh (D-02,
 * D-03, D-42).
 */
import { type Body, bodyText, isObject, noteCopiedResult, type RequestId, resultHead } from '../../../jsonrpc/index.ts'
import { cacheableMethods, META } from '../../../versions/index.ts'
import type { Identity } from '../../endpoint.ts'
import { extendedMetadata } from '../../metadata.ts'

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

/** Without cache settings a result must not be cached. */
const UNCACHED = { ttlMs: 0, cacheScope: 'private' } as const

/** Only the result itself differs, so most results are framed as text. */
export class Framing {
  readonly #serverInfo: Identity
  readonly #complete: string

  constructor(serverInfo: Identity) {
    this.#serverInfo = serverInfo
    this.#complete = `{"resultType":"complete","_meta":${JSON.stringify({ [META.serverInfo]: serverInfo })}`
  }

  /** The whole answer to a request. */
  resultText(id: RequestId, method: string, result: Body): string {
    if (result['_meta'] !== undefined || result['resultType'] !== undefined || cacheable.has(method)) {
      return `${resultHead(id)}${bodyText(this.framed(method, result), 'internal_error')}}`
    }
    const body = bodyText(result, 'internal_error')
    return `${resultHead(id)}${this.#complete}${body === '{}' ? '' : ','}${body.slice(1)}}`
  }

  framed(method: string, result: Body): Body {
    const framed: Body = { resultType: 'complete', ...result, _meta: this.#meta(result) }
    if (cacheable.has(method) && framed['resultType'] === 'complete') {
      const { ttlMs, cacheScope } = result
      if (!(Number.isInteger(ttlMs) && (ttlMs as number) >= 0)) framed['ttlMs'] = UNCACHED.ttlMs
      if (cacheScope !== 'public' && cacheScope !== 'private') framed['cacheScope'] = UNCACHED.cacheScope
    }
    noteCopiedResult(framed, result)
    return framed
  }

  /** A result with an envelope was made by a server behind this one, and keeps its name. */
  #meta(result: Body): Body {
    const meta = result['_meta']
    if (result['resultType'] !== undefined && isObject(meta) && meta[META.serverInfo] !== undefined) return meta
    return extendedMetadata(meta, { [META.serverInfo]: this.#serverInfo })
  }
}
