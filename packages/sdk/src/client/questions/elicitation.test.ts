/** Questions to the user: what is declared, what is asked, what is sent back. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { connect } from '../connect.ts'
import { rawServer } from '../raw-server.fixtures.ts'
import type { ElicitOption, ElicitQuestion, ElicitReply } from './elicitation.ts'

const form = (properties: Body, required: string[] = []) => ({
  message: 'Well?',
  requestedSchema: { type: 'object', properties, required },
})

async function asked(elicit: ElicitOption, params: Body) {
  const server = rawServer()
  const errors: unknown[] = []
  await connect(server.link, { elicit, onError: (error) => errors.push(error) })
  return { answer: await server.ask('elicitation/create', params), server, errors }
}

const replying = async (reply: unknown, params: Body) => (await asked(() => reply as ElicitReply, params)).answer

describe('F6 elicitation capabilities', () => {
  it.each([
    ['one handler for both modes', () => undefined, { form: {}, url: {} }],
    ['form only', { form: () => undefined }, { form: {} }],
    ['url only', { url: () => undefined }, { url: {} }],
  ] as const)('%s', async (_, elicit, declared) => {
    const server = rawServer()
    await connect(server.link, { elicit })
    expect(server.of('initialize')[0]?.params?.['capabilities']).toEqual({ elicitation: declared })
  })

  it('are absent without a handler, and the question is then refused with -32601', async () => {
    const server = rawServer()
    await connect(server.link)
    expect(server.of('initialize')[0]?.params?.['capabilities']).toEqual({})
    expect((await server.ask('elicitation/create', form({}))).error).toMatchObject({
      code: -32601,
      message: expect.stringContaining('elicitation'),
    })
  })

  it('C-11 a mode that was not declared is refused with -32602', async () => {
    const { answer } = await asked(
      { form: () => undefined },
      { mode: 'url', message: 'Go', url: 'https://example.org/', elicitationId: 'e' },
    )
    expect(answer.error).toMatchObject({ code: -32602, message: expect.stringContaining('"url"') })
  })
})

describe('F6 elicitation answers', () => {
  it('gives the handler the question', async () => {
    let seen: ElicitQuestion | undefined
    await asked(
      (question) => {
        seen = question
        return 'decline'
      },
      form({ yes: { type: 'boolean' } }),
    )
    expect(seen).toMatchObject({
      mode: 'form',
      message: 'Well?',
      schema: { properties: { yes: { type: 'boolean' } } },
      url: undefined,
    })
    expect(seen?.server).toMatchObject({ name: 'raw' })
    expect(seen?.signal.aborted).toBe(false)
  })

  it('gives the handler the address in url mode, and sends no content back', async () => {
    let url: string | undefined
    const { answer } = await asked(
      (question) => {
        url = question.url
        return { action: 'accept', content: { x: 1 } }
      },
      { mode: 'url', message: 'Go', url: 'https://example.org/pay', elicitationId: 'e-1' },
    )
    expect(url).toBe('https://example.org/pay')
    expect(answer.result).toEqual({ action: 'accept' })
  })

  it.each([
    ['content alone', { name: 'Ann' }, { action: 'accept', content: { name: 'Ann' } }],
    [
      'action and content',
      { action: 'accept', content: { name: 'Ann' } },
      { action: 'accept', content: { name: 'Ann' } },
    ],
    ['decline', 'decline', { action: 'decline' }],
    ['cancel', 'cancel', { action: 'cancel' }],
    ['an action in an object', { action: 'decline' }, { action: 'decline' }],
    ['content beside decline', { action: 'decline', content: { name: 'Ann' } }, { action: 'decline' }],
    ['nothing', undefined, { action: 'cancel' }],
    ['null', null, { action: 'cancel' }],
  ])('understands %s', async (_, reply, result) => {
    expect((await replying(reply, form({ name: { type: 'string' } }))).result).toEqual(result)
  })

  it('takes content with a field called "action" for content', async () => {
    const answer = await replying({ action: 'accept' }, form({ action: { type: 'string' } }))
    expect(answer.result).toEqual({ action: 'accept', content: { action: 'accept' } })
  })

  it('fills in the defaults of every kind of field', async () => {
    const answer = await replying(
      { name: 'Ann', gone: undefined },
      form({
        name: { type: 'string', default: 'Bob' },
        gone: { type: 'string', default: 'filled' },
        count: { type: 'integer', default: 0 },
        share: { type: 'number', default: 0.5 },
        yes: { type: 'boolean', default: false },
        plain: { type: 'string', enum: ['a', 'b'], default: 'b' },
        titled: { type: 'string', oneOf: [{ const: 'x', title: 'X' }], default: 'x' },
        legacy: { type: 'string', enum: ['a'], enumNames: ['A'], default: 'a' },
        many: { type: 'array', items: { type: 'string', enum: ['a', 'b'] }, default: ['a', 'b'] },
        manyTitled: { type: 'array', items: { anyOf: [{ const: 'x', title: 'X' }] }, default: ['x'] },
        without: { type: 'string' },
      }),
    )
    expect(answer.result?.['content']).toEqual({
      name: 'Ann',
      gone: 'filled',
      count: 0,
      share: 0.5,
      yes: false,
      plain: 'b',
      titled: 'x',
      legacy: 'a',
      many: ['a', 'b'],
      manyTitled: ['x'],
    })
  })

  it('"accept" alone accepts the defaults', async () => {
    expect((await replying('accept', form({ n: { type: 'number', default: 3 } }))).result).toEqual({
      action: 'accept',
      content: { n: 3 },
    })
  })

  it.each([
    ['a missing required field', {}, form({ name: { type: 'string' } }, ['name'])],
    ['a wrong type', { n: 'one' }, form({ n: { type: 'number' } })],
    ['a value outside the choices', { c: 'z' }, form({ c: { type: 'string', enum: ['a'] } })],
    ['a titled choice that is none', { c: 'z' }, form({ c: { type: 'string', oneOf: [{ const: 'a', title: 'A' }] } })],
    [
      'too many choices',
      { c: ['a', 'b'] },
      form({ c: { type: 'array', maxItems: 1, items: { type: 'string', enum: ['a', 'b'] } } }),
    ],
    ['a nested object', { extra: { deep: 1 } }, form({})],
    ['not a number', { n: Number.NaN }, form({ n: { type: 'number' } })],
    ['an unknown action', 'perhaps', form({})],
    ['a number', 7, form({})],
  ])('tells the server clearly about %s', async (_, reply, params) => {
    const answer = await replying(reply, params)
    expect(answer.error).toMatchObject({
      code: -32603,
      message: expect.stringContaining('The answer does not fit the requested form'),
    })
  })

  it.each([
    ['no message', { requestedSchema: { type: 'object', properties: {} } }],
    ['an unknown mode', { mode: 'telepathy', message: 'm' }],
    ['no schema', { message: 'm' }],
    ['a schema that is no object', { message: 'm', requestedSchema: { type: 'string' } }],
    ['a nested form', form({ a: { type: 'object' } })],
    ['a url that is none', { mode: 'url', message: 'm', url: 'not a url', elicitationId: 'e' }],
  ])('refuses a question with %s without asking', async (_, params) => {
    let called = false
    const { answer } = await asked(() => {
      called = true
      return undefined
    }, params)
    expect(answer.error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('Invalid elicitation request'),
    })
    expect(called).toBe(false)
  })

  it('E2 masks what a handler throws, and reports it here', async () => {
    const { answer, errors } = await asked(() => {
      throw new Error('secret at /home/me')
    }, form({}))
    expect(answer.error).toEqual({ code: -32603, message: 'Internal error' })
    expect(errors).toEqual([expect.objectContaining({ message: 'secret at /home/me' })])
  })

  it('M2 cancellation by the server aborts the signal, and nothing is answered', async () => {
    const server = rawServer()
    let signal: AbortSignal | undefined
    const client = await connect(server.link, {
      elicit: (question) => {
        signal = question.signal
        return new Promise<undefined>(() => {})
      },
    })
    server.send({ id: 'q', method: 'elicitation/create', params: form({}) })
    await client.ping()
    expect(signal?.aborted).toBe(false)
    server.notify('notifications/cancelled', { requestId: 'q', reason: 'changed my mind' })
    await client.ping()
    expect(signal?.aborted).toBe(true)
    expect(client.session.inFlight()).toEqual([])
    expect(server.received.filter((message) => message.id === 'q')).toEqual([])
  })
})
