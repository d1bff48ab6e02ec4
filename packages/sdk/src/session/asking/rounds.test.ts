/**
 * Requests that bring answers back to a call that waits: given up, made twice, out of time, or of a client that has
 * changed its mind.
 */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { RawClient, type RawMessage } from '../../server/raw-client.fixtures.ts'
import { type Context, createServer, prompt, type ServerOptions, tool } from '../../server.ts'
import { fakeClock, flush } from '../../testing/clock.ts'

const NAMES = 'io.modelcontextprotocol/'
const ALL: Body = { elicitation: {}, sampling: {}, roots: {} }
const FORM = { type: 'object', properties: { name: { type: 'string' } } } as const
const ANN: Body = { action: 'accept', content: { name: 'Ann' } }

function envelope(capabilities: Body = ALL, more: Body = {}): Body {
  return {
    name: 'run',
    _meta: { [`${NAMES}protocolVersion`]: '2026-07-28', [`${NAMES}clientCapabilities`]: capabilities, ...more },
  }
}

function start(handler: (ctx: Context) => unknown, options: ServerOptions = {}): RawClient {
  return new RawClient(
    createServer({ name: 'test', version: '1.0.0' }, { onError: () => {}, ...options }).add(
      tool('run', {}, (_, ctx) => handler(ctx)),
    ),
    {},
  )
}

/**
 * As many as may be worked on at once: when they are done, so is every seal that was begun before, however busy the
 * machine is.
 */
const CIPHERS = 4

async function several(times: number): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    await Promise.all(Array.from({ length: CIPHERS }, () => crypto.subtle.digest('SHA-256', new Uint8Array(1))))
    await flush()
  }
}

/** Asks, and waits until everything that follows has happened; the answer may never come. */
async function outcomeOf(client: RawClient, params: Body): Promise<() => RawMessage | undefined> {
  let answer: RawMessage | undefined
  void client.request('tools/call', params).then((message) => {
    answer = message
  })
  await several(5)
  return () => answer
}

async function retryOf(client: RawClient, key = 'who', response: Body = ANN): Promise<Body> {
  const first = await client.result('tools/call', envelope())
  return { ...envelope(), requestState: first['requestState'], inputResponses: { [key]: response } }
}

describe('D-20 a handler that asks but does not wait', () => {
  it.each<[string, (ctx: Context) => unknown, string]>([
    ['returns', () => 'done', '"text":"done"'],
    [
      'throws',
      () => {
        throw new Error('no')
      },
      '"isError":true',
    ],
  ])('is answered once when it %s', async (_, then, expected) => {
    const client = start((ctx) => {
      void ctx.roots()
      return then(ctx)
    })
    await client.request('tools/call', envelope())
    await several(5)
    expect(client.frames).toEqual([expect.stringContaining(expected)])
    await client.close()
  })

  it('does not end the process when its question fails', async () => {
    let fail = (): void => {}
    const failing = new Promise<void>((resolve) => {
      fail = resolve
    })
    const client = start(async (ctx) => {
      void ctx.elicit('who', 'Who?', FORM)
      await failing
      throw new Error('something else failed first')
    })
    const retry = await retryOf(client, 'nobody')
    fail()
    // A rejection that nobody handles makes the whole run of the tests fail.
    expect(await client.result('tools/call', retry)).toMatchObject({ isError: true })
    await several(3)
    await client.close()
  })
})

describe('D-28 after the last answer of a call that has waited', () => {
  it('nothing that belongs to it is sent', async () => {
    let late = (): void => {}
    const client = start(async (ctx) => {
      await ctx.elicit('who', 'Who?', FORM)
      late = () => {
        ctx.log('error', 'late')
        ctx.progress(5)
      }
      return 'done'
    })
    const told = envelope(ALL, { progressToken: 1, [`${NAMES}logLevel`]: 'debug' })
    const first = await client.result('tools/call', told)
    await client.result('tools/call', { ...told, requestState: first['requestState'], inputResponses: { who: ANN } })
    const before = client.frames.length
    late()
    expect(client.frames.slice(before)).toEqual([])
    await client.close()
  })
})

