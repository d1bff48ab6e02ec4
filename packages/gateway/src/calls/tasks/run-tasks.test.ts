/**
 * D7: calls that run as tasks, between clients and servers that have them, have them in other words, or have none.
 */
import type { Capabilities, ProtocolVersion } from 'parley-mcp'
import { type Body, Serialised, TASKS_EXTENSION } from 'parley-mcp/engine'
import { createServer, type Server, ToolError, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import {
  RawClient,
  type RawMessage,
  type ScriptedServer,
  scripted,
  text,
  textOf,
  until,
} from '../../addresses/server/peers.fixtures.ts'
import type { ServerConfig } from '../../config/index.ts'

const STATELESS = '2026-07-28'
const HANDSHAKE = '2025-11-25'
const EXTENDED = { extensions: { [TASKS_EXTENSION]: {} } } as Capabilities
const ASKABLE: Capabilities = { elicitation: { form: {} } }
const RELATED = 'io.modelcontextprotocol/related-task'
const WHO = { type: 'object', properties: { name: { type: 'string' } } } as const

let clock: FakeClock
let rig: BridgeRig
let finish: (() => void) | undefined
let aborted: number
beforeEach(() => {
  clock = fakeClock()
  finish = undefined
  aborted = 0
})
afterEach(async () => {
  await rig.close()
  expect(rig.ways.open).toBe(0)
})

const execution = { taskSupport: 'required' } as const

function makeServer(): Server {
  return createServer({ name: 'tasks', version: '1' }, { clock, keepAlive: false }).add(
    tool('slow', { execution }, (_, ctx) => {
      ctx.signal.addEventListener('abort', () => aborted++)
      return new Promise<string>((resolve) => {
        finish = () => resolve('done')
      })
    }),
    tool('quick', { execution }, () => 'at once'),
    tool('broken', { execution }, () => {
      throw new ToolError('no luck')
    }),
    tool('ask', { execution }, async (_, ctx) => {
      const answer = await ctx.elicit('who', 'Who?', WHO, { timeout: '2h', maxTimeout: '2h' })
      return answer.action === 'accept' ? `You are ${String(answer.content.name)}` : answer.action
    }),
    tool('plain', {}, () => 'plain'),
  ) as never
}

function clientOf(
  server: ReturnType<typeof makeServer>,
  version: ProtocolVersion,
  more: Partial<ServerConfig> = {},
): RawClient {
  rig = bridgeTo(server, version, more, { clock })
  return new RawClient(rig.address, { clock })
}

const call = (name: string): Body => ({ name, arguments: {} })
const begun = (): Promise<void> => until(() => expect(finish).toBeDefined())
/** Lets the clock run seen something is there. */
async function running<T>(wanted: Promise<T>): Promise<T> {
  let over = false
  void wanted.finally(() => {
    over = true
  })
  for (let step = 0; step < 1000 && !over; step++) await clock.advance(100)
  return wanted
}

describe(`a client of ${HANDSHAKE} and a server of ${STATELESS}`, () => {
  const open = async (capabilities: Capabilities = {}): Promise<RawClient> => {
    const client = clientOf(makeServer(), STATELESS)
    const { capabilities: offered } = await client.shakeHands(HANDSHAKE, capabilities)
    expect(offered).toMatchObject({ tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } })
    return client
  }
  const begin = async (client: RawClient, name: string): Promise<string> => {
    const { result } = await client.request('tools/call', { ...call(name), task: { ttl: 600_000 } })
    expect(result).toMatchObject({ task: { taskId: expect.any(String), status: 'working', ttl: 600_000 } })
    return (result as { task: { taskId: string } }).task.taskId
  }

  it('a task is begun at once, looked at, listed, and its result waited for', async () => {
    const client = await open()
    const taskId = await begin(client, 'slow')
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ taskId, status: 'working' })
    expect((await client.request('tasks/list')).result).toMatchObject({ tasks: [{ taskId, status: 'working' }] })
    const waited = client.request('tasks/result', { taskId })
    await begun()
    finish?.()
    const { result } = await running(waited)
    expect(result).toMatchObject({ content: [{ type: 'text', text: 'done' }], _meta: { [RELATED]: { taskId } } })
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ status: 'completed' })
  })

  it('a tool that fails is a task that failed, and its result says why', async () => {
    const client = await open()
    const taskId = await begin(client, 'broken')
    const { result } = await running(client.request('tasks/result', { taskId }))
    expect(result).toMatchObject({ isError: true })
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ status: 'failed' })
  })

  it('a task that is cancelled is cancelled at the server', async () => {
    const client = await open()
    const taskId = await begin(client, 'slow')
    await begun()
    expect((await client.request('tasks/cancel', { taskId })).result).toMatchObject({ taskId, status: 'cancelled' })
    await running(until(() => expect(aborted).toBe(1)))
    expect((await client.request('tasks/cancel', { taskId })).error).toMatchObject({ code: -32602 })
    expect((await client.request('tasks/get', { taskId: 'none' })).error).toMatchObject({ code: -32602 })
  })

  it('questions are asked with the mark of the task, and their answers reach the task', async () => {
    const client = await open(ASKABLE)
    const taskId = await begin(client, 'ask')
    const waited = client.request('tasks/result', { taskId })
    const question = await running(client.next('elicitation/create'))
    expect(question.params).toMatchObject({ message: 'Who?', _meta: { [RELATED]: { taskId } } })
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({ status: 'input_required' })
    client.send({ id: question.id, result: { action: 'accept', content: { name: 'Ann' } } })
    const { result } = await running(waited)
    expect(result).toMatchObject({ content: [{ text: 'You are Ann' }] })
  })

  it('without a wish for a task, what the server makes of it is followed to its end', async () => {
    const client = await open(ASKABLE)
    expect(textOf(await running(client.request('tools/call', call('quick'))))).toBe('at once')
    expect(textOf(await client.request('tools/call', call('plain')))).toBe('plain')
  })

  it('a server that has no tasks gets none: nothing is offered, and the wish is ignored (C-24)', async () => {
    const server = scripted({ version: STATELESS, capabilities: { tools: {} }, answer: () => text('plain') })
    const client = clientOf(server as never, STATELESS)
    const { capabilities } = await client.shakeHands(HANDSHAKE)
    expect(capabilities).not.toHaveProperty('tasks')
    expect(textOf(await client.request('tools/call', { ...call('any'), task: {} }))).toBe('plain')
    expect(server.asked.map(({ params }) => Object.hasOwn(params, 'task'))).toEqual([false])
  })
})

