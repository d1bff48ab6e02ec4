/** The programs in docs/connections.md that stand between clients and servers do what is said of them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type ConnectOptions, connect } from '../src/client.ts'
import * as engine from '../src/engine.ts'
import { ParleyError, versions } from '../src/index.ts'
import { createServer, tool } from '../src/server.ts'
import { memoryPair } from '../src/testing.ts'

const page = readFileSync(new URL('../../../docs/connections.md', import.meta.url), 'utf8')
const [, program = '', wrapper = ''] = (page.split('## Standing between clients and servers')[1] ?? '')
  .split('```js\n')
  .map((part) => part.split('```')[0])

type Bridge = (target: unknown) => engine.Acceptor

/** Modules are what the tests have of them; the rest is as it is printed. */
function made<Thing>(printed: string, name: string): Thing {
  const text = printed
    .replace(/^import (\{[^}]*\}) from 'parley-mcp\/engine'$/m, 'const $1 = engine')
    .replace(/^export /m, '')
  return new Function('engine', `${text}\nreturn ${name}`)(engine)
}

const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

function shop() {
  const cancelled: string[] = []
  const server = createServer({ name: 'shop', version: '9' }, { onError: () => {} }).add(
    tool('greet', {}, async (_, ctx) => `Hello, ${(await ctx.elicit('who', 'Who?', named)).content?.name}!`),
    tool('count', {}, (_, ctx) => {
      for (const done of [1, 2]) ctx.progress(done, 2)
      return 'counted'
    }),
    tool(
      'wait',
      {},
      (_, ctx) =>
        new Promise((_resolve, reject) =>
          ctx.signal.addEventListener('abort', () => {
            cancelled.push('wait')
            reject(new Error('cancelled'))
          }),
        ),
    ),
  )
  return { server, cancelled }
}

describe('docs/connections.md: a bridge', () => {
  const bridge = made<Bridge>(program, 'bridge')

  async function through(options: ConnectOptions) {
    const { server, cancelled } = shop()
    return {
      cancelled,
      client: await connect(bridge(server), {
        elicit: () => ({ action: 'accept', content: { name: 'Ann' } }),
        ...options,
      }),
    }
  }

  it.each(versions)('shows the server to a client of %s', async (version) => {
    const { client } = await through({ version })
    expect(client.session.peer?.info.name).toBe('shop')
    expect((await client.tools()).map(({ name }) => name)).toEqual(['greet', 'count', 'wait'])
    const seen: unknown[] = []
    expect(
      (await client.call('count' as never, {} as never, { onProgress: ({ progress }) => seen.push(progress) })).text,
    ).toBe('counted')
    expect(seen).toEqual([1, 2])
    await client.close()
  })

  it.each(['2025-06-18', '2025-11-25'] as const)('hands on what the server asks: %s', async (version) => {
    const { client } = await through({ version })
    expect((await client.call('greet' as never)).text).toBe('Hello, Ann!')
    await client.close()
  })

  it('and that a call is not wanted any more', async () => {
    const { client, cancelled } = await through({ version: '2025-11-25' })
    const stop = new AbortController()
    const called = client.call('wait' as never, {} as never, { signal: stop.signal })
    await client.session.ping()
    stop.abort()
    await expect(called).rejects.toMatchObject({ kind: 'request_cancelled' })
    while (cancelled.length === 0) await new Promise((resolve) => setImmediate(resolve))
    await client.close()
  })

  it('a server that cannot be reached is told in the answer to the handshake', async () => {
    const gone = () => Promise.reject(new ParleyError('refusal_unavailable', { message: 'nobody is there' }))
    await expect(connect(bridge(gone), { version: '2025-11-25' })).rejects.toThrow('nobody is there')
  })
})

describe('docs/connections.md: a link around a link', () => {
  it('counts what goes over it', async () => {
    const CountedLink = made<new (link: engine.Link) => engine.Link & { sent: number; received: number }>(
      wrapper,
      'CountedLink',
    )
    const [near, far] = memoryPair()
    const accepted = shop().server.accept(far, { keepAlive: false })
    const link = new CountedLink(near)
    const told = { sent: 0, received: 0 }
    const tap: ConnectOptions['tap'] = (direction, frame) => {
      told[direction] += frame.length
    }
    const client = await connect(link, { keepAlive: false, tap })
    await client.tools()
    expect(told.received).toBeGreaterThan(0)
    expect(link).toMatchObject(told)
    await client.close()
    await accepted.close()
  })
})
