/** Clients of the handshake era that answer questions of a server of 2026-07-28. */
import { ParleyError, type ProtocolVersion, versions } from 'parley-mcp'
import { type Body, type Inbound, InputRequired } from 'parley-mcp/engine'
import { fakeClock } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from './bridge.fixtures.ts'
import { overheard, RawClient, scripted, text, textOf, until } from './peers.fixtures.ts'

const STATELESS = '2026-07-28'
const handshakes = versions.filter((version) => version !== STATELESS)
const eliciting = handshakes.filter((version) => version >= '2025-06-18')

let rig: BridgeRig | undefined
afterEach(async () => {
  await rig?.close()
  rig = undefined
})

const form = (message: string): { method: string; params: Body } => ({
  method: 'elicitation/create',
  params: { mode: 'form', message, requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } },
})
const sample = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'Well?' } }], maxTokens: 5 },
}
const rootsList = { method: 'roots/list' }
const required = (requests: Record<string, object>, state?: unknown): InputRequired =>
  new InputRequired(requests as never, state)

/** A server that asks all this at once, and then tells what it heard. */
const asking = (requests: Record<string, object>) =>
  scripted({
    version: STATELESS,
    answer: ({ retry, method }) => {
      if (retry === undefined) return required(requests)
      const words = JSON.stringify(retry.responses)
      if (method === 'prompts/get') return { messages: [{ role: 'user', content: { type: 'text', text: words } }] }
      return method === 'resources/read' ? { contents: [{ uri: 'note://one', text: words }] } : text(words)
    },
  })

const CAPABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
const REQUESTS: [method: string, params: Body][] = [
  ['tools/call', { name: 'any', arguments: {} }],
  ['prompts/get', { name: 'any' }],
  ['resources/read', { uri: 'note://one' }],
]

async function rawClient(server: ReturnType<typeof scripted>, version: ProtocolVersion): Promise<RawClient> {
  rig = bridgeTo(server, STATELESS)
  const client = new RawClient(rig.address)
  await client.shakeHands(version, CAPABILITIES)
  return client
}

describe.each(eliciting)('a client of %s is asked forms', (version) => {
  it('two one after the other: no state of the server reaches it', async () => {
    const server = scripted({
      version: STATELESS,
      answer: ({ retry }) => {
        if (retry === undefined) return required({ who: form('Who?') }, { n: 1 })
        const { who } = retry.responses as Record<string, { content: { name: string } }>
        if (who !== undefined) return required({ where: form('Where?') }, { who: who.content.name })
        return text(
          `${(retry.state as { who: string }).who} in ${(retry.responses as Record<string, { content: { name: string } }>)['where']?.content.name}`,
        )
      },
    })
    const client = await rawClient(server, version)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    for (const [index, name] of ['Ann', 'Rome'].entries()) {
      const { id, params } = await client.next('elicitation/create', index)
      expect(JSON.stringify(params)).not.toContain('requestState')
      client.send({ id, result: { action: 'accept', content: { name } } })
    }
    const answer = await called
    expect(textOf(answer)).toBe('Ann in Rome')
    expect(answer.result).not.toHaveProperty('resultType')
    // The request was made anew for each round, with the answers of that round only.
    expect(server.asked.map(({ params, retry }) => [params['name'], Object.keys(retry?.responses ?? {})])).toEqual([
      ['any', []],
      ['any', ['who']],
      ['any', ['where']],
    ])
  })

  it('two at once, which it may answer in any order', async () => {
    const client = await rawClient(asking({ a: form('A?'), b: form('B?') }), version)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    const second = await client.next('elicitation/create', 1)
    const [first] = client.of('elicitation/create')
    client.send({ id: second.id, result: { action: 'decline' } })
    client.send({ id: first?.id, result: { action: 'accept', content: { name: 'Ann' } } })
    expect(JSON.parse(textOf(await called))).toEqual({
      a: { action: 'accept', content: { name: 'Ann' } },
      b: { action: 'decline' },
    })
  })

  it('and an error is a form that was cancelled, for the server as for the call', async () => {
    const client = await rawClient(asking({ a: form('A?') }), version)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    const { id } = await client.next('elicitation/create')
    client.send({ id, error: { code: -32603, message: 'no window' } })
    expect(JSON.parse(textOf(await called))).toEqual({ a: { action: 'cancel' } })
  })
})

