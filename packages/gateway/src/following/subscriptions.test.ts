/** G: subscriptions of clients with a session, and what they say of them while servers are away. */
import { afterEach, describe, expect, it } from 'vitest'
import type { RawClient } from '../addresses/server/peers.fixtures.ts'
import { agreements, FollowedRig, Held, offering, settle, update, X, X_OF_B, Y } from './followed-resources.fixtures.ts'

let rig: FollowedRig
afterEach(() => rig.close())

describe('G what a client with a session follows', () => {
  const VERSION = '2025-11-25'
  const ask = (client: RawClient, method: string, uri: string) => client.request(`resources/${method}`, { uri })

  it('is not followed again when the client has said so while the server was away', async () => {
    rig = new FollowedRig({ b: { server: offering([X, Y]) } })
    const { client, news } = await rig.following(VERSION, X, Y)
    await rig.remove('b')
    expect((await ask(client, 'unsubscribe', X)).result).toEqual({})
    const again = offering([X, Y])
    rig.replace({ b: { server: again } })
    await rig.pass()
    expect([agreements(again), agreements(again, Y)]).toEqual([
      [0, 0],
      [1, 0],
    ])
    expect(news()).toEqual([Y])
  })

  it('is not followed again when the client says so while it is asked for', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { client, news } = await rig.following(VERSION, X)
    await rig.remove('b')
    const again = offering([X])
    const held = new Held()
    rig.replace({ b: { server: again, wrap: (link) => held.wrap(link) } })
    await rig.pass()
    expect((await ask(client, 'unsubscribe', X)).result).toEqual({})
    held.release()
    await settle()
    await update(again)
    expect(agreements(again)).toEqual([1, 1])
    expect(news()).toEqual([])
  })

  it('is followed as long as one of several URIs that lead to it is', async () => {
    const b = offering([X])
    rig = new FollowedRig({ b: { server: b } })
    const { client, news } = await rig.following(VERSION, X, X_OF_B)
    expect(agreements(b)).toEqual([1, 0])
    await ask(client, 'unsubscribe', X)
    await update(b)
    expect(news()).toEqual([X_OF_B])
    await ask(client, 'unsubscribe', X_OF_B)
    expect(agreements(b)).toEqual([1, 1])
  })

  it('is told once, however often the client has asked for it', async () => {
    const b = offering([X])
    rig = new FollowedRig({ b: { server: b } })
    const { client, news } = await rig.following(VERSION, X, X)
    await Promise.all([ask(client, 'subscribe', X), ask(client, 'subscribe', X)])
    await update(b)
    expect(news()).toEqual([X])
    await ask(client, 'unsubscribe', X)
    expect(agreements(b)).toEqual([1, 1])
  })

  it('is followed at the server that has come in the place of the one that was asked first', async () => {
    const [old, next] = [offering([X]), offering([X])]
    const held = new Held()
    rig = new FollowedRig({ b: { server: old, wrap: (link) => held.wrap(link) } })
    const { client, news } = await rig.following(VERSION)
    const answer = ask(client, 'subscribe', X)
    await settle()
    expect(held.frames).toHaveLength(1)
    await rig.exchange({ b: { server: next } })
    expect((await answer).result).toEqual({})
    expect(agreements(next)).toEqual([1, 0])
    await update(next)
    expect(news()).toEqual([X])
  })

  it('comes back with the level of log messages the client wants', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { client } = await rig.following(VERSION, X)
    await client.request('logging/setLevel', { level: 'debug' })
    await rig.remove('b')
    await client.request('logging/setLevel', { level: 'warning' })
    const again = offering([X])
    rig.replace({ b: { server: again } })
    await rig.pass()
    expect(again.told).toContainEqual({
      method: 'logging/setLevel',
      params: expect.objectContaining({ level: 'warning' }),
    })
    for (const session of again.sessions) session.notify('notifications/message', { level: 'error', data: 'trouble' })
    await settle()
    expect(client.of('notifications/message').map(({ params }) => params?.['data'])).toEqual(['trouble'])
  })

  it('cannot be asked for where nobody offers it, and is not remembered then', async () => {
    rig = new FollowedRig({ a: { server: offering([]) } })
    const { client } = await rig.following(VERSION)
    expect((await ask(client, 'subscribe', X)).error?.message).toMatch(/Resource not found/)
    const b = offering([X])
    rig.replace({ b: { server: b } })
    await rig.pass()
    expect(agreements(b)).toEqual([0, 0])
  })
})
