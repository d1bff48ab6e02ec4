import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer as createNetServer, connect as dial, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { connect } from '../../src/client.ts'
import { type ServeTcpOptions, serveTcp, type TcpHandle, tcpLink } from '../../src/node/index.ts'
import { createServer, tool } from '../../src/server.ts'
import { fakeClock } from '../../src/testing.ts'
import { until } from './processes.ts'

const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`
const initialize = line({
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
})
const initialized = line({ method: 'notifications/initialized' })
const call = (id: number, name: string, args: object = {}) =>
  line({ id, method: 'tools/call', params: { name, arguments: args } })

const text = { type: 'object', properties: { text: { type: 'string' } } } as const

/** Lets `waits` go on. */
let release: () => void = () => {}

const server = createServer({ name: 'tcp', version: '1' }).add(
  tool('echo', { description: 'Says it again', input: text }, ({ text: said }) => String(said)),
  tool('waits', { description: 'Until it is released' }, async () => {
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return 'at last'
  }),
)

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean()
})

async function served(options: Partial<ServeTcpOptions> = {}): Promise<TcpHandle> {
  const handle = await serveTcp(server, { port: 0, ...options })
  cleanups.push(() => handle.close({ drain: 0 }))
  return handle
}

/** A bare socket and what came out of it. */
async function raw({ port, host }: TcpHandle): Promise<{
  socket: Socket
  answers: () => { id?: number | null; result?: object; error?: object }[]
  ended: Promise<void>
}> {
  const socket = dial({ port, host, allowHalfOpen: true })
  cleanups.push(() => socket.destroy())
  let said = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    said += chunk
  })
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()).once('end', () => resolve()))
  await new Promise((resolve) => socket.once('connect', resolve))
  return {
    socket,
    ended,
    answers: () =>
      said
        .split('\n')
        .slice(0, -1)
        .map((each) => JSON.parse(each)),
  }
}

describe('T serveTcp and tcpLink', () => {
  it('serve several clients at once, each in its own version', async () => {
    const handle = await served()
    expect(handle.url).toBe(`tcp://127.0.0.1:${handle.port}`)
    const versions = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
    const clients = await Promise.all(versions.map(async (version) => connect(await tcpLink(handle.url), { version })))
    expect(handle.sessions.map((session) => session.version).sort()).toEqual([...versions])
    const said = await Promise.all(
      clients.map(async (client, n) => (await client.call('echo', { text: `n${n} 🌲` })).text),
    )
    expect(said).toEqual(['n0 🌲', 'n1 🌲', 'n2 🌲', 'n3 🌲'])
    expect((await clients[0]?.call('echo', { text: 'x'.repeat(1_000_000) }))?.text).toHaveLength(1_000_000)
    await Promise.all(clients.map((client) => client.close()))
    await until(
      () => handle.sessions.length,
      (left) => left === 0,
    )
  })

  it('take an address as text, as URL, or in parts', async () => {
    const { port, url } = await served()
    for (const target of [url, new URL(url), { port }, { host: 'localhost', port }]) {
      const client = await connect(await tcpLink(target))
      await client.close()
    }
  })

  it.each([
    ['no address', 'localhost:80', /^Not a TCP address: localhost:80; write tcp:\/\/host:port$/],
    ['no port', 'tcp://localhost', /Not a TCP address/],
    ['another scheme', 'http://localhost:1', /Not a TCP address/],
    ['a port out of range', { port: 70_000 }, /^Not a TCP port: 70000$/],
    [
      'a host that is not there',
      'tcp://no-such-host.invalid:9',
      /^Cannot connect to tcp:\/\/no-such-host\.invalid:9: /,
    ],
  ])('say what is wrong with %s', async (_, target, message) => {
    await expect(tcpLink(target)).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringMatching(message),
    })
  })

  it('say that nobody listens, that a port is in use, and that connecting takes too long', async () => {
    const handle = await served()
    await expect(serveTcp(server, { port: handle.port })).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringMatching(/: the port is in use$/),
    })
    await handle.close()
    await expect(tcpLink(handle.url)).rejects.toMatchObject({
      kind: 'transport_error',
      message: `Cannot connect to ${handle.url}: no program listens there`,
    })
    await expect(tcpLink({ port: handle.port, host: '127.0.0.1', connectTimeout: 0 })).rejects.toMatchObject({
      message: expect.stringMatching(/no answer within 0 ms|no program listens/),
    })
  })
})

