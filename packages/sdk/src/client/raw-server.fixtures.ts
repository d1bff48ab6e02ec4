/** A server of the handshake era made of raw frames, for tests of what a client does with what it is told. */
import type { Body, Link } from '../jsonrpc/index.ts'
import { memoryPair } from '../transport/index.ts'

export interface RawMessage {
  id?: string | number
  method?: string
  params?: Body
  result?: Body
  error?: { code: number; message: string; data?: Body }
}

/** A result; `{ error }` for an error; `undefined` for no answer at all. */
type RawAnswer = (params: Body, message: RawMessage) => Body | undefined

export interface RawServerOptions {
  version?: unknown
  capabilities?: Body
  instructions?: string
  answers?: Record<string, RawAnswer>
}

export interface RawServer {
  /** The client's end. */
  readonly link: Link
  readonly received: RawMessage[]
  /** What the client sent of one method. */
  of(method: string): RawMessage[]
  send(message: Body | string): void
  notify(method: string, params?: Body): void
  /** Asks the client and gives its whole answer. */
  ask(method: string, params?: Body): Promise<RawMessage>
  /** Ends the link from the server's side. */
  hangUp(): void
  readonly closed: boolean
}

export const ALL: Body = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
}

export function rawServer(options: RawServerOptions = {}): RawServer {
  const { version, capabilities = ALL, instructions, answers = {} } = options
  const [link, own] = memoryPair()
  const received: RawMessage[] = []
  const waiting = new Map<string, (message: RawMessage) => void>()
  let closed = false
  let asked = 0

  const initialise: RawAnswer = (params) => ({
    protocolVersion: version ?? params['protocolVersion'],
    capabilities,
    serverInfo: { name: 'raw', version: '9' },
    ...(instructions === undefined ? {} : { instructions }),
  })

  const all: Record<string, RawAnswer> = { initialize: initialise, ping: () => ({}), ...answers }

  const send = (message: Body | string): void =>
    own.send(typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...message }))

  own.open({
    frame(text) {
      const message = JSON.parse(text) as RawMessage
      if (message.method === 'server/discover' && answers['server/discover'] === undefined) {
        // The question every client begins with; what such a server says to it is not what these tests are about.
        return send({ id: message.id, error: { code: -32601, message: 'Method not found' } })
      }
      received.push(message)
      if (message.method === undefined) return void waiting.get(String(message.id))?.(message)
      if (message.id === undefined) return
      const result = all[message.method]?.(message.params ?? {}, message)
      if (result !== undefined) send('error' in result ? { id: message.id, ...result } : { id: message.id, result })
    },
    closed() {
      closed = true
    },
  })

  return {
    link,
    received,
    of: (method) => received.filter((message) => message.method === method),
    send,
    notify: (method, params) => send(params === undefined ? { method } : { method, params }),
    ask(method, params) {
      const id = `ask-${++asked}`
      const answered = new Promise<RawMessage>((resolve) => waiting.set(id, resolve))
      send(params === undefined ? { id, method } : { id, method, params })
      return answered
    },
    hangUp: () => own.close(),
    get closed() {
      return closed
    },
  }
}
