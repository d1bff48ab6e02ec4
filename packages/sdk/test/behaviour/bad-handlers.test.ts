/**
 * Handlers that misbehave: the caller gets exactly one clear answer, the details stay here, and the next request works.
 */
import { describe, expect, it } from 'vitest'
import { createServer, prompt, resource, type ServerOptions, tool } from '../../src/server.ts'
import { connect, everyVersion, flush, leaks } from '../../src/testing.ts'
import { internals, openRaw } from './raw-client.ts'

const SECRET = 'secret-7f3a'

class Nasty {
  get message(): string {
    throw new Error('gotcha')
  }
  toString(): string {
    throw new Error('gotcha')
  }
  toJSON(): string {
    throw new Error('gotcha')
  }
}

const cyclic = (): Record<string, unknown> => {
  const ring: Record<string, unknown> = { name: 'ring' }
  ring['self'] = ring
  return ring
}

const thrown: [string, () => unknown][] = [
  ['a string', () => SECRET],
  ['an error', () => new Error(`${SECRET} at /home/me/app.ts:1:1`)],
  ['undefined', () => undefined],
  ['null', () => null],
  ['a number', () => 7],
  ['an object that resists', () => new Nasty()],
  ['an error with a cyclic cause', () => Object.assign(new Error(SECRET), { cause: cyclic() })],
  ['a frozen error', () => Object.freeze(new Error(SECRET))],
]

/** What the caller of a tool reads of an error that is not meant for it. */
const GENERAL = {
  isError: true,
  content: [{ type: 'text', text: expect.stringContaining('failed because of an error in the server') }],
}

const returned: [string, () => unknown][] = [
  ['a cyclic object', cyclic],
  ['a BigInt inside', () => ({ big: 10n })],
  ['a function', () => () => {}],
  ['a symbol', () => Symbol('x')],
  ['an object that resists', () => new Nasty()],
  ['bytes', () => new Uint8Array(3)],
  ['a result twice the limit', () => 'x'.repeat(20_000)],
]

everyVersion((version) => {
  const setUp = async (handler: () => unknown, options: ServerOptions = {}) => {
    const errors: unknown[] = []
    const onError = (error: unknown): void => void errors.push(error)
    const server = createServer({ name: 's', version: '1' }, { onError, limits: { maxBytes: 10_000 }, ...options }).add(
      tool('bad', {}, () => handler()),
      tool('badLater', {}, async () => handler()),
      tool('good', {}, () => 'fine'),
      resource('bad://resource', {}, () => handler() as never),
      prompt('bad', {}, () => handler() as never),
    )
    return { errors, client: await openRaw(server, version) }
  }

  const requests: [string, Record<string, unknown>][] = [
    ['tools/call', { name: 'bad', arguments: {} }],
    ['tools/call', { name: 'badLater', arguments: {} }],
    ['resources/read', { uri: 'bad://resource' }],
    ['prompts/get', { name: 'bad' }],
  ]

  describe(`E2 handlers (${version})`, () => {
    it.each(thrown)('that throw %s are masked and reported', async (_, make) => {
      const { client, errors } = await setUp(
        () => {
          throw make()
        },
        { showErrors: 'none' },
      )
      for (const [method, params] of requests.slice(0, 2))
        expect((await client.ask(method, params)).result).toMatchObject(GENERAL)
      for (const [method, params] of requests.slice(2)) {
        const { error } = await client.ask(method, params)
        expect(error).toMatchObject({ code: -32603, message: 'Internal error' })
      }
      expect(errors).toHaveLength(requests.length)
      expect(client.texts.join('')).not.toContain(SECRET)
      expect(internals(client.texts)).toEqual([])
      expect(leaks(client.session)).toEqual([])
      expect((await client.ask('tools/call', { name: 'good', arguments: {} })).result).toMatchObject({
        content: [{ text: 'fine' }],
      })
    })

    it.each(returned)('that return %s get one error', async (_, make) => {
      const { client } = await setUp(make)
      for (const [method, params] of requests.slice(0, 2)) {
        const { result, error } = await client.ask(method, params)
        // A result that is too long is found when it is written, and has an error of its own.
        if (error === undefined) expect(result).toMatchObject(GENERAL)
        else expect(error).toMatchObject({ code: -32603, data: { 'parley/kind': 'result_too_large' } })
      }
      expect(internals(client.texts)).toEqual([])
      expect(leaks(client.session)).toEqual([])
      expect((await client.ask('tools/call', { name: 'good', arguments: {} })).result).toMatchObject({
        content: [{ text: 'fine' }],
      })
    })

    it('that never return can be cancelled, and hold up nobody', async () => {
      const server = createServer({ name: 's', version: '1' }).add(
        tool('never', {}, () => new Promise<string>(() => {})),
        tool('good', {}, () => 'fine'),
      )
      await using client = await connect(server, { version })
      const abort = new AbortController()
      const never = client.call('never', {}, { signal: abort.signal }).catch((error: unknown) => error)
      expect((await client.call('good')).value).toBe('fine')
      abort.abort()
      expect(await never).toMatchObject({ kind: 'request_cancelled' })
      await flush()
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('that go on after their answer change nothing', async () => {
      let later: (() => void) | undefined
      const server = createServer({ name: 's', version: '1' }).add(
        tool('eager', {}, (_, ctx) => {
          later = () => {
            ctx.progress(99)
            ctx.log('error', 'too late')
            ctx.notify('notifications/message', { level: 'error', data: 'too late' })
          }
          return 'answered'
        }),
      )
      await using client = await connect(server, { version })
      await client.call('eager', {}, { onProgress: () => {} })
      client.transcript.clear()
      later?.()
      await flush()
      expect(client.transcript.lines.filter((line) => line.includes('progress'))).toEqual([])
      await client.ping()
    })

    it('that log or report what cannot be written do no harm', async () => {
      const server = createServer({ name: 's', version: '1' }, { onError: () => {} }).add(
        tool('log', {}, (_, ctx) => {
          ctx.log('error', cyclic())
          ctx.progress(Number.NaN)
          ctx.progress(1, 2, 'x')
          return 'fine'
        }),
      )
      await using client = await connect(server, { version })
      const seen: unknown[] = []
      expect((await client.call('log', {}, { onProgress: ({ progress }) => seen.push(progress) })).value).toBe('fine')
      expect(seen).toEqual([1])
      expect(leaks(client, client.serverSession)).toEqual([])
    })
  })
})
