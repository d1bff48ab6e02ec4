/** Servers that misbehave: the client's caller gets one clear error or nothing at all, never a crash. */
import { describe, expect, it } from 'vitest'
import { type RawMessage, rawServer } from '../../src/client/raw-server.fixtures.ts'
import { rawStateless } from '../../src/client/raw-stateless.fixtures.ts'
import { connect } from '../../src/client.ts'
import { connect as connectTest, everyVersion, flush } from '../../src/testing.ts'
import { eraOf, type ProtocolVersion } from '../../src/versions/index.ts'
import { everything } from './everything.ts'

const tokenOf = (message: RawMessage | undefined): unknown =>
  (message?.params?.['_meta'] as { progressToken?: unknown } | undefined)?.progressToken

type Answers = NonNullable<Parameters<typeof rawServer>[0]>['answers']

/** A server of raw frames in the era of a version. */
const rawIn = (version: ProtocolVersion, answers: Answers) =>
  eraOf(version) === 'stateless' ? rawStateless({ answers }) : rawServer({ answers })

everyVersion((version) => {
  describe(`M2 a client and a server that misbehaves (${version})`, () => {
    const open = async (
      answer: (params: Record<string, unknown>, id: unknown) => Record<string, unknown> | undefined,
    ) => {
      const server = rawIn(version, { 'tools/call': (params, message) => answer(params, message.id) })
      const errors: unknown[] = []
      const client = await connect(server.link, { version, keepAlive: false, onError: (error) => errors.push(error) })
      return { server, client, errors }
    }
    const ignored = (client: Awaited<ReturnType<typeof connect>>): number =>
      Object.values(client.session.stats().ignored).reduce((sum, count) => sum + count, 0)

    it('answers ids nobody asked for', async () => {
      const { server, client } = await open(() => ({ content: [] }))
      for (const id of [99, 'x', -1, 0]) server.send({ id, result: {} })
      await client.call('t')
      expect(ignored(client)).toBe(4)
    })

    it('answers twice', async () => {
      const { server, client } = await open(() => undefined)
      const calling = client.call('t')
      await flush()
      const id = server.of('tools/call')[0]?.id
      server.send({ id, result: { content: [{ type: 'text', text: 'first' }] } })
      server.send({ id, result: { content: [{ type: 'text', text: 'second' }] } })
      server.send({ id, error: { code: 1, message: 'third' } })
      expect((await calling).value).toBe('first')
      await client.ping()
      expect(ignored(client)).toBe(2)
    })

    it('answers with an id of the wrong type', async () => {
      const { server, client } = await open(() => undefined)
      const calling = client.call('t').catch((error: unknown) => error)
      await flush()
      server.send({ id: String(server.of('tools/call')[0]?.id), result: { content: [] } })
      await client.ping()
      expect(ignored(client)).toBe(1)
      expect(client.pending()).toHaveLength(1)
      await client.close()
      expect(await calling).toMatchObject({ kind: 'connection_closed' })
    })

    it.each([
      ['a result that is no object', { result: 7 }],
      ['both result and error', { result: {}, error: { code: 1, message: 'x' } }],
      ['an error without code', { error: { message: 'x' } }],
      ['an error that is a string', { error: 'x' }],
    ])('answers with %s', async (_, body) => {
      const { server, client } = await open(() => undefined)
      const calling = client.call('t').catch((error: unknown) => error)
      await flush()
      server.send({ id: server.of('tools/call')[0]?.id, ...body })
      expect(await calling).toMatchObject({ kind: 'invalid_answer', message: expect.stringContaining('tools/call') })
      await client.ping()
    })

    it('floods progress, also for calls that are over or never were', async () => {
      const { server, client, errors } = await open(() => undefined)
      const seen: number[] = []
      const calling = client.call('t', {}, { onProgress: ({ progress }) => seen.push(progress) })
      await flush()
      const [call] = server.of('tools/call')
      const progressToken = tokenOf(call)
      const tell = (params: object): void => server.send({ method: 'notifications/progress', params })
      for (let n = 0; n < 1000; n++) tell({ progressToken, progress: n % 500 })
      server.send({ id: call?.id, result: { content: [] } })
      for (let n = 0; n < 100; n++) tell({ progressToken, progress: 1000 + n })
      tell({ progressToken: 'nobody', progress: 1 })
      tell({})
      await calling
      await client.ping()
      expect(seen).toEqual(Array.from({ length: 500 }, (_, n) => n))
      expect(ignored(client)).toBe(500 + 100 + 2)
      expect(errors).toEqual([])
    })

    it('a progress handler that throws or rejects harms nobody', async () => {
      const { server, client, errors } = await open(() => undefined)
      const handlers = [
        () => {
          throw new Error('mine')
        },
        async () => {
          throw new Error('later')
        },
      ]
      for (const onProgress of handlers) {
        const calling = client.call('t', {}, { onProgress })
        await flush()
        const call = server.of('tools/call').at(-1)
        server.send({ method: 'notifications/progress', params: { progressToken: tokenOf(call), progress: 1 } })
        server.send({ id: call?.id, result: { content: [] } })
        await calling
        await flush()
      }
      expect(errors).toEqual([
        expect.objectContaining({ message: 'mine' }),
        expect.objectContaining({ message: 'later' }),
      ])
    })

    it('sends nonsense', async () => {
      const { server, client } = await open(() => ({ content: [] }))
      for (const frame of ['', '{', 'null', '7', '[]', '{"jsonrpc":"2.0"}']) server.send(frame)
      await client.call('t')
      await client.ping()
      expect(client.session.phase).toBe('initialized')
    })

    it('asks for what no client does', async () => {
      const { server, client } = await open(() => ({ content: [] }))
      const methods = [
        'tools/list',
        'initialize',
        'nope',
        'constructor',
        'elicitation/create',
        'sampling/createMessage',
        'roots/list',
        'ping',
      ]
      for (const [at, method] of methods.entries()) server.send({ id: `ask-${at}`, method, params: {} })
      await client.ping()
      const answers = server.received.filter((message) => message.method === undefined)
      // D-08: clients of newer versions answer nothing, they make their request again.
      if (eraOf(version) === 'stateless') expect([answers, ignored(client)]).toEqual([[], methods.length])
      else
        expect(answers.map(({ error, result }) => error?.code ?? result)).toEqual([
          ...methods.slice(1).map(() => -32601),
          {},
        ])
    })

    it('calls before initialise and after close are refused here', async () => {
      const { client } = await open(() => ({ content: [] }))
      await client.close()
      for (const refused of [client.call('t'), client.ping(), client.read('a:b'), client.request('x')]) {
        await expect(refused).rejects.toMatchObject({ kind: 'session_closed', advice: 'reconnect' })
      }
    })

    it('more calls at once than allowed are refused at once', async () => {
      const server = rawIn(version, { 'tools/call': () => undefined })
      const client = await connect(server.link, { version, keepAlive: false, maxPending: 2 })
      const waiting = [client.call('a'), client.call('b')].map((call) => call.catch((error: unknown) => error))
      await expect(client.call('c')).rejects.toMatchObject({ kind: 'too_many_requests', recoverable: true })
      await client.close()
      expect(await Promise.all(waiting)).toEqual([
        expect.objectContaining({ kind: 'connection_closed' }),
        expect.objectContaining({ kind: 'connection_closed' }),
      ])
    })

    it('arguments that cannot be written fail the call and nothing else', async () => {
      const { client } = await open(() => ({ content: [] }))
      const ring: Record<string, unknown> = {}
      ring['self'] = ring
      await expect(client.call('t', ring)).rejects.toThrow()
      await expect(client.call('t', { big: 1n })).rejects.toThrow()
      await expect(client.call('t', { pad: 'x'.repeat(5_000_000) })).rejects.toMatchObject({
        kind: 'message_too_large',
      })
      expect(client.pending()).toEqual([])
      await client.call('t')
    })
  })

  describe(`links that misbehave (${version})`, () => {
    it('frames that come twice are answered once', async () => {
      const client = await connectTest(everything(), {
        version,
        faults: (frame, _, direction) =>
          direction === 'received' && frame.includes('"result"') ? 'duplicate' : undefined,
      })
      expect((await client.call('slow')).value).toBe('done')
      await client.close()
    })

    it('frames that are cut fail one call', async () => {
      const client = await connectTest(everything(), {
        version,
        timeout: 50,
        faults: (frame) => (frame.includes('"wait"') ? 'corrupt' : undefined),
      })
      await expect(client.call('wait', { tag: 'cut' })).rejects.toMatchObject({ kind: 'request_timeout' })
      expect((await client.call('slow')).value).toBe('done')
      await client.close()
    })
  })
})
