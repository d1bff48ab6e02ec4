/** Parked calls: calls of clients of 2026-07-28 wait while a server of the handshake era asks the client. */
import { type Capabilities, type ParleyError, versions } from 'parley-mcp'
import type { Body, Inbound } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { accept, form, sample, shown } from './asking.fixtures.ts'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { RawClient, type RawMessage, type ScriptedServer, scripted, text, textOf, until } from './peers.fixtures.ts'

const handshakes = versions.filter((version) => version !== '2026-07-28')
const eliciting = handshakes.filter((version) => version >= '2025-06-18')
const ALL: Capabilities = { elicitation: { form: {} }, sampling: {}, roots: {} }
const CALL: Body = { name: 'any', arguments: {} }
const LONG = { timeout: '2h', maxTimeout: '2h' } as const

let rig: BridgeRig
let clock: FakeClock
beforeEach(() => {
  clock = fakeClock()
})
afterEach(() => rig.close())

function clientOf(server: ScriptedServer): RawClient {
  rig = bridgeTo(server, undefined, {}, { clock })
  return new RawClient(rig.address, { clock })
}

/** Asks these one after the other, and tells what it heard. */
const interviewer =
  (...messages: string[]) =>
  async (inbound: Inbound): Promise<Body> => {
    const heard: unknown[] = []
    for (const message of messages) heard.push(await inbound.request('elicitation/create', form(message), LONG))
    return text(JSON.stringify(heard))
  }

/** Asks one thing, notes how that ended, and works until it is cancelled. */
const outcomes: string[] = []
const asker =
  (method: string, params: Body) =>
  async (inbound: Inbound): Promise<Body> => {
    inbound.signal.addEventListener('abort', () => outcomes.push('cancelled'))
    try {
      outcomes.push(JSON.stringify(await inbound.request(method, params, LONG)))
    } catch (error) {
      outcomes.push(String((error as ParleyError).receivedCode ?? error))
    }
    return new Promise(() => {})
  }
beforeEach(() => {
  outcomes.length = 0
})

