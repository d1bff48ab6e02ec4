/**
 * Connections with `fastHttp`: how long they live, which side ends them, and the requests in progress at the end.
 */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { fakeClock } from '../../src/testing/index.ts'
import type { Sink } from '../../src/transport/index.ts'
import { countedByNode, FOR_NODE_HTTP, hangUpAll, raw, serveFast, settled, Wire } from './http-fast.fixtures.ts'
import { gate, initialize, Peer, stopAll, toolCall } from './http-server.fixtures.ts'
import { posting, serveStateless, stopStateless } from './http-stateless.fixtures.ts'

afterEach(async () => {
  hangUpAll()
  await stopAll()
  await stopStateless()
})

const SECOND = 1000
const TOO_SLOW = 'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'
/** More than the sockets of both sides hold. */
const MUCH = 40_000_000

describe('time', () => {
  it('a connection that says nothing is told so (408) and left', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({ clock })
    const wire = await Wire.open(port)
    await settled()
    await clock.advance(9 * SECOND)
    expect(wire.ended).toBe(false)
    await clock.advance(6 * SECOND)
    expect(await wire.last()).toBe(TOO_SLOW)
  })

  it('sooner where requests must come sooner', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({ clock, requestTimeout: SECOND })
    const wire = await Wire.open(port)
    await settled()
    await clock.advance(2 * SECOND)
    expect(await wire.last()).toBe(TOO_SLOW)
  })

  it('half a request is watched over by node:http, and still answered when the rest comes', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({ clock })
    const wire = await Wire.open(port)
    expect((await wire.ask({ body: initialize() })).status).toBe(200)
    const bytes = raw({ body: initialize() })
    await wire.write(bytes.subarray(0, -5))
    await settled()
    const seen = await countedByNode(port, () => clock.advance(6 * SECOND))
    expect(seen).toBe(1)
    await wire.write(bytes.subarray(-5))
    expect((await wire.response()).status).toBe(200)
    expect(wire.rest).toBe('')
  })

  it('a connection that is kept for nothing ends after 75 s, and one that is used does not', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({ clock })
    const [used, idle] = [await Wire.open(port), await Wire.open(port)]
    for (const wire of [used, idle]) await wire.ask({ body: initialize() })
    await clock.advance(70 * SECOND)
    expect((await used.ask({ body: initialize() })).status).toBe(200)
    expect(idle.ended).toBe(false)
    await clock.advance(15 * SECOND)
    expect(await idle.last()).toBe('')
    expect((await used.ask({ body: initialize() })).status).toBe(200)
  })

  it('waiting for an answer is not idle', async () => {
    const clock = fakeClock()
    const { port, go, waiting } = await serveFast({ clock, answer: 'json' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    await wire.write(raw({ headers, body: toolCall(1, 'wait') }))
    await waiting.opened
    await clock.advance(300 * SECOND)
    go.open()
    expect((await wire.response()).status).toBe(200)
    await clock.advance(60 * SECOND)
    expect((await wire.ask({ body: initialize() })).status).toBe(200)
  })

  it('neither is reading one, however slowly', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({
      clock,
      mounts: { '/much': { handle: (exchange) => exchange.respond(200, {}, 'x'.repeat(MUCH)) } },
    })
    const wire = await Wire.open(port)
    wire.socket.pause()
    await wire.write(raw({ path: '/much' }))
    await settled()
    await clock.advance(300 * SECOND)
    wire.socket.resume()
    expect((await wire.response()).body).toHaveLength(MUCH)
  })

  it('responses say what time it is', async () => {
    const { port } = await serveFast()
    const wire = await Wire.open(port)
    vi.useFakeTimers({ toFake: ['Date'] })
    try {
      for (const hour of ['10', '11']) {
        vi.setSystemTime(`2026-01-01T${hour}:00:00Z`)
        expect((await wire.ask({ path: '/nowhere' })).head).toContain(
          `\r\nDate: Thu, 01 Jan 2026 ${hour}:00:00 GMT\r\n`,
        )
      }
    } finally {
      vi.useRealTimers()
    }
  })

  it('nothing is left to wait for when the last connection is gone', async () => {
    const clock = fakeClock()
    const { port } = await serveFast({ clock })
    const wire = await Wire.open(port)
    await wire.ask({ path: '/nowhere' })
    expect(clock.pending).toBe(1)
    wire.hangUp()
    await settled()
    await clock.advance(5 * SECOND)
    expect(clock.pending).toBe(0)
  })
})

