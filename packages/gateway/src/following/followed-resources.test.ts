/**
 * G: what clients follow goes on being followed wherever it is after a reload: at servers that come back, and at those
 * whose it is from then on.
 */
import { ParleyError } from 'parley-mcp'
import { createServer, resource } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { EVERYTHING } from '../addresses/server/peers.fixtures.ts'
import {
  agreements,
  ERAS,
  FollowedRig,
  Held,
  offering,
  settle,
  update,
  X,
  X_OF_B,
  Y,
} from './followed-resources.fixtures.ts'

let rig: FollowedRig
afterEach(() => rig.close())

describe.each(ERAS)('G what a client of %s follows', (version) => {
  it('it follows again when the server was removed and has come back, and is told once that it may have changed', async () => {
    rig = new FollowedRig({ a: { server: offering([]) }, b: { server: offering([X]) } })
    const { news } = await rig.following(version, X, X_OF_B)
    await rig.remove('b')
    let begin: () => void = () => {}
    const begun = new Promise<void>((resolve) => (begin = resolve))
    const again = offering([X])
    rig.replace({ b: { server: again, before: () => begun } })
    await rig.pass()
    expect(news()).toEqual([])
    begin()
    await rig.pass()
    expect(news().sort()).toEqual([X, X_OF_B])
    await update(again)
    expect(news().sort()).toEqual([X, X_OF_B])
    expect(agreements(again)).toEqual([1, 0])
  })

  it('it follows at the first server that offers it, whatever the order was before', async () => {
    const [a, b] = [offering([X]), offering([X])]
    rig = new FollowedRig({ a: { server: a }, b: { server: b } })
    const { news } = await rig.following(version, X)
    expect([agreements(a), agreements(b)]).toEqual([
      [1, 0],
      [0, 0],
    ])
    await rig.raw().ask('resources/list')
    rig.reorder('b', 'a')
    await rig.pass()
    expect([agreements(a), agreements(b)]).toEqual([
      [1, 1],
      [1, 0],
    ])
    expect(news()).toEqual([X])
    await update(a)
    expect(news()).toEqual([])
    await update(b)
    expect(news()).toEqual([X])
  })

  it('it follows at a server that has come in front of the one it was followed at', async () => {
    const [a, b] = [offering([X]), offering([X])]
    rig = new FollowedRig({ b: { server: b } })
    const { news } = await rig.following(version, X)
    rig.putInFront({ a: { server: a } })
    await rig.pass()
    expect([agreements(a), agreements(b)]).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(news()).toEqual([X])
    await update(b)
    await update(a)
    expect(news()).toEqual([X])
  })

  it('it follows at a server in front that turns out to offer it, too', async () => {
    const uris: string[] = []
    const [a, b] = [offering(uris), offering([X])]
    rig = new FollowedRig({ a: { server: a }, b: { server: b } })
    const { news } = await rig.following(version, X)
    uris.push(X)
    // What was read just now is not read again.
    await rig.clock.advance(5001)
    await rig.raw().ask('resources/list')
    await rig.pass()
    expect([agreements(a), agreements(b)]).toEqual([
      [1, 0],
      [1, 1],
    ])
    expect(news()).toEqual([X])
  })

  it('it follows at another server when its own does not offer it any more', async () => {
    const [a, b] = [offering([]), offering([X])]
    rig = new FollowedRig({ a: { server: offering([X]) }, b: { server: b } })
    const { news } = await rig.following(version, X)
    await rig.exchange({ a: { server: a } })
    expect(agreements(b)).toEqual([1, 0])
    expect(new Set(news())).toEqual(new Set([X]))
    await update(b)
    expect(news()).toEqual([X])
  })

  it('it does not follow at a server that has come back without anything to follow, and the log says so once', async () => {
    rig = new FollowedRig({ b: { server: offering([X, Y]) } })
    const { news } = await rig.following(version, X, Y)
    await rig.remove('b')
    const again = offering([X, Y], { ...EVERYTHING, resources: { listChanged: true } })
    rig.replace({ b: { server: again } })
    for (let round = 0; round < 3; round++) {
      await rig.pass()
      for (const session of again.sessions) session.notify('notifications/resources/list_changed')
    }
    expect(again.told.map(({ method }) => method)).not.toContain('resources/subscribe')
    expect(news()).toEqual([])
    expect(rig.warnings.filter((warning) => warning.includes('follow'))).toEqual([
      expect.stringMatching(/^b: note:\/\/x, /),
    ])
  })

  it('it follows again as soon as the server takes it', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { news } = await rig.following(version, X)
    await rig.remove('b')
    const unwilling = createServer({ name: 'b', version: '1' }).add(
      resource(X, { subscribe: false }, () => 'x'),
      resource(Y, {}, () => 'y'),
    )
    rig.replace({ b: { server: unwilling } })
    await rig.pass()
    expect(news()).toEqual([])
    expect(rig.warnings).toEqual([expect.stringMatching(/^b: note:\/\/x, .*follow/)])
    unwilling.remove(X)
    unwilling.add(resource(X, {}, () => 'x'))
    await rig.pass()
    expect(news()).toEqual([X])
    unwilling.updated(X)
    await settle()
    expect(news()).toEqual([X])
  })

  it('it follows again when the server was given up and has come back', async () => {
    const b = offering([X])
    let isBroken = false
    const before = async (): Promise<void> => {
      if (isBroken) throw new ParleyError('transport_error', { message: 'nobody is there' })
    }
    rig = new FollowedRig({ b: { server: b, before } })
    const { news } = await rig.following(version, X)
    isBroken = true
    for (const session of b.sessions.splice(0)) await session.close()
    const { supervisor } = rig.upstream('b')
    while (supervisor.unavailable() === undefined) await rig.clock.advance(1000)
    isBroken = false
    while (supervisor.unavailable() !== undefined) await rig.clock.advance(1000)
    await rig.upstream('b').gatewayConversation()
    await rig.pass()
    expect(news()).toEqual([X])
    await update(b)
    expect(news()).toEqual([X])
    expect(agreements(b)).toEqual([2, 0])
    expect(rig.warnings.filter((warning) => warning.includes('follow'))).toEqual([])
  })

  it('it does not follow again when the client has left meanwhile', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { client } = await rig.following(version, X)
    await rig.remove('b')
    client.close()
    await settle()
    const again = offering([X])
    rig.replace({ b: { server: again } })
    await rig.pass()
    expect(agreements(again)).toEqual([0, 0])
    // That of the gateway itself.
    expect(again.sessions).toHaveLength(1)
  })

  it('it does not follow again when the client leaves during the new subscription', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { client } = await rig.following(version, X)
    await rig.remove('b')
    const again = offering([X])
    const held = new Held()
    rig.replace({ b: { server: again, wrap: (link) => held.wrap(link) } })
    await rig.pass()
    expect(held.frames).toHaveLength(1)
    client.close()
    await settle()
    held.release()
    await rig.pass()
    expect(agreements(again)).toEqual(version === '2026-07-28' ? [1, 1] : [0, 0])
  })

  it('it follows at the last of several that come in each other’s place while it is asked for', async () => {
    rig = new FollowedRig({ b: { server: offering([X]) } })
    const { news } = await rig.following(version, X)
    const held = new Held()
    await rig.exchange({ b: { server: offering([X]), wrap: (link) => held.wrap(link) } })
    expect(held.frames).toHaveLength(1)
    const last = offering([X])
    await rig.exchange({ b: { server: last } })
    expect(agreements(last)).toEqual([1, 0])
    expect(news()).toEqual([X])
    await update(last)
    expect(news()).toEqual([X])
  })
})

describe.each(ERAS)('G a client of %s is told of servers that go and come back', (version) => {
  it('by each kind of list, and by parley://status', async () => {
    rig = new FollowedRig({ a: { server: offering([]) }, b: { server: offering([X]) } })
    const { client, news } = await rig.following(version, 'parley://status')
    if (version === '2026-07-28') {
      void client.ask('subscriptions/listen', {
        notifications: { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true },
      })
      await client.next('notifications/subscriptions/acknowledged', 1)
    }
    const kinds = ['tools', 'prompts', 'resources']
    const told = () => kinds.map((kind) => client.of(`notifications/${kind}/list_changed`).length)
    let before = told()
    await rig.remove('b')
    expect(told()).toEqual(before.map((count) => count + 1))
    expect(news()).toEqual(['parley://status'])
    before = told()
    rig.replace({ b: { server: offering([X]) } })
    await rig.pass()
    expect(told()).toEqual(before.map((count) => count + 1))
    expect(news()).toEqual(['parley://status'])
  })
})