describe('a request with answers that comes too late', () => {
  it.each<[string, string, Body, boolean]>([
    ['a tool that waits', 'tools/call', { name: 'run' }, false],
    ['a tool that is run again', 'tools/call', { name: 'run' }, true],
    ['a prompt that waits', 'prompts/get', { name: 'ask' }, false],
    ['a prompt that is run again', 'prompts/get', { name: 'ask' }, true],
  ])('for %s: a model is told to call again, a program gets the error', async (_, method, params, stateless) => {
    const clock = fakeClock()
    const went: unknown[] = []
    const ask = async (ctx: Context): Promise<string> => {
      went.push((await ctx.elicit('who', 'Who?', FORM)).action)
      return 'done'
    }
    const server = createServer({ name: 'test', version: '1.0.0' }, { onError: () => {}, stateless, clock })
    const client = new RawClient(
      server.add(
        tool('run', {}, (_args, ctx) => ask(ctx)),
        prompt('ask', {}, (_args, ctx) => ask(ctx)),
      ),
      {},
    )
    const asked = { ...envelope(), ...params }
    const { requestState } = await client.result(method, asked)
    await clock.advance(600_000)
    const { result, error } = await client.request(method, { ...asked, requestState, inputResponses: { who: ANN } })
    if (method === 'tools/call')
      expect(result).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('its time is over') }] })
    else
      expect(error).toMatchObject({
        code: -32602,
        message: expect.stringContaining('its time is over; make the request anew'),
      })
    expect(went).toEqual(stateless ? [] : ['cancel'])
    expect(client.session.inFlight()).toEqual([])
    await client.close()
  })

  it('and whose answer is gone; one that is still kept is given, however late', async () => {
    const clock = fakeClock()
    let runs = 0
    const client = start(
      async (ctx) => {
        await ctx.elicit('who', 'Who?', FORM)
        return `run ${++runs}`
      },
      { clock },
    )
    const retry = await retryOf(client)
    await clock.advance(599_000)
    expect(await client.result('tools/call', retry)).toMatchObject({ content: [{ text: 'run 1' }] })
    await clock.advance(30_000)
    expect(await client.result('tools/call', retry)).toMatchObject({ content: [{ text: 'run 1' }] })
    await clock.advance(31_000)
    expect(await client.result('tools/call', retry)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('may or may not have been done') }],
    })
    expect(runs).toBe(1)
    await client.close()
  })
})

describe('D-63 a request with answers that is given up', () => {
  it.each([{ stateless: false }, { stateless: true }])(
    'before it was read changes nothing: $stateless',
    async ({ stateless }) => {
      const went: string[] = []
      const client = start(
        async (ctx) => {
          const { content } = await ctx.elicit('who', 'Who?', FORM)
          went.push('on')
          return content?.name
        },
        { stateless },
      )
      const retry = await retryOf(client)
      const requestId = client.nextId
      void client.request('tools/call', retry)
      client.notify('notifications/cancelled', { requestId })
      await several(5)
      expect(went).toEqual([])
      expect(await client.result('tools/call', retry)).toMatchObject({
        resultType: 'complete',
        content: [{ text: 'Ann' }],
      })
      expect(went).toEqual(['on'])
      await client.close()
    },
  )

  it('ends the call, and nobody waits for it in vain', async () => {
    let signal: AbortSignal | undefined
    const client = start(async (ctx) => {
      signal = ctx.signal
      await ctx.elicit('who', 'Who?', FORM)
      await new Promise(() => {})
    })
    const retry = await retryOf(client)
    const requestId = client.nextId
    await outcomeOf(client, retry)
    client.notify('notifications/cancelled', { requestId })
    await flush()
    expect(signal?.aborted).toBe(true)
    expect(await client.result('tools/call', retry)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringMatching(/no longer waits.*call the tool again/) }],
    })
    expect(client.session.inFlight()).toEqual([])
    await client.close()
  })

  it('hands the call over where it was made twice', async () => {
    let go = (): void => {}
    const client = start(async (ctx) => {
      await ctx.elicit('who', 'Who?', FORM)
      await new Promise<void>((resolve) => {
        go = resolve
      })
      ctx.progress(1)
      return ctx.signal.aborted ? 'aborted' : 'done'
    })
    const retry = await retryOf(client)
    const first = client.nextId
    const lost = await outcomeOf(client, retry)
    const last = await outcomeOf(client, { ...retry, _meta: { ...(retry['_meta'] as Body), progressToken: 'second' } })
    client.notify('notifications/cancelled', { requestId: first })
    await flush()
    go()
    await several(3)
    expect(lost()).toBeUndefined()
    expect(last()).toMatchObject({ id: first + 1, result: { content: [{ text: 'done' }] } })
    expect(client.of('notifications/progress')).toMatchObject([{ params: { progressToken: 'second' } }])
    await client.close()
  })
})

