/**
 * An HTTP server as a client sees it: where it is, what it is told with every request, and what it takes to be let in.
 */
import { ParleyError } from '../../errors/index.ts'
import { drain } from './client-body.ts'
import { type HttpReply, type HttpRequest, shownUrl } from './client-call.ts'
import { type HttpHeaders, type HttpLinkSettings, lowerCase } from './client-options.ts'
import { readRefusal } from './client-refusal.ts'
import type { Hangup } from './hangup.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class HttpPeer {
  readonly #settings: HttpLinkSettings
  #url: URL

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#url = url
    this.#settings = settings
  }

  /** Where the server was found to be: a redirect is followed once, not once per message. */
  get url(): URL {
    return this.#url
  }

  /**
   * Throws when the server cannot be reached, sends elsewhere, or demands credentials; every other response is the
   * caller's.
   */
  async request(
    method: HttpRequest['method'],
    headers: HttpHeaders,
    body: string | undefined,
    hangup: Hangup,
  ): Promise<HttpReply> {
    const { authorize } = this.#settings
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#follow(method, headers, body, hangup)
      const { status } = reply
      if (status !== 401 && status !== 403) return reply
      const { error } = await readRefusal(reply, this.#url)
      const challenge = { url: this.#url.href, status, wwwAuthenticate: reply.header('www-authenticate') } as const
      if (authorize === undefined || attempt > 0 || !(await authorize(challenge))) throw error
      hangup.throwIfAborted()
    }
  }

  async #follow(
    method: HttpRequest['method'],
    headers: HttpHeaders,
    body: string | undefined,
    hangup: Hangup,
  ): Promise<HttpReply> {
    const { call, headers: source } = this.#settings
    const own = typeof source === 'function' ? lowerCase(await source()) : source
    const all = Object.keys(own).length === 0 ? headers : { ...own, ...headers }
    for (let hops = 0; ; hops++) {
      const reply = await call({ method, url: this.#url, headers: all, body, hangup })
      if (!REDIRECTS.has(reply.status)) return reply
      const target = this.#target(reply, method)
      if (hops === MAX_REDIRECTS) throw this.#astray(reply, `after ${MAX_REDIRECTS} others`)
      await drain(reply)
      this.#url = target
    }
  }

  /** Messages and credentials are for the server that was named, and for nobody it points to. */
  #target(reply: HttpReply, method: string): URL {
    const location = reply.header('location')
    if (location === undefined) throw this.#astray(reply, 'without saying where to')
    let target: URL
    try {
      target = new URL(location, this.#url)
    } catch {
      throw this.#astray(reply, 'to something that is no address')
    }
    if (reply.status === 303 && method !== 'GET')
      throw this.#astray(reply, `to ${shownUrl(target)}, to be read instead of posted to`)
    if (target.origin !== this.#url.origin)
      throw this.#astray(
        reply,
        `to ${shownUrl(target)}, which is another server; connect to that address if it is the right one`,
      )
    return target
  }

  #astray(reply: HttpReply, how: string): ParleyError {
    reply.discard()
    return new ParleyError('transport_error', {
      message: `${shownUrl(this.#url)} redirects (${reply.status}) ${how}`,
      data: { status: reply.status },
    })
  }
}

/** An address such a link can talk to, or an error that says why it is none. */
export function httpAddress(address: string | URL): URL {
  let url: URL
  try {
    url = new URL(address)
  } catch {
    throw new ParleyError('transport_error', {
      message: `Not an address: ${JSON.stringify(String(address).slice(0, 200))}`,
    })
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new ParleyError('transport_error', { message: `Not an HTTP address: ${url.protocol}//${url.host}` })
  }
  if (url.username !== '' || url.password !== '') {
    throw new ParleyError('transport_error', {
      message: `User and password do not belong in the address of ${shownUrl(url)}; send them in a header`,
    })
  }
  return url
}