describe('T TCP: bad input', () => {
  it('half frames, two frames in one chunk, split characters, CRLF, garbage: each gets its answer', async () => {
    const { socket, answers, ended } = await raw(await served())
    const bytes = Buffer.from(call(2, 'echo', { text: 'blå 🌊' }).replace('\n', '\r\n'))
    const middle = bytes.indexOf('🌊') + 2
    for (const part of [
      initialize + initialized + call(1, 'echo', { text: 'a' }),
      bytes.subarray(0, middle),
      bytes.subarray(middle),
      'garbage\n',
      '{"half":',
    ]) {
      await new Promise((resolve) => socket.write(part, () => setImmediate(resolve)))
    }
    socket.end()
    await ended
    expect(answers()).toMatchObject([
      { id: 0 },
      { id: 1, result: { content: [{ text: 'a' }] } },
      { id: 2, result: { content: [{ text: 'blå 🌊' }] } },
      { error: { code: -32700, message: 'The message is not valid JSON' } },
      { error: { code: -32700, message: 'The input ended in the middle of a message' } },
    ])
  })

  it('a line over the limit is refused by its id, and the conversation goes on', async () => {
    const { socket, answers } = await raw(await served({ limits: { maxBytes: 1000 } }))
    socket.write(
      initialize + initialized + call(1, 'echo', { text: 'x'.repeat(100_000) }) + call(2, 'echo', { text: 'b' }),
    )
    await until(answers, ({ length }) => length === 3)
    expect(answers().slice(1)).toMatchObject([
      { id: 1, error: { message: 'Messages are limited to 1000 bytes' } },
      { id: 2, result: {} },
    ])
  })

  it('a connection that is reset ends its session and no other', async () => {
    const handle = await served()
    const other = await connect(await tcpLink(handle.url))
    const { socket, answers } = await raw(handle)
    socket.write(initialize + initialized + call(1, 'waits'))
    await until(answers, ({ length }) => length === 1)
    socket.resetAndDestroy()
    await until(
      () => handle.sessions.length,
      (left) => left === 1,
    )
    expect((await other.call('echo', { text: 'still here' })).text).toBe('still here')
    await other.close()
  })

  it('a server that vanishes fails what waits for it', async () => {
    const listener = createNetServer((socket) => {
      socket.once('data', () =>
        socket.write(
          line({
            id: 1,
            result: {
              protocolVersion: '2025-11-25',
              capabilities: { tools: {} },
              serverInfo: { name: 'x', version: '1' },
            },
          }),
        ),
      )
      socket.on('data', (chunk) => String(chunk).includes('tools/call') && socket.resetAndDestroy())
      socket.on('error', () => {})
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    cleanups.push(() => new Promise((resolve) => listener.close(resolve)))
    const { port } = listener.address() as { port: number }
    const client = await connect(await tcpLink({ port }), { version: '2025-11-25' })
    await expect(client.call('echo')).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(/The tcp link failed|The connection ended/),
    })
    expect(client.session.phase).toBe('closed')
  })
})

