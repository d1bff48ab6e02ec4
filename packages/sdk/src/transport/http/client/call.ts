/** One HTTP request of a client. The client side of the HTTP transports uses HTTP only through this interface. */
import { ParleyError } from '../../../errors/index.ts'
import { MAX_CAUSES } from '../../causes.ts'
import { wrongProtocol } from '../../wrong-protocol.ts'
import type { LazyAbortController } from './lazy-abort-controller.ts'

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE'
  readonly url: URL
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly abortController: LazyAbortController
}

/** A response whose head has arrived. Its body must be read or discarded, or the connection stays busy. */
export interface HttpReply {
  readonly status: number
  /** `name` in lower case. */
  header(name: string): string | undefined
  /**
   * Passes each chunk of the body to `take`. Rejects if the connection breaks, or with the error that `take` throws.
   */
  read(take: (chunk: Uint8Array) => void): Promise<void>
  discard(): void
}

/** Rejects with a `transport_error`, or with the reason of an abort. Does not follow redirects. */
export type HttpCall = (request: HttpRequest) => Promise<HttpReply>

/** The part of `fetch` that is needed. */
export type Fetch = (url: URL, init: RequestInit) => Promise<Response>

export function callWith(fetch: Fetch): HttpCall {
  return async ({ url, method, headers, body, abortController }) => {
    const { signal } = abortController
    try {
      const response = await fetch(url, {
        method,
        headers,
        signal,
        redirect: 'manual',
        cache: 'no-store',
        ...(body === undefined ? {} : { body }),
      })
      return new FetchReply(response, url, signal)
    } catch (error) {
      throw signal.aborted ? signal.reason : unreachable(url, error)
    }
  }
}

class FetchReply implements HttpReply {
  readonly status: number
  readonly #response: Response
  readonly #url: URL
  readonly #signal: AbortSignal

  constructor(response: Response, url: URL, signal: AbortSignal) {
    // Browsers report a redirect as status 0, without its target.
    this.status = response.type === 'opaqueredirect' ? 302 : response.status
    this.#response = response
    this.#url = url
    this.#signal = signal
  }

  header(name: string): string | undefined {
    return this.#response.headers.get(name) ?? undefined
  }

  async read(take: (chunk: Uint8Array) => void): Promise<void> {
    const reader = this.#response.body?.getReader()
    if (reader === undefined) return
    for (;;) {
      const { done, value } = await this.#next(reader)
      if (done) return
      try {
        take(value)
      } catch (error) {
        reader.cancel().catch(ignore)
        throw error
      }
    }
  }

  discard(): void {
    this.#response.body?.cancel().catch(ignore)
  }

  async #next(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<ReadableStreamReadResult<Uint8Array>> {
    try {
      return await reader.read()
    } catch (error) {
      throw this.#signal.aborted ? this.#signal.reason : brokenOff(this.#url, error)
    }
  }
}

function ignore(): void {}

export function unreachable(url: URL, cause: unknown): ParleyError {
  const shown = shownUrl(url)
  return new ParleyError('transport_error', {
    message: `Cannot reach ${shown}: ${wrongProtocol(shown, cause) ?? describeCause(cause)}`,
    cause,
  })
}

export function brokenOff(url: URL, cause: unknown): ParleyError {
  return new ParleyError('transport_error', {
    message: `The answer of ${shownUrl(url)} broke off: ${describeCause(cause)}`,
    cause,
  })
}

/** Without user, password and query, which may be secret. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}

/** The message of `fetch` says nothing, but its cause does. */
function describeCause(error: unknown, depth = MAX_CAUSES): string {
  const {
    message = String(error),
    cause,
    code,
    errors,
  } = (error ?? {}) as { message?: string; cause?: unknown; code?: unknown; errors?: unknown }
  if (depth > 0) {
    if (cause !== undefined) return describeCause(cause, depth - 1)
    // One attempt for each address of the host.
    if (Array.isArray(errors) && errors.length > 0)
      return errors.map((each) => describeCause(each, depth - 1)).join('; ')
  }
  if (message !== '') return typeof code === 'string' && !message.includes(code) ? `${message} (${code})` : message
  return typeof code === 'string' ? code : 'no reason was given'
}
