/** A client made of raw frames, for tests of what a server says on the wire. */
import type { Body, Link } from '../jsonrpc/index.ts'
import type { AcceptOptions, Acceptor, Session } from '../session/index.ts'
import { flush } from '../testing/clock.ts'
import { memoryPair } from '../transport/index.ts'

export interface RawMessage {
  id?: string | number
  method?: string
  params?: Body
  result?: Body
  error?: { code: number; message: string; data?: Body }
}

export interface RawClientOptions {
  version?: string
  capabilities?: Body
  /** How the client answers the server's requests. */
  answers?: Record<string, (params: Body) => Body>
  accept?: AcceptOptions
}

export class RawClient {
  readonly frames: string[] = []
  readonly received: RawMessage[] = []
  readonly session: Session
  initialized: Body = {}
  closed = false
  readonly #link: Link
  readonly #waiting = new Map<number, (message: RawMessage) => void>()
  readonly #answers: Record<string, (params: Body) => Body>
  #lastId = 0

  constructor(server: Acceptor, { answers = {}, accept = {} }: RawClientOptions) {
    const [near, far] = memoryPair()
    this.#link = near
    this.#answers = answers
    this.session = server.accept(far, { keepAlive: false, ...accept })
    near.open({
      frame: (text) => this.#receive(text),
      closed: () => {
        this.closed = true
      },
    })
  }

  /** The id of the request that is sent next. */
  get nextId(): number {
    return this.#lastId + 1
  }

  request(method: string, params?: Body): Promise<RawMessage> {
    const id = ++this.#lastId
    this.send({ id, method, ...(params === undefined ? {} : { params }) })
    return new Promise((resolve) => this.#waiting.set(id, resolve))
  }

  async result(method: string, params?: Body): Promise<Body> {
    const { result, error } = await this.request(method, params)
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    return result
  }

  async error(method: string, params?: Body): Promise<{ code: number; message: string; data?: Body }> {
    const { result, error } = await this.request(method, params)
    if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`)
    return error
  }

  notify(method: string, params?: Body): void {
    this.send({ method, ...(params === undefined ? {} : { params }) })
  }

  send(message: Body): void {
    this.#link.send(JSON.stringify({ jsonrpc: '2.0', ...message }))
  }

  /** What the server sent of one method. */
  of(method: string): RawMessage[] {
    return this.received.filter((message) => message.method === method)
  }

  async close(): Promise<void> {
    this.#link.close()
    await flush()
  }

  #receive(text: string): void {
    this.frames.push(text)
    const message = JSON.parse(text) as RawMessage
    this.received.push(message)
    if (message.method === undefined) {
      this.#waiting.get(message.id as number)?.(message)
      this.#waiting.delete(message.id as number)
    } else if (message.id !== undefined) {
      const answer = this.#answers[message.method]
      if (answer !== undefined) this.send({ id: message.id, ...wrap(answer(message.params ?? {})) })
    }
  }
}

/** `{ error }` is an error, anything else a result. */
function wrap(answer: Body): Body {
  return answer['error'] === undefined ? { result: answer } : answer
}

export async function rawClient(server: Acceptor, options: RawClientOptions = {}): Promise<RawClient> {
  const client = new RawClient(server, options)
  client.initialized = await client.result('initialize', {
    protocolVersion: options.version ?? '2025-11-25',
    capabilities: options.capabilities ?? {},
    clientInfo: { name: 'raw', version: '1' },
  })
  client.notify('notifications/initialized')
  await flush()
  return client
}
