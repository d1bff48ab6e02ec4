/** Links that a server wants its user to open, between the eras. */
import { type Capabilities, ParleyError } from 'parley-mcp'
import { type Body, type Inbound, InputRequired } from 'parley-mcp/engine'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  overheard,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'

const STATELESS = '2026-07-28'
const HANDSHAKE = '2025-11-25'
const LINKS: Capabilities = { elicitation: { form: {}, url: {} } }
const CALL: Body = { name: 'any', arguments: {} }
const OTHERS: [method: string, params: Body][] = [
  ['prompts/get', { name: 'any' }],
  ['resources/read', { uri: 'note://one' }],
]

const link = (url: string): { method: string; params: Body } => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url },
})
const required = (...urls: string[]): InputRequired =>
  new InputRequired(Object.fromEntries(urls.map((url) => [new URL(url).pathname, link(url)])) as never, { urls })

let clock: FakeClock
let rig: BridgeRig
let frames: string[]
beforeEach(() => {
  clock = fakeClock()
  frames = []
})
afterEach(() => rig.close())

function clientOf(server: ScriptedServer): RawClient {
  rig = bridgeTo(server, undefined, {}, { clock, wrap: overheard(frames) })
  return new RawClient(rig.address, { clock })
}

/** How often the server has shown questions. */
const shown = (): number => frames.filter((frame) => frame.includes('"input_required"')).length
const wasShown = (times: number): Promise<void> => until(() => expect(shown()).toBe(times)).then(flush)
const idOf = (message: { params?: Body }): string => message.params?.['elicitationId'] as string