describe.each(eliciting)('a server of %s asks forms', (version) => {
  it('two at once, of which one may be answered first', async () => {
    const client = clientOf(
      scripted({
        version,
        answer: async (inbound) =>
          text(
            JSON.stringify(
              await Promise.all(['A?', 'B?'].map((message) => inbound.request('elicitation/create', form(message)))),
            ),
          ),
      }),
    )
    const first = shown(await client.ask('tools/call', CALL, ALL))
    expect(Object.values(first.requests).map(({ method, params }) => [method, params['message']])).toEqual([
      ['elicitation/create', 'A?'],
      ['elicitation/create', 'B?'],
    ])
    const [a, b] = first.keys as [string, string]
    const second = shown(
      await client.ask(
        'tools/call',
        { ...CALL, requestState: first.state, inputResponses: { [b]: accept('Bea'), stray: {} } },
        ALL,
      ),
    )
    expect(second.keys).toEqual([a])
    expect(second.state).not.toBe(first.state)
    const last = await client.ask(
      'tools/call',
      { ...CALL, requestState: second.state, inputResponses: { [a]: accept('Ann') } },
      ALL,
    )
    expect(JSON.parse(textOf(last))).toEqual([accept('Ann'), accept('Bea')])
    expect(last.result?.['resultType']).toBe('complete')
  })

  it('a request that is made twice waits for the same outcome, also when that is there already, for 60 s', async () => {
    let go: (() => void) | undefined
    const server = scripted({
      version,
      answer: async (inbound) => {
        const { content } = (await inbound.request('elicitation/create', form('Who?'))) as { content: Body }
        await new Promise<void>((resolve) => {
          go = resolve
        })
        return text(String(content['name']))
      },
    })
    const client = clientOf(server)
    const { keys, state } = shown(await client.ask('tools/call', CALL, ALL))
    const retry = { ...CALL, requestState: state, inputResponses: { [keys[0] as string]: accept('Ann') } }
    const both = [client.ask('tools/call', retry, ALL), client.ask('tools/call', retry, ALL)]
    await until(() => expect(client.session.inFlight()).toHaveLength(2))
    await until(() => expect(go).toBeDefined())
    go?.()
    expect((await Promise.all(both)).map(textOf)).toEqual(['Ann', 'Ann'])
    await clock.advance(59_000)
    expect(textOf(await client.ask('tools/call', retry, ALL))).toBe('Ann')
    await clock.advance(2000)
    expect(textOf(await client.ask('tools/call', retry, ALL))).toContain('no longer waits')
    expect(server.asked).toHaveLength(1)
  })

  it('the same call without the state is another call', async () => {
    const server = scripted({ version, answer: interviewer('Who?') })
    const client = clientOf(server)
    const one = shown(await client.ask('tools/call', CALL, ALL))
    const again = client.ask('tools/call', CALL, ALL)
    await client.ask(
      'tools/call',
      { ...CALL, requestState: one.state, inputResponses: { [one.keys[0] as string]: accept('Ann') } },
      ALL,
    )
    const two = shown(await again)
    expect(two.state).not.toBe(one.state)
    expect(server.asked).toHaveLength(2)
  })

  it('refuses a state that is forged, of another request, of an earlier round or expired, and no call is harmed', async () => {
    const client = clientOf(scripted({ version, answer: interviewer('Who?', 'Where?') }))
    const first = shown(await client.ask('tools/call', CALL, ALL))
    const key = first.keys[0] as string
    const answered = { inputResponses: { [key]: accept('Ann') } }
    const refused = [
      { ...CALL, ...answered, requestState: `${first.state.slice(0, -2)}AA` },
      { ...CALL, ...answered, requestState: 'v1.never-given' },
      { name: 'other', arguments: {}, ...answered, requestState: first.state },
    ]
    for (const params of refused) {
      const { error } = await client.ask('tools/call', params, ALL)
      expect(error).toMatchObject({ code: -32602, message: expect.stringContaining('requestState') })
    }
    const second = shown(await client.ask('tools/call', { ...CALL, ...answered, requestState: first.state }, ALL))
    const again = { inputResponses: { [second.keys[0] as string]: accept('Rome') } }
    await clock.advance(61_000)
    expect((await client.ask('tools/call', { ...CALL, ...again, requestState: first.state }, ALL)).error).toMatchObject(
      { code: -32602 },
    )
    const last = await client.ask('tools/call', { ...CALL, ...again, requestState: second.state }, ALL)
    expect(JSON.parse(textOf(last))).toEqual([accept('Ann'), accept('Rome')])
  })

  it('and takes one back: it is not shown any more, and an answer to it is of no use', async () => {
    const stop = new AbortController()
    const client = clientOf(
      scripted({
        version,
        answer: async (inbound) => {
          const gone = inbound
            .request('elicitation/create', form('A?'), { signal: stop.signal })
            .catch(() => 'taken back')
          const stays = inbound.request('elicitation/create', form('B?'))
          return text(JSON.stringify(await Promise.all([gone, stays])))
        },
      }),
    )
    const first = shown(await client.ask('tools/call', CALL, ALL))
    const [a, b] = first.keys as [string, string]
    stop.abort()
    await flush()
    const second = shown(
      await client.ask(
        'tools/call',
        { ...CALL, requestState: first.state, inputResponses: { [a]: accept('Ann') } },
        ALL,
      ),
    )
    expect(second.keys).toEqual([b])
    const last = await client.ask(
      'tools/call',
      { ...CALL, requestState: second.state, inputResponses: { [b]: accept('Bea') } },
      ALL,
    )
    expect(JSON.parse(textOf(last))).toEqual(['taken back', accept('Bea')])
  })

  it('what the user does not want is told as it is', async () => {
    const client = clientOf(scripted({ version, answer: interviewer('Who?') }))
    const { keys, state } = shown(await client.ask('tools/call', CALL, ALL))
    const last = await client.ask(
      'tools/call',
      { ...CALL, requestState: state, inputResponses: { [keys[0] as string]: { action: 'decline' } } },
      ALL,
    )
    expect(JSON.parse(textOf(last))).toEqual([{ action: 'decline' }])
  })

  it('more often than 32 times, and the call is over', async () => {
    const server = scripted({
      version,
      answer: async (inbound) => {
        for (;;) await inbound.request('elicitation/create', form('Again?'))
      },
    })
    const client = clientOf(server)
    let answer = await client.ask('tools/call', CALL, ALL)
    let rounds = 0
    while (answer.result?.['resultType'] === 'input_required') {
      rounds++
      const { keys, state } = shown(answer)
      answer = await client.ask(
        'tools/call',
        { ...CALL, requestState: state, inputResponses: { [keys[0] as string]: accept('Ann') } },
        ALL,
      )
    }
    expect(rounds).toBe(32)
    expect(answer.error).toMatchObject({ code: -32603 })
  })

  it('progress and log messages that come meanwhile are told on the request that comes next, under its own token', async () => {
    const server = scripted({
      version,
      answer: async (inbound) => {
        const asked = inbound.request('elicitation/create', form('Who?'))
        inbound.progress(1, 3)
        inbound.progress(2, 3)
        inbound.notify('notifications/message', { level: 'warning', data: 'meanwhile' })
        await asked
        inbound.progress(3, 3)
        return text('done')
      },
    })
    const client = clientOf(server)
    const { keys, state } = shown(
      await client.ask(
        'tools/call',
        { ...CALL, _meta: { progressToken: 'one', 'io.modelcontextprotocol/logLevel': 'info' } },
        ALL,
      ),
    )
    await flush()
    const before = client.received.length
    const retry = { ...CALL, requestState: state, inputResponses: { [keys[0] as string]: accept('Ann') } }
    const last = await client.ask(
      'tools/call',
      { ...retry, _meta: { progressToken: 'two', 'io.modelcontextprotocol/logLevel': 'info' } },
      ALL,
    )
    expect(textOf(last)).toBe('done')
    const told = client.received.slice(before)
    const progress = client
      .of('notifications/progress')
      .map(({ params }) => [params?.['progressToken'], params?.['progress']])
    expect(progress.filter(([token]) => token === 'two').at(-1)).toEqual(['two', 3])
    expect(progress.every(([token], index) => token === 'two' || index < 2)).toBe(true)
    expect([...client.of('notifications/message')].map(({ params }) => params?.['data'])).toEqual(['meanwhile'])
    expect(told.some(({ method }) => method === 'notifications/progress')).toBe(true)
  })
})

