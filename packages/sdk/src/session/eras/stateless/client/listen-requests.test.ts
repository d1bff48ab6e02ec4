import { describe, expect, it } from 'vitest'
import type { Body } from '../../../../jsonrpc/index.ts'
import { openClient, settled } from '../../../session.fixtures.ts'
import { type ClientRig, NAMES, openStateless } from './client.fixtures.ts'

const FILTER = { toolsListChanged: true, resourceSubscriptions: ['x:/a'] }
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged'
const about = (id: unknown, more: Body = {}): Body => ({ ...more, _meta: { [`${NAMES}subscriptionId`]: id } })

async function listening(options: Parameters<typeof openStateless>[0] = {}, signal?: AbortSignal) {
  const rig = await openStateless(options)
  const listened = rig.session.listen(FILTER, signal === undefined ? {} : { signal })
  const ends: unknown[] = []
  listened.ended.then(
    () => ends.push('ended'),
    (error) => ends.push(error),
  )
  const heard: [string, Body][] = []
  rig.session.onNotification('*', (params, method) => heard.push([method, params]))
  return { ...rig, listened, ends, heard }
}

async function acknowledged(options: Parameters<typeof openStateless>[0] = {}, signal?: AbortSignal) {
  const all = await listening(options, signal)
  all.link.notify(ACKNOWLEDGED, about(2, { notifications: { toolsListChanged: true } }))
  await settled()
  return all
}

const ignored = ({ session }: Pick<ClientRig, 'session'>) => session.stats().ignored

describe('D-19, D-30 listening', () => {
  it('asks for what it wants to be told of, and hears what was agreed to', async () => {
    const { link, listened, heard } = await acknowledged({ mirrors: true })
    expect(link.sent).toMatchObject([
      {
        id: 2,
        method: 'subscriptions/listen',
        params: { notifications: FILTER, _meta: { [`${NAMES}protocolVersion`]: '2026-07-28' } },
      },
    ])
    expect(link.headers).toEqual([{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }])
    expect(listened.id).toBe(2)
    expect(await listened.acknowledged).toEqual({ toolsListChanged: true })
    expect(heard).toEqual([])
  })

  it('tasks can be listened to as well', async () => {
    const { session, link } = await openStateless()
    session.listen({ taskIds: ['t'] })
    expect(link.sent[0].params.notifications).toEqual({ taskIds: ['t'] })
  })

  it('the agreement must come in time, and then it lasts', async () => {
    const late = await listening()
    const refusal = expect(late.listened.acknowledged).rejects.toMatchObject({ kind: 'request_timeout' })
    await late.clock.advance(60_000)
    await refusal
    expect(late.ends).toMatchObject([{ kind: 'request_timeout' }])
    expect(late.link.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 2 } })

    const agreed = await acknowledged()
    await agreed.clock.advance(24 * 3_600_000)
    expect(agreed.ends).toEqual([])
    expect(agreed.session.pending()).toHaveLength(1)
  })

  it('D-04 news name what they are for, and that goes no further', async () => {
    const { link, heard } = await acknowledged()
    link.notify('notifications/tools/list_changed', about(2))
    link.notify('notifications/resources/updated', { uri: 'x:/a', _meta: { [`${NAMES}subscriptionId`]: 2, own: 1 } })
    link.notify('notifications/tasks', about(2, { taskId: 't', status: 'working' }))
    expect(heard).toEqual([
      ['notifications/tools/list_changed', {}],
      ['notifications/resources/updated', { uri: 'x:/a', _meta: { own: 1 } }],
      ['notifications/tasks', { taskId: 't', status: 'working' }],
    ])
  })

  it('news for nobody are counted and ignored', async () => {
    const rig = await acknowledged()
    for (const id of [99, '2', null, {}]) rig.link.notify('notifications/tools/list_changed', about(id))
    rig.link.notify(ACKNOWLEDGED, { notifications: {} })
    expect(rig.heard).toEqual([])
    expect(ignored(rig)).toEqual({ 'notification of no subscription': 5 })
  })

  it('news that name nothing are heard all the same', async () => {
    const { link, heard } = await acknowledged()
    link.notify('notifications/tools/list_changed')
    expect(heard).toHaveLength(1)
  })
})

