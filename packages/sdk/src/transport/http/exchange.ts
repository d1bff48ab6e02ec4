/** One HTTP request and its response, whatever server it came through: all that the HTTP transports know of HTTP. */

/** A whole body; in pieces when some of it is bytes that are kept and need not be copied. */
export type ResponseBody = string | readonly (string | Uint8Array)[]

export type ResponseHeaders = Readonly<Record<string, string>>

export interface Exchange {
  /** In capitals. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** All of it, already read within the limit; empty when there is none, or once what is in it has been handed on. */
  body: string
  /** The network address of the client, where the runtime tells: behind a proxy, that of the proxy. */
  readonly address?: string | undefined
  /** The client is known to have hung up: nobody will read an answer. */
  readonly gone: boolean
  /**
   * Calls when the connection closes, at once when it has; what it gives takes that back, as is due once the exchange
   * is answered.
   */
  onGone(listener: () => void): () => void
  /** `name` in lower case; `host` is there for HTTP/2, too. */
  header(name: string): string | undefined
  /** Answers with a whole body, once. */
  respond(status: number, headers: ResponseHeaders, body?: ResponseBody): void
  /** Answers with a body that is written piece by piece. */
  stream(status: number, headers: ResponseHeaders): Sink
}

/** The body of a streamed response. Writing to one whose reader is gone does nothing. */
export interface Sink {
  write(text: string): void
  end(text?: string): void
  /** Hangs up without waiting for what is unread. */
  abort(): void
  /** Bytes written that the peer has not taken yet: a reader that takes nothing must not fill the memory. */
  readonly buffered: number
  /** Called once, when the response is over: ended here, or the reader went away; at once when it is over already. */
  onClose(listener: () => void): void
}