describe(`a server of ${STATELESS} and a client of ${HANDSHAKE}`, () => {
  it('the link gets an id, is shown once however often the server asks, and is complete when the server is content', async () => {
    let visited = false
    const server = scripted({
      version: STATELESS,
      answer: () => (visited ? text('in') : required('https://a.example/in')),
    })
    const client = clientOf(server)
    await client.shakeHands(HANDSHAKE, LINKS)
    const called = client.request('tools/call', CALL)
    const question = await client.next('elicitation/create')
    expect(question.params).toMatchObject({
      mode: 'url',
      message: 'Sign in',
      url: 'https://a.example/in',
      elicitationId: expect.stringMatching(/.{16,}/),
    })
    client.send({ id: question.id, result: { action: 'accept' } })
    let asked = 2
    // More often than a server may ask something new (the limit of rounds).
    for (const pace of [2000, 4000, 8000, ...Array<number>(7).fill(10_000)]) {
      await wasShown(asked)
      await clock.advance(pace - 1)
      expect(server.asked).toHaveLength(asked)
      visited = asked === 11
      await clock.advance(1)
      asked++
      await until(() => expect(server.asked).toHaveLength(asked))
    }
    expect(textOf(await called)).toBe('in')
    expect(client.of('elicitation/create')).toHaveLength(1)
    expect(client.of('notifications/elicitation/complete').map(idOf)).toEqual([idOf(question)])
    // Told before the answer, as long as there is a stream for it.
    const at = (find: (message: object) => boolean): number => client.received.findIndex(find)
    expect(
      at((message) => 'method' in message && message.method === 'notifications/elicitation/complete'),
    ).toBeLessThan(at((message) => 'result' in message && JSON.stringify(message).includes('"in"')))
  })

  it('a user who never gets there is given up after ten minutes, and the model is told', async () => {
    const server = scripted({ version: STATELESS, answer: () => required('https://a.example/in'), maxRounds: 100 })
    const client = clientOf(server)
    await client.shakeHands(HANDSHAKE, LINKS)
    const called = client.request('tools/call', CALL)
    const { id } = await client.next('elicitation/create')
    client.send({ id, result: { action: 'accept' } })
    for (const [at, pace] of [2000, 4000, 8000, ...Array<number>(58).fill(10_000)].entries()) {
      await wasShown(at + 2)
      await clock.advance(pace)
    }
    const { result } = await called
    expect(result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('has not seen the user there within ten minutes') }],
    })
    expect(server.asked).toHaveLength(63)
    expect(client.of('elicitation/create')).toHaveLength(1)
  })

  it('one of two is complete as soon as the server asks for the other only', async () => {
    let round = 0
    const [one, two] = ['https://a.example/one', 'https://a.example/two'] as const
    const server = scripted({
      version: STATELESS,
      answer: () => {
        round++
        if (round === 1) return required(one, two)
        return round === 2 ? required(two) : text('in')
      },
    })
    const client = clientOf(server)
    await client.shakeHands(HANDSHAKE, LINKS)
    const called = client.request('tools/call', CALL)
    const second = await client.next('elicitation/create', 1)
    const [first] = client.of('elicitation/create')
    for (const { id } of [second, first ?? second]) client.send({ id, result: { action: 'accept' } })
    await wasShown(2)
    expect(client.of('notifications/elicitation/complete').map(idOf)).toEqual([idOf(first ?? {})])
    await clock.advance(2000)
    expect(textOf(await called)).toBe('in')
    expect(client.of('notifications/elicitation/complete').map(idOf)).toEqual([idOf(first ?? {}), idOf(second)])
    expect(idOf(second)).not.toBe(idOf(first ?? {}))
  })

  it.each(['decline', 'cancel'])('%s is told as it is, and nothing is complete', async (action) => {
    const server = scripted({
      version: STATELESS,
      answer: ({ retry }) =>
        retry === undefined ? required('https://a.example/in') : text(JSON.stringify(retry.responses)),
    })
    const client = clientOf(server)
    await client.shakeHands(HANDSHAKE, LINKS)
    const called = client.request('tools/call', CALL)
    const { id } = await client.next('elicitation/create')
    client.send({ id, result: { action } })
    expect(JSON.parse(textOf(await called))).toEqual({ '/in': { action } })
    expect(client.of('notifications/elicitation/complete')).toEqual([])
  })

  it('a client that gives the call up is not waited for', async () => {
    const server = scripted({ version: STATELESS, answer: () => required('https://a.example/in') })
    const client = clientOf(server)
    await client.shakeHands(HANDSHAKE, LINKS)
    const id = client.nextId
    void client.request('tools/call', CALL)
    const question = await client.next('elicitation/create')
    client.send({ id: question.id, result: { action: 'accept' } })
    await wasShown(2)
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await flush()
    await clock.advance(60_000)
    expect(server.asked).toHaveLength(2)
  })
})

it('a client of 2025-06-18 has no links: the server is told so, and the tool has failed (D-59)', async () => {
  const server = scripted({
    version: STATELESS,
    answer: ({ caller }) => {
      expect(caller.declares('elicitation.url')).toBe(false)
      throw new ParleyError('missing_client_capability', {
        message: 'Sign in first',
        data: { requiredCapabilities: { elicitation: { url: {} } } },
      })
    },
  })
  const client = clientOf(server)
  await client.shakeHands('2025-06-18', { elicitation: {} })
  expect((await client.request('tools/call', CALL)).result).toMatchObject({ isError: true })
})

