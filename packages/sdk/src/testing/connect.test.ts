/** Connecting a test client to a server value: types, transcript, clock, leaks. */
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { type Client, connect as connectClient } from '../client/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { createServer, resource, tool } from '../server/index.ts'
import { memoryPair } from '../transport/index.ts'
import { newestHandshakeVersion } from '../versions/index.ts'
import { answers, type Script } from './answers.ts'
import { fakeClock, flush } from './clock.ts'
import { connect } from './connect.ts'
import { testVersions } from './every-version.ts'
import { leaks } from './leaks.ts'

const add = tool(
  'add',
  {
    input: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a'] },
    output: { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] },
  },
  ({ a, b }) => ({ sum: a + (b ?? 1) }),
)
const hello = tool('hello', {}, () => 'hi')
const ask = tool(
  'ask',
  {},
  async (_, ctx) =>
    (await ctx.elicit('q', 'Well?', { type: 'object', properties: { yes: { type: 'boolean' } } })).action,
)
const server = createServer({ name: 'calc', version: '1' }).add(
  add,
  hello,
  ask,
  resource('a://b', {}, () => 'x'),
)

describe('types of a client', () => {
  it('come from the server value', async () => {
    await using client = await connect(server)
    const sum = await client.call('add', { a: 1 })
    expectTypeOf(sum.value).toEqualTypeOf<{ sum: number }>()
    expect(sum.value).toEqual({ sum: 2 })
    const greeting = await client.call('hello')
    expectTypeOf(greeting.value).toEqualTypeOf<string>()
    // @ts-expect-error: no such tool
    await expect(client.call('subtract', {})).rejects.toMatchObject({ kind: 'tool_not_found' })
    // @ts-expect-error: an argument is missing
    await expect(client.call('add', {})).rejects.toThrow('a')
    // @ts-expect-error: an argument of the wrong type
    await expect(client.call('add', { a: 'one' })).rejects.toThrow('a')
  })

  it('can be given to a link, and are open without', () => {
    const typed = (link: Link) => connectClient<typeof server>(link)
    expectTypeOf(typed).returns.resolves.toEqualTypeOf<Awaited<ReturnType<typeof connectClient<typeof server>>>>()
    const untyped = (link: Link) => connectClient(link)
    expectTypeOf(untyped).returns.resolves.toEqualTypeOf<Client>()
    const call = (client: Client) => client.call('anything', { at: 'all' })
    expectTypeOf(call).returns.resolves.toHaveProperty('value').toEqualTypeOf<unknown>()
  })
})

describe('connect of parley-mcp/testing', () => {
  it.each(testVersions)('keeps a transcript that is the same every time (%s)', async (version) => {
    const told = async (): Promise<string> => {
      await using client = await connect(server, { version, elicit: () => ({ yes: true }) })
      await client.call('hello')
      await client.call('ask', {}, { throwOnError: false })
      return String(client.transcript)
    }
    const first = await told()
    expect(first).toContain(
      '→ tools/call #2 {"name":"hello","arguments":{}}\n← result #2 {"content":[{"type":"text","text":"hi"}]}',
    )
    expect(await told()).toBe(first)
  })

  it('fails the test whose script does not match', async () => {
    const client = await connect(server, { version: newestHandshakeVersion, elicit: answers([]) })
    await expect(client.call('ask')).rejects.toThrow(
      'The script of answers() does not fit: The script has no answer to "Well?"',
    )
    await expect(client.close()).rejects.toThrow('Asked but not in the script: "Well?"')
  })

  it('D-20 fails the test if the script does not match and an unanswered question is cancelled', async () => {
    const client = await connect(server, { elicit: answers([]) })
    await expect(client.call('ask')).rejects.toThrow(
      'The script of answers() does not fit: The script has no answer to "Well?"',
    )
    await expect(client.close()).rejects.toThrow('Asked but not in the script: "Well?"')
  })

  it.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
    'await using shows a wrong script as one short error (%s)',
    async (version) => {
      const log = vi.spyOn(console, 'error').mockImplementation(() => {})
      const test = async (script: Script): Promise<void> => {
        await using client = await connect(server, { version, elicit: answers(script) })
        expect((await client.call('ask')).value).toBe('accept')
      }
      await test([{ yes: true }])
      await expect(test([])).rejects.toThrow(
        new Error('The script of answers() does not fit: The script has no answer to "Well?"'),
      )
      await expect(test([{ yes: true }, { yes: false }])).rejects.toThrow('Scripted but never asked: 1 answer')
      // The server says that its handler failed; the client has nothing to add to the error of the test.
      expect(log.mock.calls.filter(([line]) => String(line).includes('parley: client'))).toEqual([])
      log.mockRestore()
    },
  )

  it('shares the clock, and leaves no timer behind', async () => {
    const clock = fakeClock()
    const client = await connect(server, {
      clock,
      version: newestHandshakeVersion,
      keepAlive: { every: '30s' },
      accept: { keepAlive: { every: '20s' } },
    })
    client.transcript.clear()
    await clock.advance(20_000)
    expect(client.transcript.lines).toEqual(['← ping #s1', '→ result #s1 {}'])
    await client.close()
    await flush()
    expect(leaks(client, client.serverSession, clock)).toEqual([])
  })

  it('passes every frame on to a tap of its own', async () => {
    const frames: string[] = []
    await using client = await connect(server, { tap: (direction) => frames.push(direction) })
    expect(frames).toHaveLength(client.transcript.lines.length)
  })
})

