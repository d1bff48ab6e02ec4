/** G: who a client is that makes too many requests. */
import { fakeClock } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { ClientLimit, type LimitedClient, type Refused } from './index.ts'

function limited(requests = 1) {
  const refused: Refused[] = []
  const clock = fakeClock(0)
  const limit = new ClientLimit({ limit: { requests, per: 60_000 }, clock, onRefused: (each) => refused.push(each) })
  const guard = (conversation: LimitedClient = {}, server = '*') => limit.guard(server, conversation, () => 'tester')
  return { limit, guard, clock, refused }
}

const shared: LimitedClient = { sharedLink: true }

describe('G a client', () => {
  it('is its principal, wherever it comes in', () => {
    const { guard } = limited(3)
    const ways = [guard({ principal: 'ann' }), guard({ principal: 'ann' }, 'notes')]
    for (const way of ways) expect(way('tools/list', undefined)).toBeUndefined()
    expect(guard(shared)('tools/list', { principal: 'ann', address: '192.0.2.1' })).toBeUndefined()
    for (const way of ways) {
      expect(way('tools/list', undefined)).toMatchObject({
        kind: 'rate_limited',
        message:
          'The principal "ann" has made as many requests as one client may (gateway.rateLimit: 3 per 1 m): try again in 20 s',
        data: { retryAfterMs: 20_000 },
      })
    }
    expect(guard({ principal: 'bea' })('tools/list', undefined)).toBeUndefined()
  })

  it('is its session where nobody knows more', async () => {
    const { guard, clock } = limited()
    const [one, other] = [guard(), guard()]
    expect(one('tools/list', undefined)).toBeUndefined()
    expect(one('tools/list', undefined)?.message).toMatch(
      /^This session has made as many requests as one client may \(.*\): try again in 60 s$/,
    )
    expect(other('tools/list', undefined)).toBeUndefined()
    await clock.advance(60_000)
    expect(one('tools/list', undefined)).toBeUndefined()
  })

  it.each([
    ['192.0.2.1', '192.0.2.1', '192.0.2.2'],
    ['::ffff:192.0.2.1', '192.0.2.1', '::ffff:192.0.2.2'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:db8:1:3::9'],
    ['2001:db8::1', '2001:db8::2', '2001:db8:0:1::1'],
    ['fe80::1%eth0', 'fe80::2', 'fe81::1'],
    ['::1', '::1', '127.0.0.1'],
  ])('is its network where there is no session: %s is as %s, and not as %s', (address, same, other) => {
    const way = limited().guard(shared)
    expect(way('tools/list', { address })).toBeUndefined()
    expect(way('tools/list', { address: same })?.message).toMatch(/^The address [\d.a-f:/]+ has made/)
    expect(way('tools/list', { address: other })).toBeUndefined()
  })

  it('is told of to those who count, without what its session is known by', () => {
    const { guard, refused } = limited()
    const way = guard({}, 'notes')
    for (let n = 0; n < 3; n++) way('tools/list', undefined)
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
    const { limit, guard } = limited()
    const way = guard()
    limit.limit = undefined
    for (let n = 0; n < 10; n++) expect(way('tools/list', undefined)).toBeUndefined()
    limit.limit = { requests: 2, per: 1000 }
    expect([1, 2, 3].map(() => way('tools/list', undefined)?.kind)).toEqual([undefined, undefined, 'rate_limited'])
  })
})