describe('a request that was answered and is made again', () => {
  it('does not keep alive what nobody waits for any more', async () => {
    let signal: AbortSignal | undefined
    const client = start(async (ctx) => {
      signal = ctx.signal
      await ctx.elicit('who', 'Who?', FORM)
      await ctx.elicit('where', 'Where?', FORM)
      await new Promise(() => {})
    })
    const first = await retryOf(client)
    const second = await client.result('tools/call', first)
    const requestId = client.nextId
    await outcomeOf(client, { ...envelope(), requestState: second['requestState'], inputResponses: { where: ANN } })
    expect(await client.result('tools/call', first)).toEqual(second)
    client.notify('notifications/cancelled', { requestId })
    await flush()
    expect(signal?.aborted).toBe(true)
    await client.close()
  })
})

describe('limits of a call that asks', () => {
  it('a question waits as long as the server says', async () => {
    const clock = fakeClock()
    const client = start(async (ctx) => (await ctx.elicit('who', 'Who?', FORM)).action, {
      clock,
      asking: { ttl: '30m' },
    })
    const retry = await retryOf(client)
    await clock.advance(29 * 60_000)
    expect(await client.result('tools/call', retry)).toMatchObject({ content: [{ text: 'accept' }] })
    await client.close()
  })

  it('or as long as the handler says', async () => {
    const clock = fakeClock()
    const client = start((ctx) => ctx.elicit('who', 'Who?', FORM, { maxTimeout: '5s' }).catch((error) => error.kind), {
      clock,
    })
    const retry = await retryOf(client)
    await clock.advance(5000)
    expect(await client.result('tools/call', retry)).toMatchObject({ content: [{ text: 'request_timeout' }] })
    await client.close()
  })

  it('a handler that asks again whatever happens ends with the last round, and leaves time for others', async () => {
    let asked = 0
    const client = start(
      async (ctx) => {
        for (;;) await ctx.elicit(`again-${++asked}`, 'Who?', FORM).catch(() => {})
      },
      { asking: { maxRounds: 2 }, clock: fakeClock() },
    )
    const first = await client.result('tools/call', envelope())
    const second = await client.result('tools/call', {
      ...envelope(),
      requestState: first['requestState'],
      inputResponses: { 'again-1': ANN },
    })
    const last = { ...envelope(), requestState: second['requestState'], inputResponses: { 'again-2': ANN } }
    expect(await client.error('tools/call', last)).toMatchObject({ code: -32603 })
    await several(3)
    expect(asked).toBeLessThan(50)
    await client.close()
  })

  it('what a request does not declare is not shown to it', async () => {
    const client = start(async (ctx) => {
      const [who] = await Promise.all([ctx.elicit('who', 'Who?', FORM), ctx.roots()])
      return who.action
    })
    const first = await client.result('tools/call', envelope())
    const bare = {
      ...envelope({ roots: {} }),
      requestState: first['requestState'],
      inputResponses: { roots: { roots: [] } },
    }
    expect(await client.error('tools/call', bare)).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: { elicitation: {} } },
    })
    await client.close()
  })
})
