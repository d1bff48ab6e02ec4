/**
 * HTTP requests of a client through `node:http`: much faster than `fetch`, and without a time-out for silent streams.
 */
import {
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingMessage,
  type RequestOptions,
  request as requestHttp,
} from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { urlToHttpOptions } from 'node:url'
import { ParleyError } from '../../errors/index.ts'
import { brokenOff, type HttpCall, type HttpReply, type HttpRequest, unreachable } from '../../transport/index.ts'

/**
 * Many servers close idle connections after five seconds. This is shorter, so that no message meets a closing
 * connection.
 */
const MAX_IDLE_MS = 4000
const agentOptions = { keepAlive: true, timeout: MAX_IDLE_MS, scheduling: 'lifo' } as const
const plain = { request: requestHttp, agent: new HttpAgent(agentOptions) }
const secure = { request: requestHttps, agent: new HttpsAgent(agentOptions) }

export const nodeCall: HttpCall = (request) =>
  new Promise((resolve, reject) => {
    const { abortController, url } = request
    if (abortController.aborted) return reject(abortController.reason)
    const outgoing = begin(request)
    // Without the reason: a complete but unread response would throw it from a socket without listeners.
    const abort = (): void => void outgoing.destroy()
    abortController.on(abort)
    outgoing.on('close', () => abortController.off(abort))
    // Never removed: an error without a listener would end the process.
    outgoing.on('error', (error) => reject(abortController.aborted ? abortController.reason : unreachable(url, error)))
    outgoing.on('response', (incoming) => {
      const encoding = incoming.headers['content-encoding']
      if (encoding === undefined || encoding === 'identity') return resolve(new NodeReply(incoming, request))
      incoming.destroy()
      reject(
        unreachable(
          url,
          new ParleyError('transport_error', {
            message: `the answer is encoded as ${encoding}, which was not asked for`,
          }),
        ),
      )
    })
    outgoing.end(request.body)
  })

/** The options by address, so that they are not computed for each request. */
const targets = new WeakMap<URL, RequestOptions>()

function targetOf(url: URL): RequestOptions {
  const known = targets.get(url)
  if (known !== undefined) return known
  const { protocol, hostname, port, path } = urlToHttpOptions(url)
  const target = { protocol, hostname, port, path } as RequestOptions
  targets.set(url, target)
  return target
}

function begin({ url, method, headers, body }: HttpRequest): ClientRequest {
  const { request, agent } = url.protocol === 'https:' ? secure : plain
  const sized = body === undefined ? headers : { ...headers, 'content-length': Buffer.byteLength(body) }
  return request({ ...targetOf(url), method, agent, headers: sized })
}

class NodeReply implements HttpReply {
  readonly status: number
  readonly #incoming: IncomingMessage
  readonly #request: HttpRequest

  constructor(incoming: IncomingMessage, request: HttpRequest) {
    this.status = incoming.statusCode ?? 0
    this.#incoming = incoming
    this.#request = request
    // `read` reports a body that broke off before.
    incoming.on('error', () => {})
  }

  header(name: string): string | undefined {
    const value = this.#incoming.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  read(take: (chunk: Uint8Array) => void): Promise<void> {
    const incoming = this.#incoming
    return new Promise((resolve, reject) => {
      let ended = false
      const breakOff = (error: unknown): void => {
        const { abortController, url } = this.#request
        reject(abortController.aborted ? abortController.reason : brokenOff(url, error))
      }
      if (incoming.readableEnded) return resolve()
      if (incoming.destroyed) return breakOff(incoming.errored ?? new Error('the connection was closed'))
      incoming.on('data', (chunk: Uint8Array) => {
        try {
          take(chunk)
        } catch (error) {
          incoming.destroy()
          reject(error)
        }
      })
      incoming.on('end', () => {
        ended = true
        resolve()
      })
      incoming.on('error', breakOff)
      // Also emitted after a normal end.
      incoming.on('close', () => !ended && breakOff(new Error('the connection was closed')))
    })
  }

  discard(): void {
    this.#incoming.destroy()
  }
}
