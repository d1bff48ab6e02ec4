import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import { webSocketTo } from './client.ts'
import { dialWith } from './dial.ts'

const runtimes = globalThis as { WebSocket?: unknown }
const own = runtimes.WebSocket
afterEach(() => {
  if (own === undefined) delete runtimes.WebSocket
  else runtimes.WebSocket = own
})

const missing = new ParleyError('transport_error', { message: 'WebSockets need the package "ws" here: npm install ws' })
const dial = dialWith(() => Promise.reject(missing))
const settings = { protocol: 'mcp', headers: undefined, maxMessage: 1 }

/** All that it is asked for. */
class RuntimeSocket {
  readonly given: unknown[]
  readonly on = (): void => {}

  constructor(...given: unknown[]) {
    this.given = given
  }
}

describe('T a WebSocket where the package ws is not installed', () => {
  it("is the runtime's own", async () => {
    runtimes.WebSocket = RuntimeSocket
    expect(await dial('ws://a/ws', settings)).toMatchObject({ given: ['ws://a/ws', 'mcp'] })
    const headers = { authorization: 'Bearer x' }
    expect(await dial('ws://a/ws', { ...settings, headers })).toMatchObject({
      given: ['ws://a/ws', { protocols: 'mcp', headers }],
    })
  })

  it('cannot be had where the runtime has none either, and what is missing is named', async () => {
    delete runtimes.WebSocket
    await expect(dial('ws://a/ws', settings)).rejects.toBe(missing)
  })

  it('is not looked for in the runtime where the package is there', async () => {
    runtimes.WebSocket = undefined
    const installed = dialWith(() => Promise.resolve({ WebSocket: RuntimeSocket } as never))
    expect(await installed('ws://a/ws', settings)).toMatchObject({
      given: ['ws://a/ws', 'mcp', { perMessageDeflate: false, maxPayload: 1 }],
    })
  })
})

describe('T a WebSocket that is refused', () => {
  const json = JSON.stringify({ jsonrpc: '2.0', error: { code: -32600, message: 'WebSockets are taken at /ws' } })

  it.each([
    ['404 Not Found', json, 'it answered 404: WebSockets are taken at /ws', 'transport_error'],
    ['403 Forbidden', 'not you', 'it answered 403: not you', 'forbidden'],
    ['502 Bad Gateway', '', 'it answered 502: (an empty body)', 'transport_error'],
    ['500 Failed', 'x'.repeat(200_000), `it answered 500: ${'x'.repeat(200)}…`, 'transport_error'],
    ['500 Failed', '<html>much</html>', 'it answered 500: an HTML page', 'transport_error'],
  ])('says why: %s', async (status, body, words, kind) => {
    const http = createServer().on('upgrade', (_, socket) => {
      socket.on('error', () => {})
      socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\n\r\n${body}`)
    })
    await once(http.listen(0, '127.0.0.1'), 'listening')
    try {
      const url = `ws://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`
      const error: unknown = await webSocketTo(url).catch((reason: unknown) => reason)
      expect(error).toMatchObject({
        kind,
        message: `Cannot connect to ${url}: ${words}`,
        data: { status: Number(status.slice(0, 3)) },
      })
    } finally {
      await new Promise((resolve) => http.close(resolve))
    }
  })
})
