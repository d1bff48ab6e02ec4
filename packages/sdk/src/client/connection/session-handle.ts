/**
 * Names one conversation at a Parley gateway, for a client whose requests have no session: each request carries the
 * same handle.
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Mint, Session } from '../../session/index.ts'

/**
 * The key in `_meta` of requests, and among the experimental capabilities of a gateway that keeps conversations by it.
 */
export const HANDLE_KEY = 'dev.parley/session'

/** Two unguessable ids: a gateway takes no shorter handle from a client, because the handle opens the conversation. */
export class SessionHandle {
  readonly #mint: Mint
  #handle: string | undefined

  constructor(mint: Mint) {
    this.#mint = mint
  }

  /**
   * The parameters as this server should get them: the same object unless it is a gateway that keeps conversations by
   * handle.
   */
  addedTo(params: Body | undefined, { era, peer }: Session): Body | undefined {
    if (era !== 'stateless' || !isKeptBy(peer?.capabilities)) return params
    this.#handle ??= `${this.#mint()}.${this.#mint()}`
    const meta = params?.['_meta']
    return { ...params, _meta: { [HANDLE_KEY]: this.#handle, ...(isObject(meta) ? meta : undefined) } }
  }
}

function isKeptBy(capabilities: object | undefined): boolean {
  const experimental = (capabilities as Body | undefined)?.['experimental']
  return isObject(experimental) && isObject(experimental[HANDLE_KEY])
}