describe('leaks', () => {
  it('names what is left', async () => {
    const clock = fakeClock()
    const client = await connect(server, {
      clock,
      version: newestHandshakeVersion,
      elicit: () => new Promise<undefined>(() => {}),
    })
    void client.call('ask').catch(() => {})
    await client.subscribe('a://b', () => {})
    expect(leaks(client, client.serverSession)).toEqual([
      'client still waits for the answer to tools/call #2',
      'client still answers elicitation/create #1',
      'client still subscribes to a://b',
      'server still waits for the answer to elicitation/create #1',
      'server still answers tools/call #2',
    ])
    expect(leaks(clock)).toEqual([expect.stringMatching(/clock has \d timers? waiting/)])
    await client.close()
    await flush()
    expect(leaks(client, client.serverSession)).toEqual([])
  })

  it('D-19 D-20 names what is left where questions and notifications come inside answers', async () => {
    const clock = fakeClock()
    const client = await connect(server, { clock, elicit: () => new Promise<undefined>(() => {}) })
    void client.call('ask').catch(() => {})
    await client.subscribe('a://b', () => {})
    await vi.waitFor(() => expect(String(client.transcript)).toContain('input_required'))
    expect(leaks(client, client.serverSession).sort()).toEqual([
      'client still subscribes to a://b',
      'client still waits for the answer to subscriptions/listen #3',
      'client still waits for the answer to tools/call #2',
      'server still answers subscriptions/listen #3',
    ])
    await client.close()
    await flush()
    expect(leaks(client, client.serverSession, clock)).toEqual([])
  })

  it('a server value serves many at once', async () => {
    const clients = await Promise.all(testVersions.map((version) => connect(server, { version })))
    expect(await Promise.all(clients.map(async (client) => (await client.call('hello')).value))).toEqual(
      testVersions.map(() => 'hi'),
    )
    await Promise.all(clients.map((client) => client.close()))
  })

  it('memoryPair is what connect uses', async () => {
    const [near, far] = memoryPair()
    server.accept(far)
    const client = await connectClient<typeof server>(near)
    expect((await client.call('hello')).value).toBe('hi')
    await client.close()
  })
})

describe.each(['2025-06-18', '2025-11-25', '2026-07-28'] as const)(
  'F6 a scripted answer that does not fit, in %s',
  (version) => {
    const named = createServer({ name: 'named', version: '1' }, { onError: () => {} }).add(
      tool(
        'ask',
        {},
        async (_, ctx) =>
          (
            await ctx.elicit('q', 'Who?', {
              type: 'object',
              properties: { name: { type: 'string' } },
              required: ['name'],
            })
          ).action,
      ),
    )

    it('is the reason why closing fails, and nothing on the console', async () => {
      const console = vi.spyOn(globalThis.console, 'error').mockImplementation(() => {})
      try {
        const client = await connect(named, { version, elicit: answers([{ nam: 'x' }]) })
        await client.call('ask', {}, { throwOnError: false }).catch(() => {})
        await expect(client.close()).rejects.toThrow(/^Scripted wrongly: .*name/)
        expect(console).not.toHaveBeenCalled()
      } finally {
        console.mockRestore()
      }
    })

    it('is told to onError as well, and what others get wrong goes on as ever', async () => {
      const told: unknown[] = []
      const onError = (error: unknown) => void told.push(error)
      const scripted = await connect(named, { version, elicit: answers([{ nam: 'x' }]), onError })
      await scripted.call('ask', {}, { throwOnError: false }).catch(() => {})
      await expect(scripted.close()).rejects.toThrow('Scripted')
      const own = await connect(named, { version, elicit: () => ({ nam: 'x' }), onError })
      await own.call('ask', {}, { throwOnError: false }).catch(() => {})
      await own.close()
      expect(told).toMatchObject([{ kind: 'invalid_answer' }, { kind: 'invalid_answer' }])
    })
  },
)
