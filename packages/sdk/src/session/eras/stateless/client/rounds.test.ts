import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../../errors/index.ts'
import type { Body } from '../../../../jsonrpc/index.ts'
import type { Inbound } from '../../../endpoint.ts'
import type { EngineRequestOptions, Progress } from '../../../request-options.ts'
import { deferring } from '../../../session.fixtures.ts'
import { openStateless, settled } from './client.fixtures.ts'

const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } }
const elicit = (params: Body = FORM) => ({ method: 'elicitation/create', params })
const sample = (params: Body = { messages: [], maxTokens: 1 }) => ({ method: 'sampling/createMessage', params })
const demand = (inputRequests: Body | undefined, requestState?: string): Body => ({
  resultType: 'input_required',
  ...(inputRequests && { inputRequests }),
  ...(requestState !== undefined && { requestState }),
})
const done: Body = { resultType: 'complete', content: [] }

const ANSWERS: Record<string, Body> = {
  'elicitation/create': { action: 'accept', content: { name: 'Ann' }, _meta: { own: 1 } },
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' }, _meta: { own: 1 } },
  'roots/list': { roots: [], _meta: {} },
}
const answer = ({ method }: Inbound): Body => ANSWERS[method] as Body

describe('D-06, D-20 a server that asks before it answers', () => {
  it('gets all answers with the request made again, under a new id', async () => {
    const { session, link, asked } = await openStateless({ answer, mirrors: true })
    const called = session.request('tools/call', { name: 'greet', arguments: { a: 1 } })
    link.answer(2, demand({ who: elicit(), what: sample(), where: { method: 'roots/list' } }, ' opaque\u0000 '))
    await settled()
    expect(link.sent[1]).toMatchObject({
      id: 3,
      method: 'tools/call',
      params: {
        name: 'greet',
        arguments: { a: 1 },
        requestState: ' opaque\u0000 ',
        inputResponses: {
          who: { action: 'accept', content: { name: 'Ann' } },
          what: { role: 'assistant', model: 'm', content: { type: 'text', text: 'hi' }, _meta: { own: 1 } },
          where: { roots: [] },
        },
      },
    })
    expect(link.sent[1].params.inputResponses.who).not.toHaveProperty('_meta')
    expect(link.headers[1]).toEqual(link.headers[0])
    link.answer(3, done)
    expect(await called).toEqual({ content: [] })
    expect(asked.map(({ id, method, params }) => [id, method, params])).toEqual([
      ['who', 'elicitation/create', FORM],
      ['what', 'sampling/createMessage', { messages: [], maxTokens: 1 }],
      ['where', 'roots/list', {}],
    ])
  })

  it('shows its questions like any other request', async () => {
    const { session, link, asked } = await openStateless({ answer })
    void session.request('prompts/get', { name: 'p' }).catch(() => {})
    link.answer(2, demand({ who: elicit({ ...FORM, task: { ttl: 1 }, _meta: { traceparent: '00-1' } }) }))
    await settled()
    const [question] = asked as [Inbound]
    expect(question.params).toEqual({ ...FORM, _meta: { traceparent: '00-1' } })
    expect(question.session).toBe(session)
    expect(question.caller).toMatchObject({ version: '2026-07-28', info: { name: 'peer' } })
    expect(question.context).toMatchObject({
      direction: 'server_to_client',
      transport: 'test',
      sessionId: 'minted',
      traceparent: '00-1',
    })
    expect([question.principal, question.logLevel, question.retry, question.cancelled]).toEqual([
      undefined,
      undefined,
      undefined,
      false,
    ])
    question.progress(1)
    question.notify('notifications/message')
    question.release()
    await expect(question.request('ping')).rejects.toMatchObject({ kind: 'version_gap' })
    expect(question.written({ a: 1 })).toEqual({ a: 1 })
    expect(link.sent).toHaveLength(2)
    await session.close()
  })

  it('may ask again; what belongs to one round is not handed back in the next', async () => {
    const { session, link } = await openStateless({ answer })
    const called = session.request('resources/read', { uri: 'x:/' })
    link.answer(2, demand({ one: elicit() }, 'first'))
    await settled()
    link.answer(3, demand({ two: elicit() }))
    await settled()
    expect(link.sent[2].params).toMatchObject({ uri: 'x:/', inputResponses: { two: { action: 'accept' } } })
    expect(link.sent[2].params.inputResponses).not.toHaveProperty('one')
    expect(link.sent[2].params).not.toHaveProperty('requestState')
    link.answer(4, { resultType: 'complete', contents: [] })
    expect(await called).toEqual({ contents: [] })
  })

  it('but not for ever', async () => {
    const { session, link } = await openStateless({ answer, maxRounds: 3 })
    const called = session.request('tools/call', { name: 'x' })
    for (const id of [2, 3, 4, 5]) {
      link.answer(id, demand({ again: elicit() }, 's'))
      await settled()
    }
    await expect(called).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: 'tools/call was given up: the server has answered it with questions 3 times',
    })
    expect(link.sent).toHaveLength(4)
  })

  it('unless the one who made the request judges each round itself', async () => {
    const { session, link } = await openStateless({ answer, maxRounds: 1 })
    const called = session.request('tools/call', { name: 'x' }, { rounds: { objection: () => undefined } })
    for (const id of [2, 3, 4]) {
      link.answer(id, demand({ again: elicit() }, 's'))
      await settled()
    }
    link.answer(5, { resultType: 'complete', content: [] })
    expect(await called).toEqual({ content: [] })
  })

  it('nor when the one who made the request objects: nobody is asked, and that is its outcome', async () => {
    const asked: unknown[] = []
    const { session, link } = await openStateless({
      answer: (question) => {
        asked.push(question.id)
        return answer(question)
      },
    })
    const heard: string[][] = []
    const enough = new ParleyError('invalid_answer', { message: 'enough' })
    const rounds = {
      objection: (questions: ReadonlyMap<string, unknown>) =>
        heard.push([...questions.keys()]) > 2 ? enough : undefined,
    }
    const called = session.request('tools/call', { name: 'x' }, { rounds })
    for (const id of [2, 3, 4]) {
      link.answer(id, demand({ [`q${id}`]: elicit() }, 's'))
      await settled()
    }
    await expect(called).rejects.toBe(enough)
    expect([heard, asked, link.sent.length]).toEqual([[['q2'], ['q3'], ['q4']], ['q2', 'q3'], 3])
  })

  it('that only wants to be asked again is asked again, ever more patiently', async () => {
    const { session, link, clock } = await openStateless({ answer })
    const called = session.request('tools/call', { name: 'x' })
    const waits: number[] = []
    for (let id = 2; id < 9; id++) {
      link.answer(id, demand(undefined, `s${id}`))
      let waited = 0
      for (; link.sent.length < id; waited += 250) await clock.advance(250)
      waits.push(waited)
      expect(link.sent[id - 1]).toMatchObject({ id: id + 1, params: { name: 'x', requestState: `s${id}` } })
      expect(link.sent[id - 1].params).not.toHaveProperty('inputResponses')
    }
    expect(waits).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
    link.answer(9, done)
    await called
  })

  it('keys may be any text', async () => {
    const { session, link } = await openStateless({ answer })
    const called = session.request('tools/call', { name: 'x' })
    const keys = ['', 'constructor', 'a.b/c d', '7']
    link.answer(2, demand(Object.fromEntries(keys.map((key) => [key, { method: 'roots/list' }]))))
    await settled()
    expect(Object.keys(link.sent[1].params.inputResponses).sort()).toEqual(keys.sort())
    link.answer(3, done)
    await called
  })
})

