/**
 * D7: what a task of 2026-07-28 tells of its progress is words alone; clients that asked for progress hear them, and
 * are told what is missing.
 */
import { type Capabilities, type Loss, type ProtocolVersion, versions } from 'parley-mcp'
import { type Body, type SessionEvent, TASKS_EXTENSION } from 'parley-mcp/engine'
import { background, type Context, createServer, type Server, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type BridgeRig, bridgeTo } from '../../addresses/server/bridge.fixtures.ts'
import { RawClient, textOf, until } from '../../addresses/server/peers.fixtures.ts'
import { REPORT_KEY } from '../report.ts'

const STATELESS = '2026-07-28'
const HANDSHAKE = '2025-11-25'
const EXTENDED = { extensions: { [TASKS_EXTENSION]: {} } } as Capabilities
const RELATED = 'io.modelcontextprotocol/related-task'

let clock: FakeClock
let rig: BridgeRig
let losses: Loss[]
/** Calls of tools, with what ends them. */
let calls: { ctx: Context; finish: () => void }[]
beforeEach(() => {
  clock = fakeClock()
  losses = []
  calls = []
})
afterEach(async () => await rig.close())

function makeServer(): Server {
  const work = (_: unknown, ctx: Context): Promise<string> =>
    new Promise((resolve) => calls.push({ ctx, finish: () => resolve('done') }))
  return createServer({ name: 'tasks', version: '1' }, { clock, keepAlive: false, tasks: { pollInterval: '1s' } }).add(
    tool('may', { execution: { taskSupport: 'optional' } }, work),
    tool('must', { execution: { taskSupport: 'required' } }, work),
    tool('never', {}, work),
    tool('later', { deferTask: true }, (_, ctx) => {
      ctx.progress(5, 10, 'preparing')
      return background((task) => work(undefined, task))
    }),
  ) as never
}

function clientOf(version: ProtocolVersion): RawClient {
  const onEvent = (event: SessionEvent): void => {
    if (event.type === 'loss') losses.push(event.loss)
  }
  rig = bridgeTo(makeServer(), version, {}, { clock, onEvent })
  return new RawClient(rig.address, { clock })
}

const call = (name: string, meta: Body = { progressToken: 'p' }): Body => ({ name, arguments: {}, _meta: meta })

async function begun(): Promise<(typeof calls)[number]> {
  return await until(() => {
    const [first] = calls
    if (first === undefined) throw new Error('not called yet')
    return first
  })
}

/** Long enough for the task to be looked at once more. */
async function look(): Promise<void> {
  await flush()
  await clock.advance(1000)
  await flush()
}

const told = (client: RawClient): unknown[] => client.of('notifications/progress').map(({ params }) => params)
const lost = (): string[] =>
  losses
    .filter(({ path }) => path === '_meta.progressToken')
    .map(({ rule, severity, method }) => `${rule} ${severity} ${method}`)

describe.each(versions.filter((version) => version !== STATELESS))(
  `D7 a client of %s whose call a server of ${STATELESS} runs as a task`,
  (version) => {
    it.each(['may', 'must'])('hears the words of the task as progress that grows (%s)', async (name) => {
      const client = clientOf(STATELESS)
      await client.shakeHands(version)
      const called = client.request('tools/call', call(name))
      const { ctx, finish } = await begun()
      ctx.progress(10, 30, 'one of three')
      await look()
      await look()
      ctx.progress(20, 30, 'two of three')
      await look()
      expect(told(client)).toEqual([
        { progressToken: 'p', progress: 1, message: 'one of three' },
        { progressToken: 'p', progress: 2, message: 'two of three' },
      ])
      finish()
      await look()
      expect(textOf(await called)).toBe('done')
      expect(told(client)).toHaveLength(2)
    })

    it('is told that there is no more than words', async () => {
      const client = clientOf(STATELESS)
      await client.shakeHands(version)
      const called = client.request('tools/call', call('may', { progressToken: 'p', [REPORT_KEY]: true }))
      const { finish } = await begun()
      finish()
      await look()
      const { result } = (await called) as { result: { _meta: Body } }
      expect(result._meta[REPORT_KEY]).toContainEqual({
        rule: 'D-21',
        path: '_meta.progressToken',
        loss: 'w',
        detail: expect.stringContaining('status message'),
      })
      expect(lost()).toEqual(['D-21 w tools/call'])
    })
  },
)