const QUESTIONS: [method: string, params: Body, unanswered: string][] = [
  ['elicitation/create', form('Who?'), '{"action":"cancel"}'],
  ['sampling/createMessage', sample, '-1'],
  ['roots/list', {}, '-32603'],
]

describe.each(handshakes)('a server of %s asks', (version) => {
  const possible = QUESTIONS.filter(([method]) => method !== 'elicitation/create' || version >= '2025-06-18')

  it.each(possible)(
    '%s, and the client never comes back: nothing is made up, and the call is cancelled',
    async (method, params, unanswered) => {
      const server = scripted({ version, answer: asker(method, params) })
      const client = clientOf(server)
      const { keys, state, requests } = shown(await client.ask('tools/call', CALL, ALL))
      expect(requests[keys[0] as string]?.method).toBe(method)
      await clock.advance(599_000)
      expect(outcomes).toEqual([])
      await clock.advance(1001)
      expect(outcomes).toEqual([unanswered, 'cancelled'])
      const late = await client.ask('tools/call', { ...CALL, requestState: state, inputResponses: {} }, ALL)
      expect(late.result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/expired.*call the tool again/) }],
      })
    },
  )

  it.each(possible)('%s, but the client has given the call up before', async (method, params) => {
    let ask: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    const server = scripted({
      version,
      answer: async (inbound) => {
        await asked
        return asker(method, params)(inbound)
      },
    })
    const client = clientOf(server)
    const id = client.nextId
    void client.ask('tools/call', CALL, ALL)
    await until(() => expect(server.asked).toHaveLength(1))
    const { signal } = server.asked[0] as Inbound
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await until(() => expect(signal.aborted).toBe(true))
    ask()
    await flush()
    expect(client.received.filter((message) => message.id === id)).toEqual([])
  })

  it('runs one call at a time if its questions name no call', async () => {
    const server = scripted({
      version,
      answer: async (inbound) =>
        inbound.method === 'tools/list'
          ? { tools: [] }
          : text(JSON.stringify([inbound.params['name'], await inbound.request('roots/list')])),
    })
    const client = clientOf(server)
    const one = shown(await client.ask('tools/call', { name: 'one' }, ALL))
    const two = client.ask('tools/call', { name: 'two' }, ALL)
    // What cannot be asked anything need not wait.
    await client.ask('tools/list', {}, ALL)
    expect(server.asked.map(({ params }) => params['name'])).toEqual(['one', undefined])
    const answer = (root: string): Body => ({ roots: [{ uri: `file:///${root}` }] })
    const first = await client.ask(
      'tools/call',
      { name: 'one', requestState: one.state, inputResponses: { [one.keys[0] as string]: answer('one') } },
      ALL,
    )
    expect(JSON.parse(textOf(first))).toEqual(['one', answer('one')])
    const { keys, state } = shown(await two)
    const second = await client.ask(
      'tools/call',
      { name: 'two', requestState: state, inputResponses: { [keys[0] as string]: answer('two') } },
      ALL,
    )
    expect(JSON.parse(textOf(second))).toEqual(['two', answer('two')])
  })

  it('a client that can be asked nothing does not wait for one that can', async () => {
    const server = scripted({
      version,
      answer: async (inbound) =>
        inbound.params['name'] === 'one' ? asker('roots/list', {})(inbound) : text('at once'),
    })
    const client = clientOf(server)
    shown(await client.ask('tools/call', { name: 'one' }, ALL))
    expect(textOf(await client.ask('tools/call', { name: 'two' }))).toBe('at once')
  })

  it('and lists something meanwhile: the question is still that of the call', async () => {
    let ask: () => void = () => {}
    let list: () => void = () => {}
    const server = scripted({
      version,
      answer: async (inbound) => {
        if (inbound.method === 'tools/list') {
          await new Promise<void>((resolve) => {
            list = resolve
          })
          return { tools: [] }
        }
        await new Promise<void>((resolve) => {
          ask = resolve
        })
        return text(JSON.stringify(await inbound.request('roots/list')))
      },
    })
    const client = clientOf(server)
    const called = client.ask('tools/call', CALL, ALL)
    const listed = client.ask('tools/list', {}, ALL)
    await until(() => expect(server.asked).toHaveLength(2))
    ask()
    const { keys } = shown(await called)
    expect(keys).toHaveLength(1)
    list()
    expect((await listed).result).toMatchObject({ tools: [] })
  })

  it('for roots as soon as it is spoken to: it hears of none, and is told of them with the first call (the roots trick)', async () => {
    const heard: unknown[] = []
    const server = scripted({
      version,
      opened: (session) => {
        if (session.can('roots/list')) void session.request('roots/list').then((roots) => heard.push(roots))
        session.onNotification(
          'notifications/roots/list_changed',
          () => void session.request('roots/list').then((roots) => heard.push(roots)),
        )
      },
      answer: async () => {
        await flush()
        return text(JSON.stringify(heard))
      },
    })
    const client = clientOf(server)
    const first = shown(await client.ask('tools/call', CALL, { roots: {} }))
    expect(heard).toEqual([{ roots: [] }])
    expect(Object.values(first.requests)).toEqual([{ method: 'roots/list', params: {} }])
    const roots = { roots: [{ uri: 'file:///one' }] }
    const answered = { ...CALL, requestState: first.state, inputResponses: { [first.keys[0] as string]: roots } }
    const last = await client.ask('tools/call', answered, { roots: {} })
    expect(JSON.parse(textOf(last))).toEqual([{ roots: [] }, roots])
    // Known from now on: the next call is made at once.
    expect(JSON.parse(textOf(await client.ask('tools/call', CALL, { roots: {} })))).toHaveLength(2)
  })
})

