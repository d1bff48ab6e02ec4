/** The wires of the transport suite: how a client and a server are connected by each transport. */
import { setMaxListeners } from 'node:events'
import { expect } from 'vitest'
import { type ConnectOptions, connect, type Link, memoryPair } from '../../src/client.ts'
import { nodeCall } from '../../src/node/http/client-call.ts'
import {
  childLink,
  type ServeHttpOptions,
  serveHttp,
  serveTcp,
  serveWebSocket,
  tcpLink,
  webSocketTo,
} from '../../src/node.ts'
import { fetchHandler } from '../../src/serve/index.ts'
import type { Server } from '../../src/server.ts'
import { type HttpLinkOptions, httpLink, sseLink } from '../../src/transport/index.ts'
import { certificate } from './certificate.fixtures.ts'
import { type Opened, SOON, type Wire } from './suite.ts'
import { cuttable } from './suite-cut.ts'
import { http2Caller } from './suite-http2.ts'
import { suiteServer } from './suite-server.ts'

const NOW = { drain: 0 }

/** A test must not wait for what a user would. */
const HASTE: HttpLinkOptions = { reconnect: { delay: 10, maxDelay: 20, attempts: 3 }, closeTimeout: 500 }

interface Serving {
  readonly port: number
  close(options: typeof NOW): Promise<unknown>
}

/** Nothing is left of the only client: no session, no request that is being answered, no subscription. */
const forgotten = (server: Server): Promise<unknown> =>
  expect
    .poll(() => {
      const { sessions, inFlight, subscriptions } = server.health()
      return { sessions, inFlight, subscriptions }
    }, SOON)
    .toEqual({ sessions: 0, inFlight: 0, subscriptions: 0 })

/** A server that listens on a port, reached through a wire that can be cut. */
async function overPort(
  options: ConnectOptions,
  serve: (server: Server) => Promise<Serving>,
  dial: (address: string) => Link | Promise<Link>,
): Promise<Opened> {
  const server = suiteServer()
  const serving = await serve(server)
  const wire = await cuttable(serving.port)
  const client = await connect(await dial(`127.0.0.1:${wire.port}`), options)
  return {
    client,
    gone: () => forgotten(server),
    stop: () => serving.close(NOW),
    cut: wire.cut,
    async release() {
      wire.cut()
      await serving.close(NOW)
    },
  }
}

export const memory: Wire = {
  transport: 'memory',
  async open(options) {
    const server = suiteServer()
    const [near, far] = memoryPair()
    server.accept(far)
    const client = await connect(near, options)
    return {
      client,
      gone: () => forgotten(server),
      stop: () => server.close(NOW),
      cut: () => far.close(),
      release: () => server.close(NOW),
    }
  },
}

/** `program` is the bundled server. */
export function stdio(program: () => string): Wire {
  return {
    transport: 'stdio',
    async open(options) {
      const link = await childLink({
        command: process.execPath,
        args: [program()],
        shutdown: { inputEnd: '5s', terminate: '1s' },
      })
      return {
        client: await connect(link, options),
        gone: () => link.gone,
        stop: () => {
          process.kill(link.pid, 'SIGTERM')
          return link.gone
        },
        cut: () => process.kill(link.pid, 'SIGKILL'),
        release: () => {
          link.close()
          return link.gone
        },
      }
    },
  }
}

export const tcp: Wire = {
  transport: 'tcp',
  open: (options) =>
    overPort(
      options,
      (server) => serveTcp(server, { port: 0 }),
      (address) => tcpLink(`tcp://${address}`),
    ),
}

export function http(serving: ServeHttpOptions, linking: HttpLinkOptions = { call: nodeCall }): Wire {
  return {
    transport: 'http',
    ordered: serving.answer !== 'json',
    open: (options) =>
      overPort(
        options,
        (server) => serveHttp(server, { port: 0, retry: 10, ...serving }),
        (address) =>
          httpLink(`${serving.tls === undefined ? 'http' : 'https'}://${address}/mcp`, { ...HASTE, ...linking }),
      ),
  }
}

export function http2(serving: ServeHttpOptions): Wire {
  return {
    transport: 'http',
    async open(options) {
      const caller = http2Caller(certificate.cert)
      const opened = await http(serving, { call: caller.call }).open(options)
      return {
        ...opened,
        async release() {
          caller.close()
          await opened.release()
        },
      }
    },
  }
}

export const httpSse: Wire = {
  transport: 'sse',
  skips: false,
  open: (options) =>
    overPort(
      options,
      (server) => serveHttp(server, { port: 0, sse: true }),
      (address) => sseLink(`http://${address}/sse`, HASTE),
    ),
}

export const webSocket: Wire = {
  transport: 'websocket',
  open: (options) =>
    overPort(
      options,
      (server) => serveWebSocket(server, { port: 0 }),
      (address) => webSocketTo(`ws://${address}/ws`),
    ),
}

/**
 * A handler called directly, with what `fetch` would add: a body that ends when its request is aborted or the network
 * fails.
 */
export const handled: Wire = {
  transport: 'http',
  async open(options) {
    const server = suiteServer()
    const handler = fetchHandler(server, { retry: 10 })
    const network = new AbortController()
    setMaxListeners(0, network.signal)
    const down = broken(network.signal)
    const fetch = async (url: URL, init: RequestInit): Promise<Response> => {
      network.signal.throwIfAborted()
      const response = await Promise.race([handler(new Request(url, init)), down, broken(init.signal)])
      const signal = AbortSignal.any([network.signal, ...(init.signal ? [init.signal] : [])])
      return response.body === null
        ? response
        : new Response(response.body.pipeThrough(new TransformStream(), { signal }), response)
    }
    return {
      client: await connect(httpLink('http://localhost/mcp', { ...HASTE, fetch }), options),
      gone: () => forgotten(server),
      stop: () => handler.close(NOW),
      cut: () => network.abort(new TypeError('the network is down')),
      release: () => handler.close(NOW),
    }
  },
}

function broken(signal: AbortSignal | null | undefined): Promise<never> {
  const promise = new Promise<never>((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  promise.catch(() => {})
  return promise
}