describe('L8 closing', () => {
  it('ends connections that are kept for nothing at once, and others when they are answered', async () => {
    const { port, serving, go, waiting } = await serveFast({ answer: 'json' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const [idle, handedOver, busy] = [await Wire.open(port), await Wire.open(port), await Wire.open(port)]
    await idle.ask({ path: '/nowhere' })
    await handedOver.ask({ path: '/nowhere', headers: FOR_NODE_HTTP })
    await busy.write(raw({ headers, body: toolCall(1, 'wait') }))
    await waiting.opened
    const closing = serving.close({ drain: '5s' })
    expect(await idle.last()).toBe('')
    expect(await handedOver.last()).toBe('')
    expect(busy.ended).toBe(false)
    go.open()
    expect((await busy.response()).body).toContain('waited')
    await closing
    expect(await busy.last()).toBe('')
  })

  it('an answer that is still being read is read to its end', async () => {
    const { port, serving } = await serveFast({
      mounts: { '/much': { handle: (exchange) => exchange.respond(200, {}, 'x'.repeat(MUCH)) } },
    })
    const wire = await Wire.open(port)
    wire.socket.pause()
    await wire.write(raw({ path: '/much' }))
    await settled()
    const closing = serving.close()
    await settled()
    wire.socket.resume()
    expect((await wire.response()).body).toHaveLength(MUCH)
    await closing
  })

  it('half a request and a connection that never spoke keep nobody', async () => {
    const clock = fakeClock()
    const { port, serving } = await serveFast({ clock })
    const [half, silent] = [await Wire.open(port), await Wire.open(port)]
    await half.write(raw({ body: initialize() }).subarray(0, -5))
    await settled()
    await serving.close()
    await half.last()
    await silent.last()
    expect(clock.pending).toBe(0)
  })

  it('a stream is ended', async () => {
    const { port, serving, waiting } = await serveFast({ answer: 'sse' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    await wire.write(raw({ headers, body: toolCall(1, 'wait') }))
    await waiting.opened
    await wire.until((rest) => rest.includes('retry: 1000'))
    await serving.close({ drain: 0 })
    expect(await wire.last()).toMatch(/\r\n0\r\n\r\n$/)
  })
})

describe('a client that goes', () => {
  it.each(['json', 'auto', 'sse'] as const)('D-63 cancels its call (%s)', async (answer) => {
    const { port, told, server } = await serveStateless({ answer, fastHttp: true })
    const wire = await Wire.open(port)
    expect(
      await countedByNode(port, async () => {
        await wire.write(raw(posting('tools/call', { name: 'wait' })))
        await told.until('begun')
      }),
    ).toBe(0)
    wire.hangUp()
    await told.until('aborted')
    expect(server.health().inFlight).toBe(0)
  })

  it('D-63 cancels its call in the middle of a stream', async () => {
    const { port, told, server } = await serveStateless({ fastHttp: true })
    const wire = await Wire.open(port)
    await wire.write(raw(posting('tools/call', { name: 'announce' }, { meta: { progressToken: 1 } })))
    await wire.until((rest) => rest.includes('notifications/progress'))
    wire.hangUp()
    await told.until('aborted')
    expect(server.health().inFlight).toBe(0)
  })

  it('is known to be gone, and writing to it does no harm', async () => {
    const closed = gate()
    let sink: Sink | undefined
    let calls = 0
    const { port } = await serveFast({
      mounts: {
        '/stream': {
          handle: (exchange) => {
            sink = exchange.stream(200, {})
            sink.write('begun')
            exchange.onGone(() => calls++)
            sink.onClose(() => {
              calls++
              expect(exchange.gone).toBe(true)
              closed.open()
            })
          },
        },
      },
    })
    const wire = await Wire.open(port)
    await wire.write(raw({ path: '/stream' }))
    await wire.until((rest) => rest.includes('begun'))
    wire.hangUp()
    await closed.opened
    sink?.write('more')
    sink?.end('last')
    sink?.abort()
    await settled()
    expect(calls).toBe(2)
    const late = gate()
    sink?.onClose(late.open)
    await late.opened
  })

  it('the end of a stream is told when all of it is sent, and the connection goes on', async () => {
    const closed = gate()
    const { port } = await serveFast({
      mounts: {
        '/stream': {
          handle: (exchange) => {
            const sink = exchange.stream(200, {})
            sink.onClose(closed.open)
            sink.write('one')
            sink.end('two')
            sink.write('three')
            sink.end('four')
          },
        },
      },
    })
    const wire = await Wire.open(port)
    await wire.write(raw({ path: '/stream' }))
    expect((await wire.response()).body).toBe('3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n')
    await closed.opened
    expect((await wire.ask({ path: '/nowhere' })).status).toBe(404)
  })
})

describe('a client that does not read', () => {
  it('a stream is hung up on', async () => {
    const gone = gate()
    const { port, server } = await serveFast({ answer: 'sse', maxUnread: 100_000 })
    const { tool } = await import('../../src/server.ts')
    server.add(
      tool('flood', {}, async (_, ctx) => {
        // One after another, as sockets take them.
        for (let n = 0; n < 400; n++) {
          ctx.log('info', 'x'.repeat(100_000))
          await settled()
        }
        gone.open()
        return 'flooded'
      }),
    )
    const { id } = await Peer.open(port)
    const wire = await Wire.open(port)
    wire.socket.pause()
    await wire.write(raw({ headers: { 'mcp-session-id': id }, body: toolCall(1, 'flood') }))
    await gone.opened
    wire.socket.resume()
    const said = await wire.last()
    expect(said.length).toBeLessThan(400 * 100_000)
    expect(said).not.toContain('flooded')
  })

  it('and sends on and on while it is being answered is not read any further', async () => {
    const { port, waiting } = await serveFast({ answer: 'json' })
    const headers = { 'mcp-session-id': (await Peer.open(port)).id }
    const wire = await Wire.open(port)
    await wire.write(raw({ headers, body: toolCall(1, 'wait') }))
    await waiting.opened
    void wire.write(Buffer.alloc(MUCH))
    for (let n = 0; n < 500; n++) await settled()
    expect(wire.socket.writableLength).toBeGreaterThan(0)
  })

  it('answers gets no more of them, and all of them in the end', async () => {
    let begun = 0
    const { port } = await serveFast({
      mounts: {
        '/much': {
          handle: (exchange) => {
            begun++
            exchange.respond(200, {}, 'x'.repeat(1_000_000))
          },
        },
      },
    })
    const wire = await Wire.open(port)
    wire.socket.pause()
    const count = 100
    const seen = await countedByNode(port, async () => {
      for (let n = 0; n < count; n++) {
        await wire.write(raw({ path: '/much' }))
        await settled()
      }
    })
    expect(seen).toBe(0)
    // What sockets hold differs, but it is not that much.
    expect(begun).toBeLessThan(count / 2)
    wire.socket.resume()
    for (let n = 0; n < count; n++) expect((await wire.response()).body).toHaveLength(1_000_000)
    expect(begun).toBe(count)
    expect(wire.rest).toBe('')
  })
})