it('questions that come within a moment of each other are shown together', async () => {
  const server = scripted({
    version: '2025-11-25',
    answer: async (inbound) => {
      const first = inbound.request('elicitation/create', form('A?'), LONG)
      await new Promise<void>((resolve) => inbound.session.clock.after(10, resolve))
      return text(JSON.stringify(await Promise.all([first, inbound.request('elicitation/create', form('B?'), LONG)])))
    },
  })
  rig = bridgeTo(server, undefined, {}, { clock })
  const shownTogether: number[] = []
  const client = await rig.connect({
    version: '2026-07-28',
    elicit: () => ({ name: 'Ann' }),
    tap: (direction, frame) => {
      const { result } = JSON.parse(frame) as RawMessage
      if (direction === 'received' && result?.['inputRequests'] !== undefined)
        shownTogether.push(Object.keys(result['inputRequests'] as Body).length)
    },
  })
  const called = client.call('any')
  await until(() => expect(server.asked).toHaveLength(1))
  await flush()
  await clock.advance(10)
  await clock.advance(100)
  expect(JSON.parse((await called).text)).toEqual([accept('Ann'), accept('Ann')])
  expect(shownTogether).toEqual([2])
  await client.close()
})

it('questions that belong to no call: no client is asked, and the gateway makes no answer up', async () => {
  const ends: string[] = []
  const server = scripted({
    version: '2025-11-25',
    opened: (session) => {
      // The gateway itself declares nothing.
      if (!session.can('sampling/createMessage')) return
      void session.request('elicitation/create', form('Who?')).then(
        (answer) => ends.push(JSON.stringify(answer)),
        (error) => ends.push(String(error.receivedCode)),
      )
      void session.request('sampling/createMessage', sample).catch((error) => ends.push(String(error.receivedCode)))
    },
  })
  const client = clientOf(server)
  expect(textOf(await client.ask('tools/call', CALL, { elicitation: { form: {} }, sampling: {} }))).toBe('done')
  expect(ends.sort()).toEqual(['-1', '{"action":"cancel"}'])
})

it('a server that asks what the client did not declare with this request is told so, and not the client', async () => {
  const server = scripted({
    version: '2025-11-25',
    answer: async (inbound) =>
      text(await inbound.request('elicitation/create', form('Who?')).then(String, (error: ParleyError) => error.kind)),
  })
  const client = clientOf(server)
  const answer = await client.ask('tools/call', CALL, { roots: {} })
  expect(textOf(answer)).toBe('capability_not_supported')
})