describe('D-22 questions in the wrong place', () => {
  it.each(['tools/list', 'prompts/list', 'completion/complete', 'resources/list'])(
    '%s is never answered with questions',
    async (method) => {
      const { session, link, asked } = await openStateless({ answer })
      const called = session.request(method, {})
      link.answer(2, demand({ who: elicit() }))
      await expect(called).rejects.toMatchObject({ kind: 'invalid_answer', message: expect.stringContaining(method) })
      expect(asked).toEqual([])
    },
  )

  it.each([
    ['neither questions nor a state', {}],
    ['questions that are no object', { inputRequests: [] }],
    ['a state that is no text', { requestState: 7 }],
    ['a method nobody may ask', { inputRequests: { x: { method: 'tools/call', params: {} } } }],
    ['a question without parameters', { inputRequests: { x: { method: 'elicitation/create' } } }],
  ])('%s', async (_, more) => {
    const { session, link } = await openStateless({ answer })
    const called = session.request('tools/call', { name: 'x' })
    link.answer(2, { resultType: 'input_required', ...more })
    await expect(called).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining('cannot be read'),
    })
    expect(session.pending()).toEqual([])
  })

  it.each([
    [{}, elicit(), 'elicitation'],
    [{ elicitation: { url: {} } }, elicit(), 'elicitation.form'],
    [{ elicitation: {} }, elicit({ mode: 'url', message: 'x', url: 'https://x' }), 'elicitation.url'],
    [{ elicitation: { form: {} } }, elicit({ mode: 'url', message: 'x', url: 'https://x' }), 'elicitation.url'],
    [{}, sample(), 'sampling'],
    [{ sampling: {} }, sample({ messages: [], maxTokens: 1, tools: [] }), 'sampling.tools'],
    [{}, { method: 'roots/list' }, 'roots'],
  ])('with %j, %j needs %s', async (capabilities, question, capability) => {
    const { session, link, asked } = await openStateless({ answer, capabilities })
    const called = session.request('tools/call', { name: 'x' })
    link.answer(2, demand({ 'my key': question }))
    await expect(called).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: expect.stringContaining(`"my key" (${question.method}), which needs the capability "${capability}"`),
    })
    expect(asked).toEqual([])
  })

  it.each([
    [{ elicitation: {} }, elicit()],
    [{ elicitation: { form: {}, url: {} } }, elicit()],
    [{ elicitation: { url: {} } }, elicit({ mode: 'url', message: 'x', url: 'https://x' })],
    [{ sampling: { tools: {} } }, sample({ messages: [], maxTokens: 1, tools: [] })],
  ])('with %j, %j may be asked', async (capabilities, question) => {
    const { session, link, asked } = await openStateless({ answer, capabilities })
    void session.request('tools/call', { name: 'x' }).catch(() => {})
    link.answer(2, demand({ q: question }))
    expect(asked).toHaveLength(1)
    await session.close()
  })
})

