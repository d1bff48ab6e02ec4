import { describe, expect, it } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import { flush } from '../../testing/clock.ts'
import { inputRequired } from '../asking/input.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { background } from '../tools/background.ts'
import { tool } from '../tools/tool.ts'
import { ASKED, named, StatelessClient, setUp, yes, yesNo } from './extension.fixtures.ts'
import { info, optional } from './task.fixtures.ts'

describe('D7 questions of a task', () => {
  it('wait on it until they are answered', async () => {
    const { client } = setUp({ capabilities: ASKED })
    const { taskId } = await client.call('confirm')
    const waiting = await client.get(taskId)
    expect(waiting).toMatchObject({
      resultType: 'complete',
      status: 'input_required',
      inputRequests: {
        sure: {
          method: 'elicitation/create',
          params: { message: 'Delete it?', requestedSchema: { properties: { yes: { type: 'boolean' } } } },
        },
      },
    })
    expect(await client.get(taskId)).toEqual(waiting)
    expect(await client.update(taskId, { sure: yes })).toEqual({ resultType: 'complete' })
    const done = await client.get(taskId)
    expect(done).toMatchObject({ status: 'completed', result: { content: [{ text: 'deleted' }] } })
    expect(done).not.toHaveProperty('inputRequests')
  })

  it('several at once: what is answered is no longer shown', async () => {
    const { client } = setUp({ capabilities: ASKED })
    const { taskId } = await client.call('both')
    expect(Object.keys((await client.get(taskId))['inputRequests'] as Body).sort()).toEqual(['name', 'where'])
    await client.update(taskId, { where: { roots: [{ uri: 'file:///a' }] } })
    const rest = await client.get(taskId)
    expect(rest).toMatchObject({ status: 'input_required' })
    expect(Object.keys(rest['inputRequests'] as Body)).toEqual(['name'])
    await client.update(taskId, { name: { action: 'accept', content: { name: 'Ann' } } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'Ann in 1' }] } })
  })

  it('what nobody asked, and what is no answer, changes nothing', async () => {
    const { client } = setUp({ capabilities: ASKED })
    const { taskId } = await client.call('confirm')
    const waiting = await client.get(taskId)
    for (const responses of [
      {},
      { other: yes },
      { sure: null },
      { sure: { action: 'maybe' } },
      { sure: 'yes' },
      { __proto__: yes },
    ]) {
      expect(await client.update(taskId, responses)).toEqual({ resultType: 'complete' })
      expect(await client.get(taskId)).toEqual(waiting)
    }
    expect(await client.error('tasks/update', { taskId, inputResponses: [] })).toMatchObject({ code: -32602 })
    await client.update(taskId, { sure: yes })
    expect(await client.update(taskId, { sure: { action: 'decline' } })).toEqual({ resultType: 'complete' })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'deleted' }] } })
  })

  it('what the client cannot be asked fails the task', async () => {
    const { client } = setUp()
    const { taskId } = await client.call('confirm')
    expect(await client.get(taskId)).toMatchObject({ status: 'failed', error: { code: -32021 } })
  })

  it('end with the task, and with their time', async () => {
    const { client, held, clock } = setUp({ capabilities: ASKED })
    const { taskId } = await client.call('gate')
    const { ctx, open } = held.last()
    const asking = ctx.elicit('soon', 'Now?', yesNo, { timeout: '5s' }).catch((error: unknown) => error)
    const stray = ctx.roots('stray').catch((error: unknown) => error)
    await flush()
    await clock.advance(5000)
    expect(await asking).toMatchObject({ kind: 'request_timeout' })
    expect(Object.keys((await client.get(taskId))['inputRequests'] as Body)).toEqual(['stray'])
    open('without it')
    await flush()
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
    await client.update(taskId, { stray: { roots: [] } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
    await expect(Promise.race([stray, Promise.resolve('nothing')])).resolves.toBe('nothing')
    const cancelled = await client.call('gate')
    const withdrawn = held
      .last()
      .ctx.roots('a')
      .catch((error: unknown) => error)
    await flush()
    await client.result('tasks/cancel', { taskId: cancelled['taskId'] })
    expect(await withdrawn).toMatchObject({ kind: 'request_cancelled' })
    await expect(held.last().ctx.roots('b')).rejects.toMatchObject({ kind: 'request_cancelled' })
  })

  it('a handler in the raw form asks through its task, and no key comes twice', async () => {
    const ask = tool('ask', optional, (_, ctx) => {
      const { responses, state } = ctx.input
      const round = ((state as number | undefined) ?? 0) + 1
      if ((responses['n'] as Body | undefined)?.['action'] === 'accept') return `after ${state}`
      return inputRequired({
        requests: {
          n: { method: 'elicitation/create', params: { message: `Round ${round}`, requestedSchema: named as never } },
        },
        state: round,
      })
    })
    const client = new StatelessClient(createServer(info).add(ask), { capabilities: ASKED })
    const { taskId } = await client.call('ask')
    expect(Object.keys((await client.get(taskId))['inputRequests'] as Body)).toEqual(['n'])
    await client.update(taskId, { n: { action: 'decline' } })
    expect(Object.keys((await client.get(taskId))['inputRequests'] as Body)).toEqual(['n-2'])
    await client.update(taskId, { 'n-2': { action: 'accept', content: { name: 'x' } } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'after 2' }] } })
  })

  it('a server that runs its handlers again does so in tasks, too', async () => {
    const { client } = setUp({ capabilities: ASKED }, { stateless: true })
    const { taskId } = await client.call('both')
    await client.update(taskId, { where: { roots: [] } })
    await client.update(taskId, { name: { action: 'accept', content: { name: 'Ann' } } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { content: [{ text: 'Ann in 0' }] } })
  })
})