describe.each(['2024-11-05', '2025-03-26', '2025-06-18'] as const)('a client of %s, which has no tasks', (version) => {
  it.each([STATELESS, HANDSHAKE] as const)(
    'calls tools of a server of %s that only run as tasks',
    async (serverVersion) => {
      const client = clientOf(makeServer(), serverVersion)
      await client.shakeHands(version, version >= '2025-06-18' ? { elicitation: {} } : {})
      expect(textOf(await running(client.request('tools/call', call('quick'))))).toBe('at once')
      expect((await running(client.request('tools/call', call('broken')))).result).toMatchObject({ isError: true })
      if (version < '2025-06-18') return
      const called = client.request('tools/call', call('ask'))
      const { id } = await running(client.next('elicitation/create'))
      client.send({ id, result: { action: 'accept', content: { name: 'Ann' } } })
      expect(textOf(await running(called))).toBe('You are Ann')
    },
  )

  it('C-23 is shown the tools of a server of 2025-11-25 that only run as tasks, without a word about tasks', async () => {
    const client = clientOf(makeServer(), HANDSHAKE)
    await client.shakeHands(version)
    const tools = (await client.request('tools/list')).result?.['tools'] as Body[]
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(['quick', 'slow', 'broken', 'ask', 'plain']))
    expect(tools.filter((tool) => 'execution' in tool)).toEqual([])
  })

  it.each([STATELESS, HANDSHAKE] as const)('cancels one at a server of %s', async (serverVersion) => {
    const client = clientOf(makeServer(), serverVersion)
    await client.shakeHands(version)
    const id = client.nextId
    void client.request('tools/call', call('slow'))
    await running(begun())
    client.send({ method: 'notifications/cancelled', params: { requestId: id } })
    await running(until(() => expect(aborted).toBe(1)))
  })
})

describe(`a client of ${HANDSHAKE} and a server of ${HANDSHAKE}`, () => {
  it('speak about tasks in their own words', async () => {
    const client = clientOf(makeServer(), HANDSHAKE)
    await client.shakeHands(HANDSHAKE, ASKABLE)
    const { result } = await client.request('tools/call', { ...call('ask'), task: {} })
    const { taskId } = (result as { task: { taskId: string } }).task
    const waited = client.request('tasks/result', { taskId })
    const question = await client.next('elicitation/create')
    expect(question.params).toMatchObject({ _meta: { [RELATED]: { taskId } } })
    client.send({ id: question.id, result: { action: 'accept', content: { name: 'Ann' } } })
    expect(textOf(await running(waited))).toBe('You are Ann')
    expect((await client.request('tasks/list')).result).toMatchObject({ tasks: [{ taskId }] })
  })
})

