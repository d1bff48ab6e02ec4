import { describe, expect, it } from 'vitest'
import { begun, discovery, type HttpLikeLink, initialized, of, settled, shakeHands } from './client.fixtures.ts'

describe('D-65 silence', () => {
  it('after 2 s the handshake is tried beside the question', async () => {
    const run = begun()
    await run.rig.clock.advance(1999)
    expect(of(run.rig, 'initialize')).toEqual([])
    await run.rig.clock.advance(1)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
    expect(run.rig.session.pending()).toEqual([])
  })

  it('or earlier, so that the handshake has at least half of the time there is', async () => {
    const run = begun({ initialiseTimeout: '2s' })
    await run.rig.clock.advance(1000)
    expect(of(run.rig, 'initialize')).toHaveLength(1)
    await shakeHands(run)
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it('how long is a setting', async () => {
    const run = begun({ probeTimeout: '300ms' })
    await run.rig.clock.advance(300)
    expect(of(run.rig, 'initialize')).toHaveLength(1)
    await shakeHands(run)
  })

  it('a slow server of the stateless era still wins, and the handshake is forgotten without a word', async () => {
    const run = begun({ mirrors: true })
    await run.rig.clock.advance(2500)
    run.rig.link.answer(1, discovery())
    await run.opening
    expect(run.outcome.value).toBe('2026-07-28')
    expect(run.rig.session.pending()).toEqual([])
    expect(run.rig.link.withdrawn).toEqual([2])
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual(['server/discover', 'initialize'])
    run.rig.link.answer(2, initialized())
    expect(run.rig.session.version).toBe('2026-07-28')
  })

  it('on a channel for everything the handshake decides: a server of both eras has taken it for all that follows', async () => {
    const run = begun()
    await run.rig.clock.advance(2500)
    run.rig.link.answer(1, discovery())
    await settled()
    expect(run.outcome).toEqual({})
    run.rig.link.answer(2, initialized())
    await run.opening
    expect(run.outcome.value).toBe('2025-11-25')
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual([
      'server/discover',
      'initialize',
      'notifications/initialized',
    ])
    expect(run.rig.session.pending()).toEqual([])
  })

  it.each([
    ['refused', (link: HttpLikeLink) => link.refuse(2, -32022, { supported: ['2026-07-28'], requested: '2025-11-25' })],
    ['ignored', () => {}],
  ])('a slow server of the stateless era wins when the handshake is %s', async (_, onHandshake) => {
    const run = begun()
    await run.rig.clock.advance(2500)
    run.rig.link.answer(1, discovery())
    onHandshake(run.rig.link)
    await settled()
    await run.rig.clock.advance(7500)
    await run.opening
    expect(run.outcome.value).toBe('2026-07-28')
    expect(run.rig.session.pending()).toEqual([])
    expect(run.rig.link.sent.map(({ method }) => method)).toEqual(['server/discover', 'initialize'])
    run.rig.link.answer(2, initialized())
    expect(run.rig.session.version).toBe('2026-07-28')
  })

  it('what the server says to the question after the handshake is ignored', async () => {
    const run = begun()
    await run.rig.clock.advance(2000)
    await shakeHands(run)
    run.rig.link.answer(1, discovery())
    expect(run.rig.session).toMatchObject({ version: '2025-11-25', era: 'handshake' })
    expect(run.rig.session.stats().ignored['unexpected answer']).toBe(1)
  })

  it('both answers in one turn: the first counts', async () => {
    const run = begun()
    await run.rig.clock.advance(2000)
    run.rig.link.answer(2, initialized())
    run.rig.link.answer(1, discovery())
    await run.opening
    expect(run.outcome.value).toBe('2025-11-25')
  })

  it('a handshake that is refused waits for the other answer', async () => {
    const run = begun()
    await run.rig.clock.advance(2000)
    run.rig.link.refuse(2, -32601, undefined, 'no initialize here')
    await settled()
    run.rig.link.answer(1, discovery())
    await run.opening
    expect(run.outcome.value).toBe('2026-07-28')
  })

  it('refused both ways, the handshake has the last word', async () => {
    const run = begun()
    await run.rig.clock.advance(2000)
    run.rig.link.refuse(2, -32000, undefined, 'not today')
    await settled()
    run.rig.link.refuse(1, -32601)
    await run.opening
    expect(run.outcome.error).toMatchObject({ message: 'not today' })
  })

  it('L2 all of it takes no longer than the handshake may', async () => {
    const run = begun()
    await run.rig.clock.advance(9999)
    expect(run.outcome).toEqual({})
    await run.rig.clock.advance(1)
    expect(run.outcome.error).toMatchObject({
      kind: 'initialization_timeout',
      message: 'The server answered neither server/discover nor initialize within 10000 ms',
    })
    expect(run.rig.link.closed).toBe(true)
    expect(run.rig.clock.timers).toBe(0)
  })

  it('L2 a late verdict does not buy the handshake more time', async () => {
    const run = begun({ probeTimeout: '9s' })
    await run.rig.clock.advance(8000)
    run.rig.link.refuse(1, -32601)
    await run.rig.clock.advance(2000)
    expect(run.outcome.error).toMatchObject({
      kind: 'initialization_timeout',
      message: 'The server did not answer initialize within 10000 ms',
    })
  })
})