describe('D7 a call that becomes a task when its questions are answered', () => {
  const answer = { user_name: { action: 'accept', content: { name: 'Ann' } } }

  for (const stateless of [false, true]) {
    it(`asks in rounds first, then there is a task (${stateless ? 'replay' : 'park'})`, async () => {
      const { client } = setUp({ capabilities: ASKED }, { stateless })
      const asked = await client.call('deferred')
      expect(asked).toMatchObject({
        resultType: 'input_required',
        inputRequests: { user_name: { method: 'elicitation/create' } },
      })
      const created = await client.call('deferred', { inputResponses: answer, requestState: asked['requestState'] })
      expect(created).toMatchObject({ resultType: 'task', status: 'working' })
      expect(created).not.toHaveProperty('requestState')
      expect(await client.get(created['taskId'])).toMatchObject({
        status: 'completed',
        result: { content: [{ text: 'Hello, Ann!' }] },
      })
    })
  }

  it('a request that was made twice has one task', async () => {
    const { client } = setUp({ capabilities: ASKED })
    const { requestState } = await client.call('deferred')
    const first = await client.call('deferred', { inputResponses: answer, requestState })
    const second = await client.call('deferred', { inputResponses: answer, requestState })
    expect(second['taskId']).toBe(first['taskId'])
  })

  it('the rest simply runs for who takes no task', async () => {
    const { client } = setUp({ capabilities: ASKED, tasks: false })
    const { requestState } = await client.call('deferred')
    const done = await client.call('deferred', { inputResponses: answer, requestState })
    expect(done).toEqual({ resultType: 'complete', content: [{ type: 'text', text: 'Hello, Ann!' }] })
  })

  it('in the era before it runs, or goes on in the task that the whole call is', async () => {
    const answers = { 'elicitation/create': () => answer.user_name }
    const old = await rawClient(setUp().server, { capabilities: ASKED, answers })
    expect(await old.result('tools/call', { name: 'deferred' })).toMatchObject({ content: [{ text: 'Hello, Ann!' }] })
    const { task } = await old.result('tools/call', { name: 'deferred', task: {} })
    expect(await old.result('tasks/result', { taskId: (task as Body)['taskId'] })).toMatchObject({
      content: [{ text: 'Hello, Ann!' }],
    })
    const listed = (await old.result('tools/list'))['tools'] as Body[]
    expect(listed.find(({ name }) => name === 'deferred')).toMatchObject({ execution: { taskSupport: 'optional' } })
  })

  it('may ask more in its task, be structured, fail, and be defined wrongly', async () => {
    const later = tool(
      'later',
      { deferTask: true, output: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const },
      () => background(async (ctx) => ({ n: (await ctx.roots('r')).length })),
    )
    const bad = tool('bad', { deferTask: true }, () =>
      background(() => {
        throw new ToolError('late')
      }),
    )
    const client = new StatelessClient(createServer(info).add(later, bad), { capabilities: ASKED })
    const { taskId } = await client.call('later')
    await client.update(taskId, { r: { roots: [{ uri: 'file:///a' }] } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed', result: { structuredContent: { n: 1 } } })
    expect(await client.get((await client.call('bad'))['taskId'])).toMatchObject({
      status: 'completed',
      result: { isError: true },
    })
    expect(() => tool('x', { deferTask: true, execution: { taskSupport: 'forbidden' } }, () => 1)).toThrow(TypeError)
    expect(() => background('soon' as never)).toThrow(TypeError)
  })
})
