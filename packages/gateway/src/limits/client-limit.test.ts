/** G: who a client is that makes too many requests. */
import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { ClientLimit, type LimitedRequest, type Refused } from './index.ts'

function limited(requests = 1) {
  const refused: Refused[] = []
  const clock = fakeClock(0)
  const limit = new ClientLimit({ limit: { requests, per: 60_000 }, clock, onRefused: (each) => refused.push(each) })
  const ask = (request: Partial<LimitedRequest> = { session: '1' }) =>
    limit.refusal({ server: '*', clientName: 'tester', ...request })
  return { limit, ask, clock, refused }
}

describe('G a client', () => {
  it('is its principal, at whichever address and in whichever session', () => {
    const { ask } = limited(3)
    const requests = [
      { principal: 'ann', session: '1' },
      { principal: 'ann', session: '2', server: 'notes' },
      { principal: 'ann', address: '192.0.2.1' },
    ]
    for (const request of requests) expect(ask(request)).toBeUndefined()
    for (const request of requests) {
      expect(ask(request)).toMatchObject({
        kind: 'rate_limited',
        message:
          'The principal "ann" has made as many requests as one client may (gateway.rateLimit: 3 per 1 m): try again in 20 s',
        data: { retryAfterMs: 20_000 },
      })
    }
    expect(ask({ principal: 'bea' })).toBeUndefined()
  })

  it('is its session where it has no principal', async () => {
    const { ask, clock } = limited()
    expect(ask({ session: '1' })).toBeUndefined()
    expect(ask({ session: '1' })?.message).toMatch(
      /^This session has made as many requests as one client may \(.*\): try again in 60 s$/,
    )
    expect(ask({ session: '2' })).toBeUndefined()
    await clock.advance(60_000)
    expect(ask({ session: '1' })).toBeUndefined()
  })

  it.each([
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:db8:1:3::9'],
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
    ['fe80::1%eth0', 'fe80::2', 'fe81::1'],
    ['::1', '::1', '127.0.0.1'],
  ])('is its network where there is no session: %s is as %s, and not as %s', (address, same, other) => {
    const { ask } = limited()
    expect(ask({ address })).toBeUndefined()
    expect(ask({ address: same })?.message).toMatch(/^The address [\d.a-f:/]+ has made/)
    expect(ask({ address: other })).toBeUndefined()
  })

  it('is told of to those who count, without what its session is known by', () => {
    const { ask, refused } = limited()
    for (let n = 0; n < 3; n++) ask({ session: '1', server: 'notes' })
    expect(refused).toEqual(
      Array(2).fill({
        server: 'notes',
        reason: 'client_rate_limit',
        whom: 'Session 1 of "tester"',
        limit: 'gateway.rateLimit: 1 per 1 m',
      }),
    )
  })

  it('may make any number where there is no limit, and as many as a new one says', () => {
    const { limit, ask } = limited()
    limit.limit = undefined
    for (let n = 0; n < 10; n++) expect(ask()).toBeUndefined()
    limit.limit = { requests: 2, per: 1000 }
    expect([1, 2, 3].map(() => ask()?.kind)).toEqual([undefined, undefined, 'rate_limited'])
  })
})