describe.each(handshakes)('a client of %s is asked for', (version) => {
  it('its model and its roots', async () => {
    const client = await rawClient(asking({ model: sample, places: rootsList }), version)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    const model = await client.next('sampling/createMessage')
    client.send({ id: model.id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Fine.' } } })
    const places = await client.next('roots/list')
    client.send({ id: places.id, result: { roots: [{ uri: 'file:///one' }] } })
    expect(JSON.parse(textOf(await called))).toMatchObject({
      model: { role: 'assistant', content: { type: 'text', text: 'Fine.' } },
      places: { roots: [{ uri: 'file:///one' }] },
    })
  })

  it.each([
    ['sampling/createMessage', sample],
    ['roots/list', rootsList],
  ] as const)(
    '%s, refuses, and that ends the request: a tool has failed, others get its error',
    async (method, question) => {
      const server = asking({ it: question })
      const client = await rawClient(server, version)
      for (const [index, [request, params]] of REQUESTS.entries()) {
        const asked = client.request(request, params)
        const { id } = await client.next(method, index)
        client.send({ id, error: { code: -1, message: 'rather not' } })
        const { result, error } = await asked
        if (request === 'tools/call')
          expect(result).toMatchObject({
            isError: true,
            content: [{ type: 'text', text: expect.stringContaining('rather not') }],
          })
        else expect(error).toMatchObject({ code: -1, message: 'rather not' })
      }
      // Nothing was brought to the server that the client did not say.
      expect(server.asked.every(({ retry }) => retry === undefined)).toBe(true)
    },
  )

  it('one thing it refuses, so the other is taken back', async () => {
    const client = await rawClient(asking({ model: sample, places: rootsList }), version)
    const called = client.request('tools/call', { name: 'any', arguments: {} })
    const places = await client.next('roots/list')
    const model = await client.next('sampling/createMessage')
    client.send({ id: model.id, error: { code: -1, message: 'rather not' } })
    expect((await called).result).toMatchObject({ isError: true })
    expect((await client.next('notifications/cancelled')).params).toMatchObject({ requestId: places.id })
  })

  it('nothing it did not declare: -32021 is a tool that failed, and an internal error for others (D-59)', async () => {
    const needs = (): never => {
      throw new ParleyError('missing_client_capability', {
        message: 'Needs a form',
        data: { requiredCapabilities: { elicitation: { form: {} } } },
      })
    }
    rig = bridgeTo(scripted({ version: STATELESS, answer: needs }), STATELESS)
    const client = new RawClient(rig.address)
    await client.shakeHands(version)
    for (const [method, params] of REQUESTS) {
      const { result, error } = await client.request(method, params)
      if (method === 'tools/call')
        expect(result).toMatchObject({
          isError: true,
          content: [{ type: 'text', text: expect.stringContaining('elicitation') }],
        })
      else expect(error).toMatchObject({ code: -32603, data: { requiredCapabilities: { elicitation: { form: {} } } } })
    }
  })

  it('cancels while the server works: the server is told, and nothing is answered', async () => {
    let begun: (inbound: Inbound) => void = () => {}
    const working = new Promise<Inbound>((resolve) => {
      begun = resolve
    })
    const server = scripted({
      version: STATELESS,
      answer: (inbound) => {
        begun(inbound)
        return new Promise(() => {})
      },
    })
    const client = await rawClient(server, version)
    const id = client.nextId
    void client.request('tools/call', { name: 'any', arguments: {} })
    const { signal } = await working
    const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await aborted
    await client.request('ping')
    expect(client.received.some((message) => message.id === id && message.method === undefined)).toBe(false)
  })

  it('cancels while it is being asked: the question is taken back, and the server is not bothered again', async () => {
    const server = asking({ model: sample })
    const client = await rawClient(server, version)
    const id = client.nextId
    void client.request('tools/call', { name: 'any', arguments: {} })
    const question = await client.next('sampling/createMessage')
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    expect((await client.next('notifications/cancelled')).params).toMatchObject({ requestId: question.id })
    client.send({ id: question.id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'late' } } })
    await client.request('ping')
    expect(server.asked).toHaveLength(1)
    expect(client.received.some((message) => message.id === id && message.method === undefined)).toBe(false)
  })

  it('progress that starts again with each round keeps growing, and how much there is in all is left out then', async () => {
    const server = scripted({
      version: STATELESS,
      answer: (inbound) => {
        inbound.progress(1, 4)
        inbound.progress(3, 4)
        return inbound.retry === undefined ? required({ it: sample }) : text('done')
      },
    })
    const client = await rawClient(server, version)
    const called = client.request('tools/call', { name: 'any', arguments: {}, _meta: { progressToken: 'p' } })
    const { id } = await client.next('sampling/createMessage')
    client.send({ id, result: { role: 'assistant', model: 'm', content: { type: 'text', text: 'Fine.' } } })
    await called
    expect(client.of('notifications/progress').map(({ params }) => params)).toEqual([
      { progressToken: 'p', progress: 1, total: 4 },
      { progressToken: 'p', progress: 3, total: 4 },
      { progressToken: 'p', progress: 4 },
      { progressToken: 'p', progress: 6 },
    ])
  })

  it('log messages from the level it set, and none before it set one', async () => {
    const server = scripted({
      version: STATELESS,
      answer: (inbound) => {
        for (const level of ['debug', 'warning']) inbound.notify('notifications/message', { level, data: level })
        return text(String(inbound.logLevel))
      },
    })
    const client = await rawClient(server, version)
    expect(textOf(await client.request('tools/call', { name: 'any', arguments: {} }))).toBe('undefined')
    expect(client.of('notifications/message')).toEqual([])
    expect((await client.request('logging/setLevel', { level: 'info' })).result).toEqual({})
    expect(textOf(await client.request('tools/call', { name: 'any', arguments: {} }))).toBe('info')
    expect(client.of('notifications/message').map(({ params }) => params?.['data'])).toEqual(['warning'])
  })
})

