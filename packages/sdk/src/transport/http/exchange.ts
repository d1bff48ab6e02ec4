/** One HTTP request and its response. The server side of the HTTP transports uses HTTP only through this interface. */

/** A whole body. In pieces if some of it is already bytes, to avoid a copy. */
export type ResponseBody = string | readonly (string | Uint8Array)[]

export type ResponseHeaders = Readonly<Record<string, string>>

export interface Exchange {
  /** In capitals. */
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** Without the question mark; empty when there is none. */
  readonly query: string
  /** The whole body, read within the limit. Empty without a body, and after the message was handled. */
  body: string
  /** The network address of the client, or of the proxy in front, if the runtime knows it. */
  readonly address?: string | undefined
  /** Whether the client is known to have closed the connection. */
  readonly gone: boolean
  /**
   * Calls the listener when the connection closes, or at once if it has. Returns a function that removes the listener.
   * Call it when the exchange is answered.
   */
  onGone(listener: () => void): () => void
  /** `name` in lower case. `host` is available for HTTP/2 too. */
  header(name: string): string | undefined
  /** Answers with a whole body, once. */
  respond(status: number, headers: ResponseHeaders, body?: ResponseBody): void
  /** Answers with a body that is written piece by piece. */
  stream(status: number, headers: ResponseHeaders): Sink
}

/** The body of a streamed response. Writing does nothing after the client is gone. */
export interface Sink {
  write(text: string): void
  end(text?: string): void
  /** Closes the connection and drops unread bytes. */
  abort(): void
  /** The bytes that the client has not read yet. */
  readonly buffered: number
  /** Calls the listener once, when the response has ended or the client is gone. At once if that has happened. */
  onClose(listener: () => void): void
}
