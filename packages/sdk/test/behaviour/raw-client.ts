/** A client made of raw frames, for tests of what a server does with what it is told. */

import type { AcceptOptions, Acceptor, Session } from '../../src/session/index.ts'
import { flush, memoryPair } from '../../src/testing.ts'
import { eraOf, type ProtocolVersion } from '../../src/versions/index.ts'

export interface Frame {
  jsonrpc?: string
  id?: string | number | null
  method?: string
  params?: Record<string, unknown>
  result?: Record<string, unknown>
  error?: { code: number; message: string; data?: Record<string, unknown> }
}

export interface RawClient {
  /** Every frame of the server so far, as text. */
  readonly texts: string[]
  readonly session: Session
  readonly closed: boolean
  send(frame: unknown): void
  /** Sends a frame and gives what came back before everything was quiet. */
  exchange(frame: unknown): Promise<Frame[]>
  /** A request of the client's version with a new id, and the whole answer. */
  ask(method: string, params?: Record<string, unknown>): Promise<Frame>
  close(): void
}

type Dress = (params: Record<string, unknown> | undefined) => Record<string, unknown> | undefined

export function rawClient(server: Acceptor, options: AcceptOptions = {}, dress: Dress = (params) => params): RawClient {
  const [near, far] = memoryPair()
  const session = server.accept(far, { keepAlive: false, ...options })
  const texts: string[] = []
  let closed = false
  let id = 1000
  near.open({
    frame: (text) => void texts.push(text),
    closed: () => {
      closed = true
    },
  })
  const send = (frame: unknown): void => void near.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  const exchange = async (frame: unknown): Promise<Frame[]> => {
    const before = texts.length
    send(frame)
    await flush()
    return texts.slice(before).flatMap((text) => JSON.parse(text) as Frame | Frame[])
  }
  return {
    texts,
    session,
    send,
    exchange,
    ask: async (method, given) => {
      const asked = ++id
      const params = dress(given)
      const answers = (
        await exchange({ jsonrpc: '2.0', id: asked, method, ...(params === undefined ? {} : { params }) })
      ).filter((frame) => frame.id === asked)
      if (answers.length !== 1) throw new Error(`${method} got ${answers.length} answers`)
      return answers[0] as Frame
    },
    close: () => near.close(),
    get closed() {
      return closed
    },
  }
}

export const initialize = (version: unknown, capabilities: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: version, capabilities, clientInfo: { name: 'raw', version: '0' } },
})

/** D-01: what a request of the stateless era says of itself, beside its own parameters. */
export function envelope(
  version: string,
  params: Record<string, unknown> = {},
  capabilities: Record<string, unknown> = {},
): Record<string, unknown> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': version,
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '0' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  }
  return { ...params, _meta: { ...(params['_meta'] as object | undefined), ...meta } }
}

/** Past the handshake, or where there is none, past the first request. */
export async function openRaw(
  server: Acceptor,
  version: ProtocolVersion,
  options?: AcceptOptions,
  capabilities?: Record<string, unknown>,
): Promise<RawClient> {
  if (eraOf(version) === 'stateless') {
    const client = rawClient(server, options, (params) => envelope(version, params, capabilities))
    await client.ask('server/discover')
    return client
  }
  const client = rawClient(server, options)
  await client.exchange(initialize(version, capabilities))
  await client.exchange({ jsonrpc: '2.0', method: 'notifications/initialized' })
  return client
}

/** Nothing of the inside may show on the wire. */
export function internals(texts: readonly string[]): string[] {
  return texts.filter((text) =>
    /"stack"|\bat .+:\d+:\d+|\/(?:work|home|usr|node_modules)\/|node:internal|\.ts:\d+/.test(text),
  )
}