describe.each(['principal', 'request'] as const)(
  `a client of ${STATELESS} and a server of ${HANDSHAKE}, policy %s`,
  (session) => {
    const open = (): RawClient => clientOf(makeServer(), HANDSHAKE, { session })
    const both = { ...ASKABLE, ...EXTENDED } as Capabilities
    const begin = async (client: RawClient, name: string): Promise<string> => {
      const { result } = await client.ask('tools/call', call(name), both)
      expect(result).toMatchObject({ resultType: 'task', taskId: expect.any(String), status: 'working' })
      return result?.['taskId'] as string
    }
    const seen = (client: RawClient, taskId: string, status: string): Promise<Body> =>
      running(
        until(async () => {
          const { result } = await client.ask('tasks/get', { taskId }, both)
          expect(result).toMatchObject({ status })
          return result as Body
        }),
      )

    it('a tool that only runs as a task is one, for a client that takes them', async () => {
      const client = open()
      const taskId = await begin(client, 'slow')
      expect((await client.ask('tasks/get', { taskId }, both)).result).toMatchObject({ taskId, status: 'working' })
      await running(begun())
      finish?.()
      expect(await seen(client, taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'done' }] } })
    })

    it('its questions are shown with it, and answered to it', async () => {
      const client = open()
      const taskId = await begin(client, 'ask')
      const { inputRequests } = await seen(client, taskId, 'input_required')
      const [[key, question]] = Object.entries(inputRequests as Body) as [[string, Body]]
      expect(question).toMatchObject({ method: 'elicitation/create', params: { message: 'Who?' } })
      const answered = await client.ask(
        'tasks/update',
        { taskId, inputResponses: { [key]: { action: 'accept', content: { name: 'Ann' } } } },
        both,
      )
      expect(answered.result).toMatchObject({ resultType: 'complete' })
      expect(await seen(client, taskId, 'completed')).toMatchObject({ result: { content: [{ text: 'You are Ann' }] } })
    })

    it('it can be cancelled, and then its session is of no use any more', async () => {
      const client = open()
      const taskId = await begin(client, 'slow')
      await running(begun())
      expect((await client.ask('tasks/cancel', { taskId }, both)).error).toBeUndefined()
      await running(until(() => expect(aborted).toBe(1)))
      expect(await seen(client, taskId, 'cancelled')).toMatchObject({ taskId })
    })

    it('its session lasts as long as it does', async () => {
      const client = open()
      await begin(client, 'slow')
      await running(begun())
      await clock.advance(30 * 60_000)
      expect(rig.ways.open).toBe(2)
      finish?.()
      await running(flush())
      await clock.advance(20 * 60_000)
      expect(rig.ways.open).toBe(1)
    })

    it('a client that takes no tasks gets the result; it may be asked on the way', async () => {
      const client = open()
      expect(textOf(await running(client.ask('tools/call', call('quick'), ASKABLE)))).toBe('at once')
      const { result } = await running(client.ask('tools/call', call('ask'), ASKABLE))
      const [key] = Object.keys(result?.['inputRequests'] as Body)
      const retry = {
        ...call('ask'),
        requestState: result?.['requestState'],
        inputResponses: { [key as string]: { action: 'accept', content: { name: 'Ann' } } },
      }
      expect(textOf(await running(client.ask('tools/call', retry, ASKABLE)))).toBe('You are Ann')
      expect((await client.ask('tasks/get', { taskId: 'any' }, ASKABLE)).error).toMatchObject({ code: -32021 })
    })

    it('tools that need not run as tasks do not, and no list says which is which (D-47)', async () => {
      const client = open()
      expect(textOf(await client.ask('tools/call', call('plain'), both))).toBe('plain')
      const { result } = await client.ask('tools/list', {}, both)
      expect(JSON.stringify(result)).not.toContain('execution')
    })
  },
)