describe(`a server of ${HANDSHAKE} and a client of ${STATELESS}`, () => {
  it('the question is shown without its id, and whoever answers it need not hear that it is complete', async () => {
    const server = scripted({
      version: HANDSHAKE,
      answer: async (inbound) => {
        const answer = await inbound.request('elicitation/create', {
          ...link('https://a.example/in').params,
          elicitationId: 'e1',
        })
        inbound.notify('notifications/elicitation/complete', { elicitationId: 'e1' })
        return text(JSON.stringify(answer))
      },
    })
    const client = clientOf(server)
    const { result } = await client.ask('tools/call', CALL, LINKS)
    const [[key, question]] = Object.entries(result?.['inputRequests'] as Body) as [[string, Body]]
    expect(question).toEqual(link('https://a.example/in'))
    const retry = { ...CALL, requestState: result?.['requestState'], inputResponses: { [key]: { action: 'accept' } } }
    expect(JSON.parse(textOf(await client.ask('tools/call', retry, LINKS)))).toEqual({ action: 'accept' })
    expect(client.of('notifications/elicitation/complete')).toEqual([])
  })

  /** Wants the links opened so many times. */
  const demanding = (times: number, ...urls: string[]): ScriptedServer => {
    let left = times
    return scripted({
      version: HANDSHAKE,
      answer: ({ method }: Inbound) => {
        if (left-- <= 0)
          return method === 'tools/call' ? text('in') : method === 'prompts/get' ? { messages: [] } : { contents: [] }
        const elicitations = urls.map((url, index) => ({ ...link(url).params, elicitationId: `e${index}` }))
        throw new ParleyError('url_elicitation_required', { message: 'Sign in first', data: { elicitations } })
      },
    })
  }

  const complete = ({ asked }: ScriptedServer, elicitationId: string): void => {
    asked.at(-1)?.session.notify('notifications/elicitation/complete', { elicitationId })
  }

  it.each([['tools/call', CALL] as [string, Body], ...OTHERS])(
    '-32042 to %s is a question; when the links are open the request is made again, as often as it takes',
    async (method, params) => {
      const server = demanding(2, 'https://a.example/one', 'https://a.example/two')
      const client = clientOf(server)
      let answer = await client.ask(method, params, LINKS)
      for (let round = 0; round < 2; round++) {
        const requests = answer.result?.['inputRequests'] as Record<string, Body>
        expect(Object.values(requests)).toEqual([link('https://a.example/one'), link('https://a.example/two')])
        const inputResponses = Object.fromEntries(Object.keys(requests).map((key) => [key, { action: 'accept' }]))
        for (const id of ['e0', 'e1']) complete(server, id)
        await flush()
        answer = await client.ask(
          method,
          { ...params, requestState: answer.result?.['requestState'], inputResponses },
          LINKS,
        )
      }
      expect(answer.error).toBeUndefined()
      expect(answer.result).toMatchObject({ resultType: 'complete' })
      expect(server.asked).toHaveLength(3)
    },
  )

  it('what is left open is asked for again', async () => {
    const client = clientOf(demanding(2, 'https://a.example/one'))
    const { result } = await client.ask('tools/call', CALL, LINKS)
    const again = await client.ask(
      'tools/call',
      { ...CALL, requestState: result?.['requestState'], inputResponses: {} },
      LINKS,
    )
    expect(again.result).toMatchObject({ resultType: 'input_required' })
  })

  it.each(['decline', 'cancel'])(
    '%s: the tool has failed, other requests get an error, and the server is not asked again',
    async (action) => {
      for (const [method, params] of [['tools/call', CALL] as [string, Body], ...OTHERS]) {
        const server = demanding(9, 'https://a.example/one')
        const client = clientOf(server)
        const { result } = await client.ask(method, params, LINKS)
        const [key] = Object.keys(result?.['inputRequests'] as Body)
        const last = await client.ask(
          method,
          { ...params, requestState: result?.['requestState'], inputResponses: { [key as string]: { action } } },
          LINKS,
        )
        if (method === 'tools/call') expect(last.result).toMatchObject({ isError: true })
        else expect(last.error).toMatchObject({ code: -32603 })
        expect(server.asked).toHaveLength(1)
        await rig.close()
      }
    },
  )

  describe('the user has agreed to open the links', () => {
    const URLS = ['https://a.example/one', 'https://a.example/two']

    /** As often as the server wants it. */
    async function agreed(client: RawClient): Promise<Body> {
      const { result } = await client.ask('tools/call', CALL, LINKS)
      const inputResponses = Object.fromEntries(
        Object.keys(result?.['inputRequests'] as Body).map((key) => [key, { action: 'accept' }]),
      )
      return { ...CALL, requestState: result?.['requestState'], inputResponses }
    }

    /** The call is made again, refused again, and held for so long at most. */
    async function hold(
      client: RawClient,
      retry: Body,
      most: number,
    ): Promise<{ id: number; answer: Promise<RawMessage> }> {
      const after = vi.spyOn(clock, 'after')
      const id = client.nextId
      const answer = client.ask('tools/call', retry, LINKS)
      await until(() => expect(after.mock.calls.map(([ms]) => ms)).toContain(most))
      after.mockRestore()
      return { id, answer }
    }

    it('the request is made at once, and a server that is content by now answers', async () => {
      const server = demanding(1, ...URLS)
      const client = clientOf(server)
      expect(textOf(await client.ask('tools/call', await agreed(client), LINKS))).toBe('in')
      expect(server.asked).toHaveLength(2)
    })

    it('refused again, it is held until the server tells of each link that it is complete (D-26), and others are served meanwhile', async () => {
      const server = demanding(2, ...URLS)
      const client = clientOf(server)
      const { answer } = await hold(client, await agreed(client), 3000)
      complete(server, 'e0')
      complete(server, 'e7')
      await clock.advance(2999)
      expect(server.asked).toHaveLength(2)
      expect(textOf(await client.ask('tools/call', CALL, LINKS))).toBe('in')
      complete(server, 'e1')
      expect(textOf(await answer)).toBe('in')
      expect(server.asked).toHaveLength(4)
      expect(client.of('notifications/elicitation/complete')).toEqual([])
    })

    it('a server that has told before is waited for 30 s', async () => {
      const server = demanding(3, ...URLS)
      const client = clientOf(server)
      await agreed(client)
      for (const id of ['e0', 'e1']) complete(server, id)
      await flush()
      const { answer } = await hold(client, await agreed(client), 30_000)
      await clock.advance(29_999)
      expect(server.asked).toHaveLength(3)
      await clock.advance(1)
      expect(textOf(await answer)).toBe('in')
    })

    it('a server that never tells is waited for once, and the links are asked for again', async () => {
      const server = demanding(9, ...URLS)
      const client = clientOf(server)
      const { answer } = await hold(client, await agreed(client), 3000)
      await clock.advance(3000)
      expect((await answer).result).toMatchObject({ resultType: 'input_required' })
      expect(server.asked).toHaveLength(3)
      expect((await client.ask('tools/call', await agreed(client), LINKS)).result).toMatchObject({
        resultType: 'input_required',
      })
      expect(server.asked).toHaveLength(5)
    })

    it('it is not held when the server has told before', async () => {
      const server = demanding(1, ...URLS)
      const client = clientOf(server)
      const retry = await agreed(client)
      for (const id of ['e0', 'e1']) complete(server, id)
      await flush()
      expect(textOf(await client.ask('tools/call', retry, LINKS))).toBe('in')
    })

    it('nor where the server has nobody to tell: the conversation was for one request', async () => {
      const server = demanding(1, ...URLS)
      rig = bridgeTo(server, undefined, {}, { clock })
      const client = new RawClient(rig.address, { clock, sharedLink: true })
      expect(textOf(await client.ask('tools/call', await agreed(client), LINKS))).toBe('in')
    })

    it('it is not made again when the client gives it up meanwhile', async () => {
      const server = demanding(2, ...URLS)
      const client = clientOf(server)
      const { id } = await hold(client, await agreed(client), 3000)
      client.send({ method: 'notifications/cancelled', params: { requestId: id } })
      await flush()
      await clock.advance(60_000)
      expect(server.asked).toHaveLength(2)
    })
  })

  it('a client that cannot open links is told that it would have to', async () => {
    const client = clientOf(demanding(9, 'https://a.example/one'))
    const { error, result } = await client.ask('tools/call', CALL, { elicitation: { form: {} } })
    expect(result).toBeUndefined()
    expect(error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { url: {} } } } })
  })
})
