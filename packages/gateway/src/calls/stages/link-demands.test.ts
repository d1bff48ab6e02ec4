/** `urlMode: "error"`: clients of 2025-11-25 that are not kept waiting while their user opens a link. */
import type { Capabilities } from 'parley-mcp'
import { type Body, type Inbound, InputRequired, Serialised, TASKS_EXTENSION } from 'parley-mcp/engine'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  EVERYTHING,
  overheard,
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'

const ABLE: Capabilities = { elicitation: { form: {}, url: {} } }
const CALL: Body = { name: 'any', arguments: { a: 1, b: { c: 2, d: 3 } } }
const FORM = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}
const COMPLETE = 'notifications/elicitation/complete'

const link = (url: string): { method: string; params: Body } => ({
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', url },
})

let clock: FakeClock
let rig: BridgeRig
let sent: string[]
beforeEach(() => {
  clock = fakeClock()
  sent = []
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

async function clientOf(server: ScriptedServer): Promise<RawClient> {
  rig = bridgeTo(server, undefined, { urlMode: 'error' }, { clock, wrap: overheard([], sent) })
  const client = new RawClient(rig.address, { clock })
  await client.shakeHands('2025-11-25', ABLE)
  return client
}

/** Wants these questions answered, one round after the other, then tells what it was answered with in the last. */
const asking = (...rounds: Record<string, { method: string; params?: Body }>[]): ScriptedServer =>
  scripted({
    version: '2026-07-28',
    answer: ({ retry, method }: Inbound) => {
      const round = retry === undefined ? 0 : (retry.state as { round: number }).round + 1
      const questions = rounds[round]
      if (questions !== undefined) return new InputRequired(questions as never, { round })
      const words = JSON.stringify(retry?.responses ?? {})
      if (method === 'tools/call') return text(words)
      return method === 'prompts/get'
        ? { messages: [], description: words }
        : { contents: [{ uri: 'note://one', text: words }] }
    },
  })

interface Elicitation {
  readonly elicitationId: string
  readonly url: string
}

function demandedIn({ error }: RawMessage): Elicitation[] {
  expect(error?.code).toBe(-32042)
  return error?.data?.['elicitations'] as Elicitation[]
}

/** What the server was sent to go on with. */
const lastSent = (): Body =>
  (JSON.parse(sent.filter((frame) => frame.includes('"tools/call"')).at(-1) ?? '{}') as { params: Body }).params

const REQUESTS: [string, Body][] = [
  ['tools/call', CALL],
  ['prompts/get', { name: 'any' }],
  ['resources/read', { uri: 'note://one' }],
]

describe('urlMode "error"', () => {
  it.each(REQUESTS)(
    '%s ends with -32042 and all links, nobody is asked, and the client’s own next attempt goes on',
    async (method, params) => {
      const server = asking({ one: link('https://a.example/one'), two: link('https://a.example/two') })
      const client = await clientOf(server)
      const elicitations = demandedIn(await client.request(method, params))
      expect(elicitations).toEqual(
        ['one', 'two'].map((name) => ({
          mode: 'url',
          message: 'Sign in',
          url: `https://a.example/${name}`,
          elicitationId: expect.stringMatching(/.{16,}/),
        })),
      )
      expect(server.asked).toHaveLength(1)
      const { result, error } = await client.request(method, params)
      expect(error).toBeUndefined()
      expect(JSON.stringify(result)).toContain(
        JSON.stringify(JSON.stringify({ one: { action: 'accept' }, two: { action: 'accept' } })).slice(1, -1),
      )
      expect(server.asked).toHaveLength(2)
      expect(client.of('elicitation/create')).toEqual([])
      expect(client.of(COMPLETE).map(({ params: told }) => told?.['elicitationId'])).toEqual(
        elicitations.map(({ elicitationId }) => elicitationId),
      )
    },
  )

  it('the same request is the same in whatever order it is written, and whatever it says of itself', async () => {
    const client = await clientOf(asking({ one: link('https://a.example/one') }))
    demandedIn(await client.request('tools/call', { ...CALL, _meta: { progressToken: 1 } }))
    const again = { arguments: { b: { d: 3, c: 2 }, a: 1 }, name: 'any', _meta: { progressToken: 2 } }
    expect(textOf(await client.request('tools/call', again))).toBe('{"one":{"action":"accept"}}')
  })

  it.each([
    ['another request', { ...CALL, arguments: {} }, 0],
    ['the same after 10 minutes', CALL, 600_000],
  ])('%s begins anew', async (_, params, wait) => {
    const client = await clientOf(asking({ one: link('https://a.example/one') }))
    demandedIn(await client.request('tools/call', CALL))
    await clock.advance(wait)
    demandedIn(await client.request('tools/call', params))
    expect(lastSent()).not.toHaveProperty('requestState')
  })

  it('so does that of another client, and one that comes after the end', async () => {
    const client = await clientOf(asking({ one: link('https://a.example/one') }))
    const other = new RawClient(rig.address, { clock })
    await other.shakeHands('2025-11-25', ABLE)
    demandedIn(await client.request('tools/call', CALL))
    demandedIn(await other.request('tools/call', CALL))
    expect(textOf(await client.request('tools/call', CALL))).toContain('accept')
    demandedIn(await client.request('tools/call', CALL))
  })

  it('a link that is asked for again is demanded again by the same id, and only what is not has served its purpose', async () => {
    const [one, two] = [link('https://a.example/one'), link('https://a.example/two')]
    const client = await clientOf(asking({ one, two }, { two }))
    const [first, second] = demandedIn(await client.request('tools/call', CALL))
    expect(demandedIn(await client.request('tools/call', CALL))).toEqual([second])
    const told = (): unknown[] => client.of(COMPLETE).map(({ params }) => params?.['elicitationId'])
    expect(told()).toEqual([first?.elicitationId])
    expect(textOf(await client.request('tools/call', CALL))).toBe('{"two":{"action":"accept"}}')
    expect(told()).toEqual([first?.elicitationId, second?.elicitationId])
  })

  it('a form is put to the client as ever: alone, and beside a link, when its answer is kept with the rest', async () => {
    const client = await clientOf(
      asking({ who: FORM }, { who: FORM, one: link('https://a.example/one') }, { last: FORM }),
    )
    const answer = async (index: number, action: string): Promise<void> => {
      const { id } = await client.next('elicitation/create', index)
      client.send({ id, result: { action } })
    }
    const first = client.request('tools/call', CALL)
    await answer(0, 'decline')
    await answer(1, 'cancel')
    demandedIn(await first)
    const second = client.request('tools/call', CALL)
    await client.next('elicitation/create', 2)
    expect(lastSent()).toMatchObject({ inputResponses: { who: { action: 'cancel' }, one: { action: 'accept' } } })
    await answer(2, 'decline')
    expect(textOf(await second)).toBe('{"last":{"action":"decline"}}')
    expect(lastSent()['inputResponses']).toEqual({ last: { action: 'decline' } })
  })

  it('of more than 20 requests at once, those that were made first begin anew', async () => {
    const client = await clientOf(asking({ one: link('https://a.example/one') }))
    const requests = Array.from({ length: 21 }, (_, index) => ({ name: 'any', arguments: { index } }))
    for (const params of requests) demandedIn(await client.request('tools/call', params))
    for (const params of requests.slice(1))
      expect(textOf(await client.request('tools/call', params))).toContain('accept')
    demandedIn(await client.request('tools/call', requests[0]))
  })

  it('what a task asks for is put to the client: there is nothing that could be made again', async () => {
    const task = {
      taskId: 't',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: null,
      pollIntervalMs: 1000,
    }
    let given: unknown
    const server = scripted({
      version: '2026-07-28',
      capabilities: { ...EVERYTHING, extensions: { [TASKS_EXTENSION]: {} } },
      answer: ({ method, params }) => {
        if (method === 'tools/call')
          return new Serialised(JSON.stringify({ resultType: 'task', ...task, status: 'working' }))
        if (method === 'tasks/update') given = params['inputResponses']
        if (method !== 'tasks/get') return {}
        if (given !== undefined) return { ...task, status: 'completed', result: text('in') }
        return { ...task, status: 'input_required', inputRequests: { one: link('https://a.example/one') } }
      },
    })
    const client = await clientOf(server)
    const called = client.request('tools/call', CALL)
    const { id, params } = await until(async () => {
      await clock.advance(1000)
      expect(client.of('elicitation/create')).toHaveLength(1)
      return client.next('elicitation/create')
    })
    expect(params).toMatchObject({ mode: 'url', url: 'https://a.example/one' })
    client.send({ id, result: { action: 'decline' } })
    await until(async () => {
      await clock.advance(1000)
      expect(given).toEqual({ one: { action: 'decline' } })
    })
    await clock.advance(5000)
    expect(textOf(await called)).toBe('in')
  })
})
