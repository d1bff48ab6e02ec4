/**
 * The handle by which a Parley gateway recognises one conversation. A stateless client has no session, so each of its
 * requests carries the handle.
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { Mint, Session } from '../../session/index.ts'

/** The key in `_meta` of requests, and in the experimental capabilities of a gateway that supports handles. */
export const HANDLE_KEY = 'dev.parley/session'

/** Two unguessable ids. The handle gives access to the conversation, so gateways accept no shorter one. */
export class SessionHandle {
  readonly #mint: Mint
  #handle: string | undefined

  constructor(mint: Mint) {
    this.#mint = mint
  }

  /** Adds the handle if the server is a gateway that supports handles. Otherwise returns the same object. */
  addedTo(params: Body | undefined, { era, peer }: Session): Body | undefined {
    if (era !== 'stateless' || !supportsHandles(peer?.capabilities)) return params
    this.#handle ??= `${this.#mint()}.${this.#mint()}`
    const meta = params?.['_meta']
    return { ...params, _meta: { [HANDLE_KEY]: this.#handle, ...(isObject(meta) ? meta : undefined) } }
  }
}

function supportsHandles(capabilities: object | undefined): boolean {
  const experimental = (capabilities as Body | undefined)?.['experimental']
  return isObject(experimental) && isObject(experimental[HANDLE_KEY])
}
