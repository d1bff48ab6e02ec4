/** On whose behalf a server asks and tells: by the stream it comes on, or because there is only one it can be. */
import { describe, expect, it } from 'vitest'
import type { Body, FrameOrigin, LinkEvents } from '../../jsonrpc/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { openStateless } from '../eras/stateless/client/client.fixtures.ts'
import type { EngineRequestOptions } from '../request-options.ts'
import { everything, HandClock, settled, TestLink } from '../session.fixtures.ts'
import { Session } from '../session.ts'
import { PolledTask, readFlatTask } from '../tasks/polled-task.ts'

class StreamLink extends TestLink {
  events: LinkEvents | undefined

  override open(events: LinkEvents): void {
    this.events = events
    super.open(events)
  }
  on(origin: FrameOrigin | undefined, message: Body): void {
    this.events?.frame(JSON.stringify({ jsonrpc: '2.0', ...message }), undefined, origin)
  }
}

async function open() {
  const link = new StreamLink()
  const asked: unknown[] = []
  const told: unknown[] = []
  const certain: unknown[] = []
  const endpoint: Endpoint = {
    introduce: () => ({ info: { name: 'c', version: '1' }, capabilities: { roots: {}, sampling: {} } }),
    answer: ({ owner, within }) => {
      asked.push(owner)
      certain.push(within)
      return { roots: [] }
    },
    notified: (_, __, ___, owner) => void told.push(owner),
  }
  const session = new Session({ role: 'client', link, endpoint, clock: new HandClock() })
  const opening = session.initialise()
  link.on(undefined, {
    id: link.take()[0].id,
    result: { protocolVersion: '2025-11-25', capabilities: everything, serverInfo: { name: 's', version: '1' } },
  })
  await opening
  link.take()
  const call = (options?: EngineRequestOptions): { id: number; outcome: Promise<Body> } => {
    const outcome = session.request('tools/call', { name: 'x' }, options)
    return { id: link.take().find(({ method }) => method === 'tools/call').id, outcome }
  }
  /** The server asks, and tells something. */
  const speak = (origin?: FrameOrigin): unknown[] => {
    link.on(origin, { id: 'q', method: 'roots/list' })
    link.on(origin, { method: 'notifications/message', params: { level: 'info', data: 1 } })
    return [...asked.splice(0), ...told.splice(0)]
  }
  return { session, link, call, speak, asked, certain }
}

describe('the owner of what a server says', () => {
  it('is that of the request with whose answer it comes', async () => {
    const { call, speak } = await open()
    const [ann, bob, nobody] = [call({ owner: 'Ann' }), call({ owner: 'Bob' }), call()]
    expect(speak({ within: ann.id })).toEqual(['Ann', 'Ann'])
    expect(speak({ within: bob.id })).toEqual(['Bob', 'Bob'])
    expect(speak({ within: nobody.id })).toEqual([undefined, undefined])
    expect(speak({ within: 12345 })).toEqual([undefined, undefined])
    // The next message has a stream of its own, or none.
    expect(speak({})).toEqual([undefined, undefined])
  })

  it('is the only one there is, where there are no streams', async () => {
    const { link, call, speak } = await open()
    expect(speak()).toEqual([undefined, undefined])
    const first = call({ owner: 'Ann' })
    call()
    const third = call({ owner: 'Ann' })
    expect(speak()).toEqual(['Ann', 'Ann'])
    const bob = call({ owner: 'Bob' })
    expect(speak()).toEqual([undefined, undefined])
    for (const { id } of [first, third]) link.on(undefined, { id, result: { content: [] } })
    expect(speak()).toEqual(['Bob', 'Bob'])
    link.on(undefined, { id: bob.id, result: { content: [] } })
    expect(speak()).toEqual([undefined, undefined])
    await Promise.all([first.outcome, third.outcome, bob.outcome])
  })

  it('is certain only where a question comes with the answer to a request', async () => {
    const { session, link, call, speak, certain } = await open()
    const { id } = call({ owner: 'Ann' })
    speak({ within: id })
    speak({})
    speak()
    session.pause()
    link.on({ within: id }, { id: 'q', method: 'roots/list' })
    link.on(undefined, { id: 'r', method: 'roots/list' })
    session.resume()
    expect(certain).toEqual([true, false, false, true, false])
  })

  it('is found out when it is said, also where it is heard later', async () => {
    const { session, link, call, asked } = await open()
    const { id, outcome } = call({ owner: 'Ann' })
    session.pause()
    link.on(undefined, { id: 'q', method: 'roots/list' })
    link.on(undefined, { id, result: { content: [] } })
    await outcome
    call({ owner: 'Bob' })
    expect(asked).toEqual([])
    session.resume()
    expect(asked).toEqual(['Ann'])
  })
})

const FORM: Body = {
  method: 'elicitation/create',
  params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
}

describe('the owner of questions that come inside of answers', () => {
  it('is that of the request they are the answer to, in every round', async () => {
    const { session, link, asked } = await openStateless({ answer: () => ({ action: 'accept', content: {} }) })
    const calls = ['Ann', 'Bob'].map((owner) => session.request('tools/call', { name: 'x' }, { owner }))
    link.answer(2, { resultType: 'input_required', inputRequests: { a: FORM }, requestState: 's' })
    link.answer(3, { resultType: 'input_required', inputRequests: { b: FORM }, requestState: 's' })
    await settled()
    link.answer(4, { resultType: 'input_required', inputRequests: { c: FORM } })
    await settled()
    expect(asked.map(({ id, owner }) => [id, owner])).toEqual([
      ['a', 'Ann'],
      ['b', 'Bob'],
      ['c', 'Ann'],
    ])
    expect(asked.every(({ within }) => within === true)).toBe(true)
    for (const id of [5, 6]) link.answer(id, { resultType: 'complete', content: [] })
    await Promise.all(calls)
  })

  it('is that of whoever follows the task they are of', async () => {
    const { session, asked } = await openStateless({ answer: () => ({ action: 'accept', content: {} }) })
    const task: Body = {
      resultType: 'task',
      taskId: 't',
      status: 'input_required',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: 60_000,
    }
    const requests: string[] = []
    const request = async (method: string): Promise<Body> => {
      requests.push(method)
      return method === 'tasks/get' ? { ...task, inputRequests: { who: FORM } } : {}
    }
    const polled = new PolledTask(
      { session, request, onEnd: () => () => {} } as never,
      readFlatTask('tools/call', task),
      { owner: 'Ann' },
    )
    const stop = polled.onStatus(() => {})
    await settled()
    stop()
    expect(asked.map(({ owner }) => owner)).toEqual(['Ann'])
    expect(requests).toEqual(['tasks/get', 'tasks/update'])
    await session.close()
  })
})