it('a server that only wants to be asked again is, after a moment', async () => {
  const clock = fakeClock()
  let times = 0
  const server = scripted({ version: STATELESS, answer: () => (++times < 3 ? required({}, { times }) : text('now')) })
  const frames: string[] = []
  const shown = (): number => frames.filter((frame) => frame.includes('input_required')).length
  rig = bridgeTo(server, STATELESS, {}, { clock, wrap: overheard(frames) })
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands('2025-06-18')
  const called = client.request('tools/call', { name: 'any', arguments: {} })
  await until(() => expect(shown()).toBe(1))
  await clock.advance(249)
  expect(times).toBe(1)
  await clock.advance(1)
  await until(() => expect(shown()).toBe(2))
  await clock.advance(499)
  expect(times).toBe(2)
  await clock.advance(1)
  expect(textOf(await called)).toBe('now')
})

it.each(REQUESTS)(
  '%s of a server that never stops asking is made again 8 times, then given up',
  async (method, params) => {
    const server = scripted({ version: STATELESS, answer: () => required({ it: rootsList }) })
    const client = await rawClient(server, '2025-11-25')
    const asked = client.request(method, params)
    for (let round = 0; round < 8; round++) {
      const { id } = await client.next('roots/list', round)
      client.send({ id, result: { roots: [] } })
    }
    const { result, error } = await asked
    const reason = expect.stringContaining('more than 8 times')
    if (method === 'tools/call')
      expect(result).toMatchObject({ isError: true, content: [{ type: 'text', text: reason }] })
    else expect(error).toMatchObject({ code: -32603, message: reason })
    expect([server.asked.length, client.of('roots/list').length]).toEqual([9, 8])
  },
)

it.each([1, 12])('the limit of rounds can be set to %s', async (maxRounds) => {
  const server = scripted({ version: STATELESS, answer: () => required({ it: rootsList }) })
  rig = bridgeTo(server, STATELESS, { maxRounds })
  const client = await rig.connect({ version: '2025-11-25', roots: [] })
  const { isError, text: reason } = await client.call('any', {}, { throwOnError: false })
  expect([isError, reason]).toEqual([true, expect.stringContaining(`more than ${maxRounds} times`)])
  expect(reason).toContain('maxRounds')
  expect(server.asked).toHaveLength(maxRounds + 1)
  await client.close()
})

it('a server that is content after 8 rounds is answered', async () => {
  let times = 0
  const server = scripted({
    version: STATELESS,
    answer: () => (times++ < 8 ? required({ it: rootsList }) : text('done')),
  })
  rig = bridgeTo(server, STATELESS)
  const client = await rig.connect({ version: '2025-11-25', roots: [] })
  expect((await client.call('any')).text).toBe('done')
  await client.close()
})

describe('C2: what a client declares that its version does not have, no server hears of', () => {
  it.each([
    ['2024-11-05', { elicitation: { form: {} } }, 'elicitation came with 2025-06-18'],
    ['2025-03-26', { elicitation: { form: {} } }, 'elicitation came with 2025-06-18'],
    ['2025-06-18', { elicitation: { url: {} } }, 'elicitation.url came with 2025-11-25'],
    ['2025-06-18', { sampling: { tools: {} } }, 'sampling.tools came with 2025-11-25'],
  ] as const)(
    'of %s, %j: nothing is decided in its name, and the error names the version',
    async (version, needed, why) => {
      const [path] = Object.entries(needed).map(([name, parts]) => `${name}.${Object.keys(parts)}`) as [string]
      const server = scripted({
        version: STATELESS,
        answer: ({ caller }) => {
          if (!caller.declares(path))
            throw new ParleyError('missing_client_capability', { data: { requiredCapabilities: needed } })
          return required({ it: form('Who?') })
        },
      })
      rig = bridgeTo(server, STATELESS)
      const client = new RawClient(rig.address)
      await client.shakeHands(version, {
        elicitation: { form: {}, url: {} },
        sampling: { tools: {} },
        tasks: { list: {} },
      })
      const { result } = await client.request('tools/call', { name: 'any', arguments: {} })
      expect(result).toMatchObject({
        isError: true,
        content: [{ text: expect.stringContaining(`the client speaks ${version}, and ${why}`) }],
      })
    },
  )

  it('of 2025-06-18 that asks its user: forms, by their name', async () => {
    const server = scripted({ version: STATELESS })
    rig = bridgeTo(server, STATELESS)
    const client = new RawClient(rig.address)
    await client.shakeHands('2025-06-18', { elicitation: {} })
    await client.request('tools/call', { name: 'any', arguments: {} })
    expect(server.asked[0]?.caller.capabilities).toMatchObject({ elicitation: { form: {} } })
  })
})
