/** L4: what clients ask for and do not read has a limit for all connections together. */
import { connect as dial } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServeHttpOptions, serveHttp } from '../../src/node/index.ts'
import { createServer, tool } from '../../src/server.ts'
import { posting } from './http-stateless.fixtures.ts'

const LONG = 12 * 1024 * 1024
const CLIENTS = 8
const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

/** Asks for a long answer and reads nothing of it before it is told to; then tells how much it got. */
function greedy(port: number): { read(): Promise<number> } {
  const { body, headers } = posting('tools/call', { name: 'long', arguments: {} })
  const text = JSON.stringify(body)
  const all = {
    host: `127.0.0.1:${port}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    ...headers,
  }
  const head = Object.entries({ ...all, 'content-length': String(text.length), connection: 'close' }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  )
  const socket = dial(port, '127.0.0.1')
  socket.pause()
  socket.on('error', () => {})
  undo.push(() => socket.destroy())
  socket.write(`POST /mcp HTTP/1.1\r\n${head.join('')}\r\n${text}`)
  return {
    read: () =>
      new Promise((resolve) => {
        let length = 0
        socket.on('close', () => resolve(length))
        socket.on('data', (chunk) => {
          length += chunk.length
          if (length > LONG) socket.destroy()
        })
        socket.resume()
      }),
  }
}

describe.each<ServeHttpOptions>([{ fastHttp: true }, { fastHttp: false }])(
  'L4 answers that nobody reads (%o)',
  (options) => {
    it('are kept up to a limit; then those who leave most unread are hung up on', async () => {
      let calls = 0
      let allCalled = (): void => {}
      const called = new Promise<void>((resolve) => {
        allCalled = resolve
      })
      const long = tool('long', {}, () => {
        if (++calls === CLIENTS) setImmediate(allCalled)
        return 'x'.repeat(LONG)
      })
      const server = createServer({ name: 'long', version: '1' }, { limits: { maxBytes: 2 * LONG } }).add(long)
      const serving = await serveHttp(server, { port: 0, maxUnreadTotal: 2 * LONG, ...options })
      undo.push(() => serving.close({ drain: 0 }))
      const clients = Array.from({ length: CLIENTS }, () => greedy(serving.port))
      await called
      const whole = (await Promise.all(clients.map((client) => client.read()))).filter((length) => length > LONG)
      expect(whole.length).toBeGreaterThan(0)
      expect(whole.length).toBeLessThan(CLIENTS)
    })
  },
)
