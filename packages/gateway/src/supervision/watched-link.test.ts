/** The link to a server that is watched: its user sees the link itself. */
import type { Link, LinkEvents } from 'parley-mcp/engine'
import { describe, expect, it, vi } from 'vitest'
import { type LinkWatcher, WatchedLink } from './watched-link.ts'

const plain: Link = { transport: 'test', open: () => {}, send: () => {}, close: () => {} }

function watcher() {
  return {
    proved: vi.fn(),
    closed: vi.fn(),
    silent: vi.fn(),
    ended: vi.fn((reason) => reason),
    trouble: vi.fn(),
  } satisfies LinkWatcher
}

describe('G a link that is watched', () => {
  it('has what its link has, and lacks what it lacks', () => {
    const release = vi.fn()
    const {
      listening,
      hears,
      remembered,
      mirrors,
      abandon,
      withdraw,
      release: missing,
    } = new WatchedLink(plain, watcher())
    expect([listening, hears, remembered, mirrors, abandon, withdraw, missing]).toEqual(Array(7).fill(undefined))
    const link = new WatchedLink({ ...plain, listening: false, hears: false, release }, watcher())
    expect([link.listening, link.hears]).toEqual([false, false])
    link.release?.(1, 500)
    expect(release.mock.calls).toEqual([[1, 500]])
  })

  it('tells its user of everything, and its link of what its user does not hear', () => {
    const open = vi.fn<Link['open']>()
    const user = {
      frame: vi.fn(),
      abandoned: vi.fn(),
      failed: vi.fn(),
      released: vi.fn(),
      closed: vi.fn(),
    } satisfies LinkEvents
    new WatchedLink({ ...plain, open }, watcher()).open(user)
    new WatchedLink({ ...plain, open }, watcher()).open({ frame: () => {}, closed: () => {} })
    const [events, fewer] = open.mock.calls.map(([given]) => given)
    events?.released?.(1, 100)
    events?.abandoned?.(2)
    events?.failed?.(3, new Error('lost'))
    expect(user.released.mock.calls).toEqual([[1, 100]])
    expect(user.abandoned.mock.calls).toEqual([[2]])
    expect(user.failed).toHaveBeenCalledOnce()
    expect([fewer?.released, fewer?.abandoned, fewer?.failed]).toEqual([undefined, undefined, undefined])
  })

  it('is proved by the handshake, which its link is told of', () => {
    const negotiated = vi.fn()
    const seen = watcher()
    const link = new WatchedLink({ ...plain, negotiated }, seen)
    link.negotiated('2025-11-25')
    expect(negotiated.mock.calls).toEqual([['2025-11-25']])
    expect(seen.proved).toHaveBeenCalledOnce()
    new WatchedLink(plain, seen).negotiated('2025-11-25')
    expect(seen.proved).toHaveBeenCalledTimes(2)
  })
})
