/** An HTTP server as the client sees it: its address, the headers of each request, redirects and authorization. */
import { ParleyError } from '../../../errors/index.ts'
import { drain } from './body.ts'
import { type HttpReply, type HttpRequest, shownUrl } from './call.ts'
import type { LazyAbortController } from './lazy-abort-controller.ts'
import { type HttpHeaders, type HttpLinkSettings, lowerCase } from './options.ts'
import { readRefusal } from './refusal.ts'

const MAX_REDIRECTS = 5
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

export class HttpPeer {
  readonly #settings: HttpLinkSettings
  #url: URL

  constructor(url: URL, settings: HttpLinkSettings) {
    this.#url = url
    this.#settings = settings
  }

  /** The current address: after a redirect, later requests use the new one. */
  get url(): URL {
    return this.#url
  }

  /** Throws if the server cannot be reached, redirects to another server, or refuses the credentials. */
  async request(
    method: HttpRequest['method'],
    headers: HttpHeaders,
    body: string | undefined,
    abortController: LazyAbortController,
  ): Promise<HttpReply> {
    const { authorize } = this.#settings
    for (let attempt = 0; ; attempt++) {
      const reply = await this.#follow(method, headers, body, abortController)
      const { status } = reply
      if (status !== 401 && status !== 403) return reply
      const { error } = await readRefusal(reply, this.#url)
      const challenge = { url: this.#url.href, status, wwwAuthenticate: reply.header('www-authenticate') } as const
      if (authorize === undefined || attempt > 0 || !(await authorize(challenge))) throw error
      abortController.throwIfAborted()
    }
  }

  async #follow(
    method: HttpRequest['method'],
    headers: HttpHeaders,
    body: string | undefined,
    abortController: LazyAbortController,
  ): Promise<HttpReply> {
    const { call, headers: source } = this.#settings
    const own = typeof source === 'function' ? lowerCase(await source()) : source
    const all = Object.keys(own).length === 0 ? headers : { ...own, ...headers }
    for (let hops = 0; ; hops++) {
      const reply = await call({ method, url: this.#url, headers: all, body, abortController })
      if (!REDIRECTS.has(reply.status)) return reply
      const target = this.#target(reply, method)
      if (hops === MAX_REDIRECTS) throw this.#badRedirect(reply, `after ${MAX_REDIRECTS} others`)
      await drain(reply)
      this.#url = target
    }
  }

  /** A redirect must not lead to another server: messages and credentials are for this one only. */
  #target(reply: HttpReply, method: string): URL {
    const location = reply.header('location')
    if (location === undefined) throw this.#badRedirect(reply, 'without saying where to')
    let target: URL
    try {
      target = new URL(location, this.#url)
    } catch {
      throw this.#badRedirect(reply, 'to something that is no address')
    }
    if (reply.status === 303 && method !== 'GET')
      throw this.#badRedirect(reply, `to ${shownUrl(target)}, to be read instead of posted to`)
    if (target.origin !== this.#url.origin)
      throw this.#badRedirect(
        reply,
        `to ${shownUrl(target)}, which is another server; connect to that address if it is the right one`,
      )
    return target
  }

  #badRedirect(reply: HttpReply, how: string): ParleyError {
    reply.discard()
    return new ParleyError('transport_error', {
      message: `${shownUrl(this.#url)} redirects (${reply.status}) ${how}`,
      data: { status: reply.status },
    })
  }
}

/** Parses an HTTP address. Throws an error that says what is wrong with it. */
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
