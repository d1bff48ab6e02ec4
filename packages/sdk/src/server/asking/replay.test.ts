/** Handlers that are run again with each answer: what they do happens once, whenever they do it. */
import { describe, expect, it } from 'vitest'
import { ParleyError, ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { fakeClock, flush } from '../../testing/clock.ts'
import type { Context } from '../context.ts'
import { RawClient as Client, type RawClient, rawClient } from '../raw-client.fixtures.ts'
import { createServer, type Server } from '../server.ts'
import { tool } from '../tools/tool.ts'

const NAMES = 'io.modelcontextprotocol/'
const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const ANN: Body = { action: 'accept', content: { name: 'Ann' } }

function call(more: Body = {}, capabilities: Body = { elicitation: {} }): Body {
  return {
    name: 'run',
    _meta: { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: capabilities },
    ...more,
  }
}

function serverWith(handler: (ctx: Context) => unknown, stateless: boolean, errors: unknown[] = []): Server {
  const options = { stateless, clock: fakeClock(), onError: (error: unknown) => void errors.push(error) }
  return createServer({ name: 'test', version: '1.0.0' }, options).add(
    tool('run', {}, (_, ctx) => handler(ctx)),
  ) as Server
}

async function finish(client: RawClient, first: Body, key: string): Promise<Body> {
  return client.result('tools/call', call({ requestState: first['requestState'], inputResponses: { [key]: ANN } }))
}

describe('8.2 once', () => {
  it('begins nothing in a run that is over', async () => {
    let charged = 0
    let load: Promise<void> = Promise.resolve()
    let loaded = (): void => {}
    const client = new Client(
      serverWith(async (ctx) => {
        const who = ctx.elicit('who', 'Who?', FORM)
        await load
        await ctx.once('charge', () => ++charged)
        return `${(await who).content?.name} ${charged}`
      }, true),
      {},
    )
    load = new Promise((resolve) => {
      loaded = resolve
    })
    const first = await client.result('tools/call', call())
    loaded()
    await flush()
    expect(charged).toBe(0)
    expect(await finish(client, first, 'who')).toMatchObject({ content: [{ text: 'Ann 1' }] })
    await client.close()
  })

  it('may fail where nobody looks at it for now', async () => {
    const handler = async (ctx: Context): Promise<string> => {
      const sent = ctx.once('send', () => Promise.reject(new Error('no post today')))
      await ctx.elicit('who', 'Who?', FORM)
      return sent.then(String, (error: Error) => error.message)
    }
    const client = new Client(serverWith(handler, true), {})
    const first = await client.result('tools/call', call())
    expect(await finish(client, first, 'who')).toMatchObject({ content: [{ text: 'no post today' }] })
    // A rejection that nobody handles makes the whole run of the tests fail.
    await flush()
    await client.close()
  })

  it.each([true, false])('F6 names the key of what JSON cannot write, in every run (replay: %s)', async (stateless) => {
    const seen: unknown[] = []
    const handler = async (ctx: Context): Promise<string> => {
      for (const value of [1n, () => 1]) {
        await ctx
          .once(`k${typeof value}`, () => value)
          .catch((error) => seen.push([error instanceof TypeError, error.name, error.message]))
      }
      await ctx.elicit('who', 'Who?', FORM)
      return 'done'
    }
    const client = new Client(serverWith(handler, stateless), {})
    const first = await client.result('tools/call', call())
    expect(await finish(client, first, 'who')).toMatchObject({ content: [{ text: 'done' }] })
    const once = [
      [true, 'TypeError', expect.stringMatching(/^What once\("kbigint"\) gave cannot be written as JSON: .*BigInt/)],
      [true, 'TypeError', 'What once("kfunction") gave cannot be written as JSON: it is a function'],
    ]
    expect(seen).toEqual(stateless ? [...once, ...once] : once)
    await client.close()
  })

  it('fails in the same way in every run', async () => {
    class Mine extends Error {}
    const seen: unknown[] = []
    const failures: Record<string, () => never> = {
      own: () => {
        throw new Mine('mine')
      },
      tool: () => {
        throw new ToolError('no luck', { structured: { left: 0 } })
      },
      kind: () => {
        throw new ParleyError('resource_not_found', { message: 'not there', data: { uri: 'memo://x' } })
      },
      foreign: () => {
        throw new ParleyError('internal_error', { message: 'secret', code: -32603 })
      },
    }
    const handler = async (ctx: Context): Promise<string> => {
      const run: unknown[] = []
      for (const [key, fail] of Object.entries(failures)) {
        run.push(
          await ctx.once(key, fail).catch((error: Error & { structured?: Body; kind?: string; data?: Body }) => {
            const { name, message, structured, kind, data } = error
            return { name, message, structured, kind, data, isMine: error instanceof Mine }
          }),
        )
      }
      seen.push(run)
      await ctx.elicit('who', 'Who?', FORM)
      return 'done'
    }
    const client = new Client(serverWith(handler, true), {})
    await finish(client, await client.result('tools/call', call()), 'who')
    expect(seen[0]).toMatchObject([
      { name: 'Error', message: 'mine', isMine: false },
      { name: 'ToolError', message: 'no luck', structured: { left: 0 } },
      { kind: 'resource_not_found', message: 'not there', data: { uri: 'memo://x' } },
      { name: 'TypeError', message: 'secret', kind: undefined },
    ])
    expect(seen[1]).toEqual(seen[0])
    await client.close()
  })

  it.each([{ stateless: false }, { stateless: true }])(
    'takes no question into it, which would never end: $stateless',
    async ({ stateless }) => {
      const errors: unknown[] = []
      const client = new Client(
        serverWith(
          (ctx) => ctx.once('ship', async () => (await ctx.elicit('sure', 'Sure?', FORM)).action),
          stateless,
          errors,
        ),
        {},
      )
      expect(await client.result('tools/call', call())).toMatchObject({ isError: true })
      expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('inside of once()') })])
      await client.close()
    },
  )
})

describe('E2 handlers that ask again whatever happens', () => {
  const stubborn = (): { asked: () => number; server: Server } => {
    let asked = 0
    const server = serverWith(async (ctx) => {
      for (;;) await ctx.elicit(`again-${++asked}`, 'Who?', FORM).catch(() => {})
    }, false)
    return { asked: () => asked, server }
  }

  it('leave time for others when the client cannot be asked', async () => {
    const { asked, server } = stubborn()
    const client = new Client(server, {})
    void client.request('tools/call', call({}, {}))
    await flush()
    expect(asked()).toBeLessThan(50)
    await client.close()
  })

  it.each(['2026-07-28', '2025-11-25'])('leave time for others when the client is gone: %s', async (version) => {
    const { asked, server } = stubborn()
    const client =
      version === '2026-07-28' ? new Client(server, {}) : await rawClient(server, { capabilities: { elicitation: {} } })
    void client.request('tools/call', call())
    await flush()
    await client.close()
    await flush()
    expect(asked()).toBeLessThan(50)
  })
})

it('"__proto__" is no key', async () => {
  const errors: unknown[] = []
  const client = new Client(
    serverWith((ctx) => ctx.elicit('__proto__', 'Who?', FORM), true, errors),
    {},
  )
  expect(await client.result('tools/call', call())).toMatchObject({ isError: true })
  expect(errors).toEqual([expect.objectContaining({ message: expect.stringContaining('__proto__') })])
  await client.close()
})
