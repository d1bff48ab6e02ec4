import { afterEach, describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import { dialWith } from './websocket-client.ts'

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

  constructor(...given: unknown[]) {
    this.given = given
  }
}

describe('T a WebSocket where the package ws is not installed', () => {
  it("is the runtime's own", async () => {
    runtimes.WebSocket = RuntimeSocket
    expect(await dial('ws://a/ws', settings)).toMatchObject({ given: ['ws://a/ws', 'mcp'] })
    const headers = { authorization: 'Bearer x' }
    expect(await dial('ws://a/ws', { ...settings, headers })).toMatchObject({ given: ['ws://a/ws', { protocols: 'mcp', headers }] })
  })

  it('cannot be had where the runtime has none either, and what is missing is named', async () => {
    delete runtimes.WebSocket
    await expect(dial('ws://a/ws', settings)).rejects.toBe(missing)
  })

  it('is not looked for in the runtime where the package is there', async () => {
    runtimes.WebSocket = undefined
    const installed = dialWith(() => Promise.resolve({ WebSocket: RuntimeSocket } as never))
    expect(await installed('ws://a/ws', settings)).toMatchObject({ given: ['ws://a/ws', 'mcp', { perMessageDeflate: false, maxPayload: 1 }] })
  })
})