describe('questions nobody can answer', () => {
  const failing = (error: unknown) => () => {
    throw error
  }

  it('a form is cancelled', async () => {
    const { session, link, events } = await openStateless({ answer: failing(new Error('no window')) })
    const called = session.request('tools/call', { name: 'x' })
    link.answer(2, demand({ who: elicit() }))
    await settled()
    expect(link.sent[1].params.inputResponses).toEqual({ who: { action: 'cancel' } })
    expect(events).toContainEqual({
      type: 'error',
      error: new Error('no window'),
      during: 'answering elicitation/create',
    })
    link.answer(3, done)
    await called
  })

  it.each([
    ['sampling/createMessage', sample()],
    ['roots/list', { method: 'roots/list' }],
  ])('%s fails the request, and nobody is kept waiting', async (method, question) => {
    const { calls, answer: later } = deferring()
    const refusal = new ParleyError('user_rejected', { message: 'No.' })
    const { session, link } = await openStateless({
      answer: (inbound) => (inbound.method === method ? Promise.reject(refusal) : later(inbound)),
    })
    const called = session.request('tools/call', { name: 'x' })
    link.answer(2, demand({ who: elicit(), it: question }))
    await expect(called).rejects.toBe(refusal)
    expect(calls[0]?.inbound.signal.aborted).toBe(true)
    calls[0]?.resolve({ action: 'accept' })
    await settled()
    expect(link.sent).toHaveLength(1)
    expect(session.pending()).toEqual([])
  })
})