describe('the end of listening', () => {
  it('by the answer of the server', async () => {
    const { link, ends, session } = await acknowledged()
    link.answer(2, { resultType: 'complete', ...about(2) })
    await settled()
    expect(ends).toEqual(['ended'])
    link.notify('notifications/tools/list_changed', about(2))
    expect(ignored({ session })).toEqual({ 'notification of no subscription': 1 })
  })

  it('D-31 by a word of the server, which must not be about anything else', async () => {
    const rig = await acknowledged({ mirrors: true })
    rig.link.notify('notifications/cancelled', { requestId: 7 })
    await settled()
    expect(rig.ends).toEqual([])
    rig.link.notify('notifications/cancelled', { requestId: 2 })
    rig.link.notify('notifications/cancelled', { requestId: 2 })
    await settled()
    expect(rig.ends).toEqual(['ended'])
    expect(rig.link.withdrawn).toEqual([2])
    expect(rig.session.pending()).toEqual([])
  })

  it('D-31 the answer and the word, one after the other', async () => {
    const { link, ends } = await acknowledged()
    link.answer(2, { resultType: 'complete' })
    link.notify('notifications/cancelled', { requestId: 2 })
    await settled()
    expect(ends).toEqual(['ended'])
  })

  it('by this side', async () => {
    const controller = new AbortController()
    const { link, ends } = await acknowledged({}, controller.signal)
    controller.abort()
    await settled()
    expect(ends).toEqual(['ended'])
    expect(link.sent[1]).toMatchObject({ method: 'notifications/cancelled', params: { requestId: 2 } })

    const http = new AbortController()
    const other = await acknowledged({ mirrors: true }, http.signal)
    http.abort()
    await settled()
    expect(other.link.withdrawn).toEqual([2])
    expect(other.link.sent).toHaveLength(1)
  })

  it('by this side before anything was agreed', async () => {
    const controller = new AbortController()
    const { listened, ends } = await listening({}, controller.signal)
    controller.abort()
    await expect(listened.acknowledged).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(ends).toEqual(['ended'])
    const { session } = await openStateless()
    await expect(session.listen(FILTER, { signal: AbortSignal.abort() }).acknowledged).rejects.toMatchObject({
      kind: 'request_cancelled',
    })
  })

  it('by a refusal, or an answer before any agreement', async () => {
    const refused = await listening()
    refused.link.refuse(2, -32601, undefined, 'no listening here')
    await expect(refused.listened.acknowledged).rejects.toMatchObject({ message: 'no listening here' })
    expect(refused.ends).toMatchObject([{ kind: 'method_not_found' }])

    const hasty = await listening()
    hasty.link.answer(2, { resultType: 'complete' })
    await expect(hasty.listened.acknowledged).rejects.toMatchObject({ kind: 'invalid_answer' })
    expect(hasty.ends).toEqual(['ended'])
  })

  it('by a loss, which is nobody else’s to take over', async () => {
    const unanswered: unknown[] = []
    const rig = await acknowledged({ adopt: (request) => unanswered.push(request) > 0 })
    rig.link.fail(2, new Error('stream broke'))
    await settled()
    expect(rig.ends).toMatchObject([{ message: 'stream broke' }])
    const gone = await acknowledged({ adopt: (request) => unanswered.push(request) > 0 })
    gone.link.hangUp()
    await settled()
    expect(gone.ends).toMatchObject([{ kind: 'connection_closed' }])
    expect(unanswered).toEqual([])
  })

  it('is not begun where it cannot be', async () => {
    const { session } = await openStateless()
    await session.close()
    expect(() => session.listen(FILTER)).toThrowError(expect.objectContaining({ kind: 'session_closed' }))
    const older = await openClient()
    expect(() => older.session.listen(FILTER)).toThrowError(expect.objectContaining({ kind: 'method_not_found' }))
    expect(older.session.logLevel).toBeUndefined()
  })
})
