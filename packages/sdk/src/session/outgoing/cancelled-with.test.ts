/**
 * A request that follows another one: it is cancelled with that request, and stops following it when it is over.
 */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import type { Inbound } from '../endpoint.ts'
import { openStateless } from '../eras/stateless/client/client.fixtures.ts'
import { deferring, openClient, openServer, settled } from '../session.fixtures.ts'

/** A request of a client that is being answered. */
async function inbound() {
  const { answer, calls } = deferring()
  const rig = openServer('2025-11-25', { answer })
  rig.link.request('call', 'tools/call', { name: 'x' })
  await settled()
  const cancel = (reason?: string): void =>
    rig.link.notify('notifications/cancelled', { requestId: 'call', ...(reason === undefined ? {} : { reason }) })
  return { ...rig, cancel, call: calls[0]?.inbound as Inbound, finish: () => calls[0]?.resolve({ content: [] }) }
}

/** Something that can be cancelled, and who wants to know. */
class Other {
  readonly listeners = new Set<(reason: string) => void>()
  reason: string | undefined

  onCancel(run: (reason: string) => void): () => void {
    if (this.reason !== undefined) run(this.reason)
    else this.listeners.add(run)
    return () => this.listeners.delete(run)
  }
  cancel(reason: string): void {
    this.reason = reason
    for (const run of [...this.listeners]) run(reason)
  }
}

describe('Inbound.onCancel', () => {
  it('tells everybody who wants to know, with the reason', async () => {
    const { call, cancel } = await inbound()
    const told: string[] = []
    for (const who of ['a', 'b', 'c']) call.onCancel((reason) => told.push(`${who}: ${reason}`))
    cancel('never mind')
    expect(told).toEqual(['a: never mind', 'b: never mind', 'c: never mind'])
    expect(call.cancelled).toBe(true)
  })

  it.each([1, 2, 3])('can be taken back, with %i listeners', async (count) => {
    const { call, cancel } = await inbound()
    const told: number[] = []
    const taken = Array.from({ length: count }, (_, at) => call.onCancel(() => told.push(at)))
    taken[0]?.()
    taken[0]?.()
    cancel()
    expect(told).toEqual([1, 2].slice(0, count - 1))
  })

  it('may be taken back by one of those who are told', async () => {
    const { call, cancel } = await inbound()
    const told: string[] = []
    let stop = (): void => {}
    call.onCancel(() => stop())
    stop = call.onCancel(() => told.push('not me'))
    call.onCancel(() => told.push('me'))
    cancel()
    expect(told).toEqual(['me'])
  })

  it('tells at once what has happened before', async () => {
    const { call, cancel } = await inbound()
    cancel('gone')
    const told: string[] = []
    call.onCancel((reason) => told.push(reason))()
    expect(told).toEqual(['gone'])
  })

  it('tells of the end of the session, and nothing of a request that was answered', async () => {
    const one = await inbound()
    const told: string[] = []
    one.call.onCancel((reason) => told.push(reason))
    await one.session.close({ drain: 0 })
    expect(told).toEqual(['The session has ended'])
    const two = await inbound()
    two.call.onCancel((reason) => told.push(reason))
    two.finish()
    await settled()
    two.cancel()
    await two.session.close({ drain: 0 })
    expect(told).toHaveLength(1)
  })

  it('questions that come inside of answers have it, too', async () => {
    const told: string[] = []
    const { session, link } = await openStateless({
      answer: (question) => {
        const stop = question.onCancel(() => told.push('not me'))
        question.onCancel((reason) => told.push(reason))
        stop()
        return new Promise(() => {})
      },
    })
    const controller = new AbortController()
    const called = session.request('tools/call', { name: 'x' }, { signal: controller.signal })
    const form: Body = {
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
    }
    link.answer(2, { resultType: 'input_required', inputRequests: { who: form } })
    controller.abort('enough')
    await expect(called).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(told).toEqual([expect.stringContaining('enough')])
  })
})

describe('RequestOptions.cancelledWith', () => {
  it('takes the request back when the other one is cancelled, with its reason', async () => {
    const { session, link } = await openClient()
    const { call, cancel } = await inbound()
    const asked = session.request('tools/call', { name: 'x' }, { cancelledWith: call })
    const [{ id }] = link.take()
    cancel('never mind')
    await expect(asked).rejects.toMatchObject({
      kind: 'request_cancelled',
      message: 'tools/call was cancelled: never mind',
    })
    expect(link.take()).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: id, reason: expect.stringContaining('never mind') },
      },
    ])
    expect(session.pending()).toEqual([])
  })

  it('sends nothing at all when the other one is cancelled already, and leaves nothing behind', async () => {
    const { session, link, clock } = await openClient()
    const other = new Other()
    other.cancel('too late')
    const before = clock.timers
    const controller = new AbortController()
    const added: unknown[] = []
    const { addEventListener, removeEventListener } = controller.signal
    Object.assign(controller.signal, {
      addEventListener: (...args: Parameters<typeof addEventListener>) => {
        added.push(args[1])
        addEventListener.apply(controller.signal, args)
      },
      removeEventListener: (...args: Parameters<typeof removeEventListener>) => {
        added.splice(added.indexOf(args[1]), 1)
        removeEventListener.apply(controller.signal, args)
      },
    })
    await expect(
      session.request('tools/call', { name: 'x' }, { cancelledWith: other, signal: controller.signal }),
    ).rejects.toMatchObject({
      message: expect.stringContaining('too late'),
    })
    expect([link.take(), session.pending(), added, clock.timers]).toEqual([[], [], [], before])
  })

  it.each([
    ['answered', (link: Rig['link'], id: number) => link.deliver({ jsonrpc: '2.0', id, result: { content: [] } })],
    [
      'refused',
      (link: Rig['link'], id: number) => link.deliver({ jsonrpc: '2.0', id, error: { code: -32000, message: 'no' } }),
    ],
    ['lost', (link: Rig['link']) => link.hangUp()],
  ])('the other one knows nothing of a request that was %s', async (_, end) => {
    const { session, link } = await openClient()
    const other = new Other()
    const asked = session.request('tools/call', { name: 'x' }, { cancelledWith: other }).catch(() => {})
    expect(other.listeners.size).toBe(1)
    end(link, link.take()[0].id)
    await asked
    expect(other.listeners.size).toBe(0)
    other.cancel('late')
    expect(link.take()).toEqual([])
  })

  it('holds through all rounds of a request that is made again', async () => {
    const { session, link } = await openStateless({ answer: () => ({ action: 'accept', content: {} }), mirrors: true })
    const other = new Other()
    const called = session.request('tools/call', { name: 'x' }, { cancelledWith: other })
    const form: Body = {
      method: 'elicitation/create',
      params: { message: 'Who?', requestedSchema: { type: 'object', properties: {} } },
    }
    link.answer(2, { resultType: 'input_required', inputRequests: { who: form } })
    expect(other.listeners.size).toBe(1)
    await settled()
    expect([link.lastId, other.listeners.size]).toEqual([3, 1])
    other.cancel('enough')
    await expect(called).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect([link.withdrawn, other.listeners.size, session.pending()]).toEqual([[3], 0, []])
  })
})

type Rig = Awaited<ReturnType<typeof openClient>>
