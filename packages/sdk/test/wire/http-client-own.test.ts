import { createConnection, createServer as createTcpServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpServing, type ServeHttpOptions, serveHttp } from '../../src/node/index.ts'
import { createServer, tool } from '../../src/server/index.ts'
import type { Session } from '../../src/session/index.ts'
import { httpLink, openHttp } from '../../src/transport/index.ts'
import { type HandshakeVersion, handshakeVersions } from '../../src/versions/index.ts'
import { calls, talk } from './http-client.fixtures.ts'

let release = (): void => {}

const server = createServer({ name: 'own', version: '1' }).add(
  tool(
    'echo',
    { description: 'Says it again', input: { type: 'object', properties: { text: { type: 'string' } } } },
    ({ text }) => `${text}`,
  ),
  tool('steps', { description: 'Reports progress' }, (_, ctx) => {
    for (let step = 1; step <= 3; step++) ctx.progress(step, 3)
    return 'done'
  }),
  tool('later', { description: 'Lets the client hang up' }, async (_, ctx) => {
    ctx.poll(30)
    await new Promise<void>((resolve) => {
      release = resolve
    })
    return 'here it is'
  }),
)

const servings: HttpServing[] = []
async function serve(options: ServeHttpOptions = {}): Promise<HttpServing> {
  const serving = await serveHttp(server, { port: 0, ...options })
  servings.push(serving)
  return serving
}

afterEach(async () => {
  await Promise.all(servings.splice(0).map((serving) => serving.close({ drain: 0 })))
})

const call = (session: Session, name: string, args: object = {}, options = {}) =>
  session.request('tools/call', { name, arguments: args }, options)

describe.each(calls)('T our client over %s and our server', (_, options) => {
  it.each(
    handshakeVersions.flatMap((version) =>
      (['json', 'sse'] as const).map((answer): [HandshakeVersion, 'json' | 'sse'] => [version, answer]),
    ),
  )('%s, answered with %s', async (version, answer) => {
    const serving = await serve({ answer })
    const session = await talk(httpLink(serving.url, options), { versions: [version] })
    expect(session.version).toBe(version)
    const told: number[] = []
    expect(
      await call(session, 'steps', {}, { onProgress: ({ progress }: { progress: number }) => told.push(progress) }),
    ).toMatchObject({
      content: [{ type: 'text', text: 'done' }],
    })
    if (answer === 'sse') expect(told).toEqual([1, 2, 3])
    const texts = Array.from({ length: 20 }, (__, index) => `text ${index}`)
    expect(await Promise.all(texts.map((text) => call(session, 'echo', { text })))).toMatchObject(
      texts.map((text) => ({ content: [{ text }] })),
    )
    expect(serving.sessions).toBe(1)
    await session.close()
    expect(serving.sessions).toBe(0)
  })

  it('C-40 comes back for an answer when the server asks it to', async () => {
    const serving = await serve()
    const gets: string[] = []
    const session = await talk(
      httpLink(serving.url, {
        ...options,
        headers: () => {
          gets.push('asked')
          if (gets.length > 4) release()
          return {}
        },
      }),
    )
    expect(await call(session, 'later')).toMatchObject({ content: [{ text: 'here it is' }] })
    await session.close()
  })

  it('A-11 A-12 a connection that is cut costs nothing', async () => {
    const serving = await serve({ answer: 'sse', retry: 20 })
    const proxy = await cuttable(serving.port)
    const session = await talk(httpLink(`http://127.0.0.1:${proxy.port}/mcp`, options))
    const waiting = call(session, 'later')
    await proxy.quiet()
    proxy.cut()
    release()
    expect(await waiting).toMatchObject({ content: [{ text: 'here it is' }] })
    await session.close()
    await proxy.close()
  })

  it('A-10 a server that was restarted is noticed', async () => {
    const first = await serve()
    const session = await talk(httpLink(first.url, { ...options, listen: false }))
    await first.close({ drain: 0 })
    await serve({ port: first.port })
    await expect(call(session, 'echo')).rejects.toMatchObject({
      kind: 'connection_closed',
      cause: { kind: 'session_lost' },
    })
  })

  it('C-42 its stream of 2024-11-05 is found by its address', async () => {
    const serving = await serve({ sse: true })
    const session = await talk(openHttp(new URL('/sse', serving.url), options))
    expect(await call(session, 'echo', { text: 'old' })).toMatchObject({ content: [{ text: 'old' }] })
    await session.close()
  })
})

interface Cuttable {
  port: number
  /** Resolves when a response is under way. */
  quiet(): Promise<void>
  cut(): void
  close(): Promise<void>
}

/** Passes bytes on until it is told to cut every connection at once. */
async function cuttable(to: number): Promise<Cuttable> {
  const sockets = new Set<Socket>()
  let tell = (): void => {}
  const streaming = new Promise<void>((resolve) => {
    tell = resolve
  })
  const proxy = createTcpServer((near) => {
    const far = createConnection(to, '127.0.0.1')
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    let asked = ''
    near.on('data', (chunk) => {
      asked += chunk.toString('latin1')
      far.write(chunk)
    })
    far.on('data', (chunk) => {
      near.write(chunk)
      if (asked.includes('"later"') && chunk.includes('data:')) tell()
    })
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const { port } = proxy.address() as { port: number }
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port,
    quiet: () => streaming,
    cut,
    close: () =>
      new Promise((resolve) => {
        proxy.close(() => resolve())
        cut()
      }),
  }
}
