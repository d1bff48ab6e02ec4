/** An exchange of `node:http` or `node:http2`. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Http2ServerRequest } from 'node:http2'
import type { Socket } from 'node:net'
import type { HttpSite } from '../../serve/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../../transport/index.ts'
import { hostOf, targetOf } from './request-target.ts'

export type NodeRequest = IncomingMessage | Http2ServerRequest
/** The part that responses of HTTP/1.1 and HTTP/2 have in common. */
export type NodeResponse = Pick<
  ServerResponse,
  | 'headersSent'
  | 'destroyed'
  | 'writableEnded'
  | 'writableLength'
  | 'writeHead'
  | 'write'
  | 'end'
  | 'destroy'
  | 'on'
  | 'once'
>

export class NodeExchange implements Exchange {
  readonly method: string
  readonly path: string
  readonly query: string
  body = ''
  /**
   * False when the whole body was received. After a refusal, the rest is read and dropped, so the client gets the
   * reason.
   */
  bodyPending = true
  readonly #request: NodeRequest
  readonly #response: NodeResponse
  readonly #site: HttpSite

  constructor(request: NodeRequest, response: NodeResponse, site: HttpSite) {
    const { path, query } = targetOf(request.url)
    this.method = request.method ?? 'GET'
    this.path = path
    this.query = query
    this.#request = request
    this.#response = response
    this.#site = site
  }

  get address(): string | undefined {
    return this.#request.socket.remoteAddress
  }

  get gone(): boolean {
    return isOver(this.#response)
  }

  onGone(listener: () => void): () => void {
    if ('stream' in this.#request) return onceClosed(this.#request.stream, listener)
    return watchSocket(this.#request.socket, listener)
  }

  header(name: string): string | undefined {
    const value = name === 'host' ? hostOf(this.#request, this.#site.guard) : this.#request.headers[name]
    return typeof value === 'object' ? value.join(', ') : value
  }

  respond(status: number, headers: ResponseHeaders, body?: ResponseBody): void {
    const response = this.#response
    if (response.headersSent || response.destroyed) return
    const all = this.#all(headers)
    if (status !== 204) all['content-length'] = lengthOf(body)
    // HTTP/2 can tell the client to send no more.
    if (this.bodyPending && 'stream' in this.#request) this.#request.stream.once('finish', stopUpload)
    response.writeHead(status, all)
    if (body === undefined || this.method === 'HEAD') response.end()
    else if (typeof body === 'string') response.end(body)
    else {
      for (const piece of body) response.write(piece)
      response.end()
    }
    this.#checkUnread()
  }

  stream(status: number, headers: ResponseHeaders): Sink {
    this.#response.writeHead(status, this.#all(headers))
    return new NodeSink(this.#response, () => this.#checkUnread())
  }

  #checkUnread(): void {
    const request = this.#request
    this.#site.unreadLimit.check('stream' in request ? request.stream : request.socket)
  }

  #all(headers: ResponseHeaders): Record<string, string | number> {
    const all: Record<string, string | number> = { ...headers }
    const cors = this.#site.corsHeaders(this.#request.headers.origin)
    return cors === undefined ? all : Object.assign(all, cors)
  }
}

function stopUpload(this: Http2ServerRequest['stream']): void {
  this.close()
}

/** A response of HTTP/2 does not know this itself, but its stream does. */
function isOver(response: NodeResponse & { readonly stream?: { readonly destroyed: boolean } }): boolean {
  return response.destroyed || response.stream?.destroyed === true
}

function onceClosed(stream: Http2ServerRequest['stream'], listener: () => void): () => void {
  if (stream.destroyed) listener()
  else stream.once('close', listener)
  return () => stream.off('close', listener)
}

/** The listeners by connection of HTTP/1.1. Node does not tell a response that waits behind another one. */
const watchers = new WeakMap<Socket, (() => void)[]>()

export function watchSocket(socket: Socket, listener: () => void): () => void {
  if (socket.destroyed) {
    listener()
    return () => {}
  }
  let watching = watchers.get(socket)
  if (watching === undefined) {
    const fresh: (() => void)[] = []
    socket.once('close', () => {
      for (const listen of fresh.splice(0)) listen()
    })
    watchers.set(socket, fresh)
    watching = fresh
  }
  const all = watching
  all.push(listener)
  return () => {
    const at = all.indexOf(listener)
    if (at !== -1) all.splice(at, 1)
  }
}

export function lengthOf(body: ResponseBody | undefined): number {
  if (body === undefined) return 0
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body.reduce((sum, piece) => sum + (typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length), 0)
}

class NodeSink implements Sink {
  readonly #response: NodeResponse
  readonly #onWrite: () => void

  constructor(response: NodeResponse, onWrite: () => void) {
    this.#response = response
    this.#onWrite = onWrite
    // Some runtimes emit an error when the client is gone. `close` is enough.
    response.on('error', () => {})
  }

  get buffered(): number {
    return this.#response.writableLength
  }

  onClose(listener: () => void): void {
    if (isOver(this.#response)) listener()
    else this.#response.once('close', listener)
  }

  write(text: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return
    this.#response.write(text)
    this.#onWrite()
  }

  end(text?: string): void {
    if (this.#response.destroyed || this.#response.writableEnded) return
    if (text === undefined) this.#response.end()
    else this.#response.end(text)
    this.#onWrite()
  }

  abort(): void {
    this.#response.destroy()
  }
}