describe('M3 the request while somebody is asked', () => {
  const waiting = async (
    options: Parameters<typeof openStateless>[0] = {},
    requestOptions: EngineRequestOptions = {},
  ) => {
    const { calls, answer: later } = deferring()
    const rig = await openStateless({ answer: later, ...options })
    const called = rig.session.request('tools/call', { name: 'x' }, requestOptions)
    called.catch(() => {})
    rig.link.answer(2, demand({ who: elicit() }, 's'))
    await settled()
    return { ...rig, called, question: calls[0] as (typeof calls)[number] }
  }

  it('does not time out, however long that takes; afterwards time runs again', async () => {
    const { clock, link, question, called, session } = await waiting({}, { timeout: '1s', maxTimeout: '3s' })
    await clock.advance(3_600_000)
    expect(session.pending()).toMatchObject([{ method: 'tools/call', deadline: Number.POSITIVE_INFINITY }])
    question.resolve({ action: 'decline' })
    await settled()
    const outcome = expect(called).rejects.toMatchObject({ kind: 'request_timeout' })
    await clock.advance(999)
    expect(session.pending()).toHaveLength(1)
    await clock.advance(1)
    await outcome
    expect(link.sent[2]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 3 } })
  })

  it('is cancelled by its caller: the question is withdrawn and nothing is sent', async () => {
    const controller = new AbortController()
    const { link, question, called, session } = await waiting({}, { signal: controller.signal })
    controller.abort()
    await expect(called).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(question.inbound.signal.aborted).toBe(true)
    expect(question.inbound.cancelled).toBe(true)
    question.resolve({ action: 'accept' })
    await settled()
    expect(link.sent).toHaveLength(1)
    expect(session.pending()).toEqual([])
  })

  it('is cancelled by its caller afterwards, under its new id', async () => {
    const controller = new AbortController()
    const { link, question, called } = await waiting({}, { signal: controller.signal })
    question.resolve({ action: 'accept' })
    await settled()
    controller.abort()
    await expect(called).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(link.sent[2]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 3 } })
  })

  it('fails with its session, or is taken over with its own parameters', async () => {
    const lost = await waiting()
    lost.link.hangUp()
    await expect(lost.called).rejects.toMatchObject({ kind: 'connection_closed' })
    expect(lost.question.inbound.signal.aborted).toBe(true)

    const unanswered: unknown[] = []
    const adopted = await waiting({
      adopt: ({ method, params }, { seen }) => unanswered.push([method, params, seen]) > 0,
    })
    adopted.link.hangUp()
    expect(unanswered).toEqual([['tools/call', { name: 'x' }, true]])
  })

  it('counts as one that waits', async () => {
    const { session, question, link } = await waiting({ maxPending: 1 })
    await expect(session.request('tools/list')).rejects.toMatchObject({ kind: 'too_many_requests' })
    let idle = false
    void session.settled().then(() => {
      idle = true
    })
    question.resolve({ action: 'accept' })
    await settled()
    expect(idle).toBe(false)
    link.answer(3, done)
    await settled()
    expect(idle).toBe(true)
  })

  it('D-27 progress goes on under the new id, and never falls', async () => {
    const heard: Progress[] = []
    const { link, question, called } = await waiting({}, { onProgress: (progress) => heard.push(progress) })
    question.resolve({ action: 'accept' })
    await settled()
    expect(link.sent[1].params._meta.progressToken).toBe(3)
    for (const progress of [2, 1, 3]) link.notify('notifications/progress', { progressToken: 3, progress })
    link.answer(3, done)
    await called
    expect(heard).toEqual([{ progress: 2 }, { progress: 3 }])
  })

  it('whoever answered is told when the answer is on its way', async () => {
    const { question, link } = await waiting()
    const order: string[] = []
    question.inbound.afterAnswer(() => order.push(`after ${link.sent.length}`))
    question.resolve({ action: 'accept' })
    await settled()
    expect(order).toEqual(['after 2'])
  })
})