it('a client of 2026-07-28 and an older server: there are no tasks', async () => {
  const client = clientOf(makeServer(), '2025-06-18')
  const { result } = await client.ask('server/discover', {}, EXTENDED)
  expect(JSON.stringify(result)).not.toContain(TASKS_EXTENSION)
  expect((await client.ask('tasks/get', { taskId: 'any' }, EXTENDED)).error).toMatchObject({ code: -32601 })
})

it('a client and a server of 2026-07-28: tasks are theirs alone', async () => {
  const client = clientOf(makeServer(), STATELESS)
  const { result } = await client.ask('tools/call', call('slow'), EXTENDED)
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  const taskId = result?.['taskId'] as string
  expect((await client.ask('tasks/get', { taskId }, EXTENDED)).result).toMatchObject({ taskId, status: 'working' })
  await begun()
  finish?.()
  await until(async () =>
    expect((await client.ask('tasks/get', { taskId }, EXTENDED)).result).toMatchObject({ status: 'completed' }),
  )
  expect((await client.ask('tasks/get', { taskId })).error).toMatchObject({ code: -32021 })
})

describe('D7 where clients are known, tasks of a server of 2026-07-28 belong to who was given them', () => {
  /** Numbers its tasks. Its only client is the gateway. */
  function counting(): ScriptedServer {
    let last = 0
    const view = (taskId: unknown): Body => ({
      taskId,
      status: 'working',
      createdAt: STAMP,
      lastUpdatedAt: STAMP,
      ttlMs: null,
    })
    return scripted({
      version: STATELESS,
      capabilities: { tools: {}, ...EXTENDED },
      answer: ({ method, params }) => {
        if (method === 'tools/call')
          return new Serialised(JSON.stringify({ resultType: 'task', ...view(String(++last)) }))
        return method === 'tasks/get' ? view(params['taskId']) : {}
      },
    })
  }
  const STAMP = '2026-07-28T00:00:00Z'
  function open(): {
    client: RawClient
    as: (principal: string | undefined, method: string, params: Body) => Promise<RawMessage>
  } {
    rig = bridgeTo(counting(), STATELESS, {}, { clock })
    const client = new RawClient(rig.address, { clock, sharedLink: true })
    const as = (principal: string | undefined, method: string, params: Body): Promise<RawMessage> => {
      client.principal = principal
      return client.ask(method, params, EXTENDED)
    }
    return { client, as }
  }

  it('other clients do not find them, and the server answers for unknown ones', async () => {
    const { as } = open()
    expect((await as('ann', 'tools/call', call('any'))).result).toMatchObject({ resultType: 'task', taskId: '1' })
    for (const method of ['tasks/get', 'tasks/cancel', 'tasks/update']) {
      const params = { taskId: '1', ...(method === 'tasks/update' && { inputResponses: {} }) }
      expect((await as('ann', method, params)).error).toBeUndefined()
      for (const other of ['eve', undefined])
        expect((await as(other, method, params)).error).toMatchObject({
          code: -32602,
          message: expect.stringMatching(/not found/i),
        })
    }
    expect((await as('eve', 'tasks/get', { taskId: '7' })).result).toMatchObject({ taskId: '7' })
    expect((await as(undefined, 'tools/call', call('any'))).result).toMatchObject({ taskId: '2' })
    expect((await as('eve', 'tasks/get', { taskId: '2' })).result).toMatchObject({ taskId: '2' })
  })

  it('other clients do not hear of them', async () => {
    const { client, as } = open()
    await as('ann', 'tools/call', call('any'))
    void as('eve', 'subscriptions/listen', { notifications: { taskIds: ['1', '7'] } })
    expect((await client.next('notifications/subscriptions/acknowledged')).params).toMatchObject({
      notifications: { taskIds: ['7'] },
    })
    void as('ann', 'subscriptions/listen', { notifications: { taskIds: ['1', '7'] } })
    expect((await client.next('notifications/subscriptions/acknowledged', 1)).params).toMatchObject({
      notifications: { taskIds: ['1', '7'] },
    })
  })

  it('what the gateway follows for a client that shook hands is no other client’s', async () => {
    const { as } = open()
    const old = new RawClient(rig.address, { clock })
    await old.shakeHands('2025-06-18')
    void old.request('tools/call', call('any'))
    await running(
      until(async () => expect((await as('eve', 'tasks/get', { taskId: '1' })).error).toMatchObject({ code: -32602 })),
    )
    expect((await as(undefined, 'tasks/get', { taskId: '1' })).error).toMatchObject({ code: -32602 })
  })
})