describe('T TCP: what is no JSON-RPC from the start', () => {
  it('a web page that has a browser post messages runs no tool, and is hung up on', async () => {
    let ran = 0
    const guarded = createServer({ name: 'guarded', version: '1' }).add(
      tool('harm', {}, () => {
        ran++
        return 'done'
      }),
    )
    for (const crashReports of [undefined, mkdtempSync(join(tmpdir(), 'parley-tcp-'))]) {
      const handle = await serveTcp(guarded, { port: 0, ...(crashReports === undefined ? {} : { crashReports }) })
      cleanups.push(() => handle.close({ drain: 0 }))
      const { socket, answers, ended } = await raw(handle)
      const body = initialize + initialized + call(1, 'harm')
      socket.write(
        `POST / HTTP/1.1\r\nHost: 127.0.0.1:${handle.port}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      )
      await ended
      expect(answers()).toMatchObject([{ id: null, error: { code: -32700 } }])
      await until(
        () => handle.sessions.length,
        (left) => left === 0,
      )
      // A stranger at the door is no crash.
      if (crashReports !== undefined) {
        expect(readdirSync(crashReports)).toEqual([])
        rmSync(crashReports, { recursive: true })
      }
      // The same lines without the HTTP before them do run it.
      const honest = await raw(handle)
      honest.socket.write(body)
      await until(honest.answers, ({ length }) => length === 2)
    }
    expect(ran).toBe(2)
  })

  it.each([
    ['no JSON-RPC', '{"hello":1}\n', -32600],
    ['not UTF-8', Buffer.from([0x16, 0x03, 0x01, 0xff, 0x0a]), -32700],
    ['garbage after a ping', `${line({ id: 1, method: 'ping' })}garbage\n`, -32700],
    [
      'garbage after an initialize that failed',
      `${line({ id: 1, method: 'initialize', params: {} })}garbage\n`,
      -32700,
    ],
  ])('%s ends the connection before a handshake', async (_, said, code) => {
    const { socket, answers, ended } = await raw(await served())
    socket.write(said)
    socket.write(initialize)
    await ended
    expect(answers().at(-1)).toMatchObject({ id: null, error: { code } })
  })

  it('D-01 garbage after a request that needs no handshake is only answered', async () => {
    const { socket, answers } = await raw(await served())
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const discover = (id: number) => line({ id, method: 'server/discover', params: { _meta: meta } })
    socket.write(`${discover(1)}garbage\n${discover(2)}`)
    await until(answers, ({ length }) => length === 3)
    expect(answers()).toMatchObject([{ id: 1, result: {} }, { error: { code: -32700 } }, { id: 2, result: {} }])
    socket.destroy()
  })
})

describe('T TCP: limits and the end', () => {
  it('a client that has said everything still gets its answers', async () => {
    const { socket, answers, ended } = await raw(await served())
    socket.end(initialize + initialized + call(1, 'waits') + call(2, 'echo', { text: 'b' }))
    await until(answers, ({ length }) => length === 2)
    release()
    await ended
    expect(answers().map(({ id }) => id)).toEqual([0, 2, 1])
  })

  it('one connection too many is told so and hung up on', async () => {
    const handle = await served({ maxConnections: 1 })
    const first = await connect(await tcpLink(handle.url))
    const { answers, ended } = await raw(handle)
    await ended
    expect(answers()).toMatchObject([{ id: null, error: { message: 'This server takes at most 1 connections' } }])
    await first.close()
    await until(
      () => handle.sessions.length,
      (left) => left === 0,
    )
    const second = await connect(await tcpLink(handle.url))
    await second.close()
  })

  // D-17: nobody pings where there is no session.
  it.each([
    ['2025-11-25', 5],
    ['2026-07-28', -1],
  ] as const)(
    'a client that asks for nothing is hung up on after the idle time-out; pings do not count, running requests do (%s)',
    async (version, fewest) => {
      const clock = fakeClock()
      const handle = await served({ idleTimeout: '60s', keepAlive: { every: '10s' }, clock })
      const client = await connect(await tcpLink(handle.url), { version, keepAlive: false })
      const [session] = handle.sessions
      const pings = () => session?.stats().methods['ping']?.sent ?? 0
      const pass = async (seconds: number) => {
        for (let passed = 0; passed < seconds; passed += 10) {
          const before = pings()
          await clock.advance(10_000)
          // The ping must be answered before the clock moves on, or the peer would be taken for dead.
          if (pings() > before)
            await until(
              () => session?.pending().length,
              (left) => left === 0,
            )
        }
      }
      await pass(40)
      await client.call('echo', { text: 'a' })
      await pass(40)
      expect(handle.sessions).toHaveLength(1)
      const waiting = client.call('waits', {}, { timeout: '10m' })
      await until(
        () => session?.inFlight().length,
        (running) => running === 1,
      )
      await pass(120)
      expect(handle.sessions).toHaveLength(1)
      release()
      await waiting
      expect(pings()).toBeGreaterThan(fewest)
      await pass(90)
      expect(handle.sessions).toHaveLength(0)
      await until(
        () => client.session.phase,
        (phase) => phase === 'closed',
      )
      expect(clock.pending).toBe(0)
    },
  )

  it('closing lets running requests finish, takes no new connections, and leaves nothing open', async () => {
    const handle = await served()
    const client = await connect(await tcpLink(handle.url))
    const running = client.call('waits')
    await until(
      () => handle.sessions[0]?.inFlight().length,
      (count) => count === 1,
    )
    const closing = handle.close({ drain: '10s' })
    await expect(tcpLink(handle.url)).rejects.toMatchObject({ kind: 'transport_error' })
    release()
    expect((await running).text).toBe('at last')
    await closing
    await handle.close()
    expect(handle.sessions).toEqual([])
  })
})