describe(`D7 a client of ${HANDSHAKE} and a server of ${STATELESS}`, () => {
  it('a client that did not ask for progress hears nothing and has lost nothing', async () => {
    const client = clientOf(STATELESS)
    await client.shakeHands(HANDSHAKE)
    const called = client.request('tools/call', call('may', {}))
    const { ctx, finish } = await begun()
    ctx.progress(1, 2, 'half')
    await look()
    finish()
    await look()
    expect(textOf(await called)).toBe('done')
    expect([told(client), lost()]).toEqual([[], []])
  })

  it('a call that is no task has its progress as it was told, and has lost nothing', async () => {
    const client = clientOf(STATELESS)
    await client.shakeHands(HANDSHAKE)
    const called = client.request('tools/call', call('never'))
    const { ctx, finish } = await begun()
    ctx.progress(10, 30, 'one of three')
    finish()
    await called
    expect(told(client)).toEqual([{ progressToken: 'p', progress: 10, total: 30, message: 'one of three' }])
    expect(lost()).toEqual([])
  })

  it('what was told before there was a task is not begun anew', async () => {
    const client = clientOf(STATELESS)
    await client.shakeHands(HANDSHAKE)
    const called = client.request('tools/call', call('later'))
    const { ctx, finish } = await begun()
    ctx.progress(1, 2, 'delivering')
    await look()
    finish()
    await look()
    await called
    expect(told(client)).toEqual([
      { progressToken: 'p', progress: 5, total: 10, message: 'preparing' },
      { progressToken: 'p', progress: 6, message: 'delivering' },
    ])
  })

  it('a task that the client wished for tells the words in both ways: as progress of the task, and to who looks', async () => {
    const client = clientOf(STATELESS)
    await client.shakeHands(HANDSHAKE)
    const { result } = await client.request('tools/call', { ...call('may'), task: {} })
    const { taskId } = (result as { task: { taskId: string } }).task
    const { ctx, finish } = await begun()
    ctx.progress(1, 2, 'half')
    await look()
    expect(told(client)).toEqual([
      { progressToken: 'p', progress: 1, message: 'half', _meta: { [RELATED]: { taskId } } },
    ])
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({
      status: 'working',
      statusMessage: 'half',
    })
    finish()
    await look()
  })

  it('a client reads the status text in a task without having asked for progress', async () => {
    const client = clientOf(STATELESS)
    await client.shakeHands(HANDSHAKE)
    const { result } = await client.request('tools/call', { ...call('may', {}), task: {} })
    const { taskId } = (result as { task: { taskId: string } }).task
    const { ctx, finish } = await begun()
    ctx.progress(1, 2, 'half')
    await look()
    expect((await client.request('tasks/get', { taskId })).result).toMatchObject({
      status: 'working',
      statusMessage: 'half',
    })
    expect([told(client), lost()]).toEqual([[], []])
    finish()
    await look()
  })
})

it(`D7 a client of ${STATELESS} that is given a task of a server of ${HANDSHAKE} reads the words in it, and is told that there is no more`, async () => {
  const client = clientOf(HANDSHAKE)
  const { result } = await client.ask('tools/call', call('must', { progressToken: 'p', [REPORT_KEY]: true }), EXTENDED)
  const { taskId } = result as { taskId: string }
  const { ctx, finish } = await begun()
  ctx.progress(1, 2, 'half')
  await look()
  expect((await client.ask('tasks/get', { taskId }, EXTENDED)).result).toMatchObject({
    status: 'working',
    statusMessage: 'half',
  })
  expect([told(client), lost()]).toEqual([[], ['D-21 w tools/call']])
  finish()
  await look()
  const done = (await client.ask('tasks/get', { taskId }, EXTENDED)).result as { result: { _meta: Body } }
  expect(done.result._meta[REPORT_KEY]).toContainEqual({
    rule: 'D-21',
    path: '_meta.progressToken',
    loss: 'w',
    detail: expect.any(String),
  })
})

it(`D7 between a client and a server of ${STATELESS} a task is theirs, and nothing is lost on the way`, async () => {
  const client = clientOf(STATELESS)
  const { result } = await client.ask('tools/call', call('may'), EXTENDED)
  const { ctx, finish } = await begun()
  ctx.progress(1, 2, 'half')
  await flush()
  expect((await client.ask('tasks/get', { taskId: result?.['taskId'] }, EXTENDED)).result).toMatchObject({
    statusMessage: 'half',
  })
  expect([told(client), lost()]).toEqual([[], []])
  finish()
})
