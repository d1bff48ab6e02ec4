import { describe, expect, it } from 'vitest'
import type { Link, LinkEvents, RequestId } from '../../jsonrpc/index.ts'
import { RecordingLink } from './recording-link.ts'

describe('L8 a link that is recorded', () => {
  it('does everything the link itself does', () => {
    const told: unknown[][] = []
    let events: LinkEvents | undefined
    const inner = {
      transport: 'odd',
      listening: false,
      mirrors: true,
      remembered: false,
      hears: false,
      open: (given: LinkEvents) => {
        events = given
      },
      send: (...given: unknown[]) => void told.push(['send', ...given]),
      close: () => void told.push(['close']),
      negotiated: (version: string) => void told.push(['negotiated', version]),
      abandon: (request: RequestId) => void told.push(['abandon', request]),
      withdraw: (request: RequestId) => void told.push(['withdraw', request]),
      release: (request: RequestId, retry: number | undefined) => void told.push(['release', request, retry]),
    } satisfies Required<Link>
    const link = new RecordingLink(inner, () => 0)

    const hear =
      (name: string) =>
      (...given: unknown[]) =>
        void told.push([name, ...given])
    link.open({
      maxBytes: 7,
      frame: hear('frame'),
      abandoned: hear('abandoned'),
      failed: hear('failed'),
      released: hear('released'),
      closed: hear('closed'),
    })
    expect(events?.maxBytes).toBe(7)
    expect(link.transport).toBe('odd')
    expect(link.listening).toBe(false)
    expect(link.mirrors).toBe(true)
    expect(link.remembered).toBe(false)
    expect(link.hears).toBe(false)
    inner.listening = true as never
    expect(link.listening).toBe(true)

    const failure = new Error('lost')
    const parsed = { kind: 'notification', message: { jsonrpc: '2.0', method: 'm' } } as const
    events?.frame('{}', parsed, { key: 9 })
    events?.abandoned?.(9)
    events?.failed?.(3, failure)
    events?.released?.(5, 100)
    events?.closed(failure)
    link.send('{}', { relatedTo: 1, final: true })
    link.negotiated?.('2025-11-25')
    link.abandon?.(1)
    link.withdraw?.(4)
    link.release?.(2, 500)
    link.close()
    expect(told).toEqual([
      ['frame', '{}', parsed, { key: 9 }],
      ['abandoned', 9],
      ['failed', 3, failure],
      ['released', 5, 100],
      ['closed', failure],
      ['send', '{}', { relatedTo: 1, final: true }],
      ['negotiated', '2025-11-25'],
      ['abandon', 1],
      ['withdraw', 4],
      ['release', 2, 500],
      ['close'],
    ])
  })

  it('has no more than the link', () => {
    const plain: Link = { transport: 'plain', open: () => {}, send: () => {}, close: () => {} }
    const link = new RecordingLink(plain, () => 0)
    const { listening, hears, remembered, mirrors, negotiated, abandon, withdraw, release } = link
    expect([listening, hears, remembered, mirrors, negotiated, abandon, withdraw, release]).toEqual(
      Array(8).fill(undefined),
    )
  })
})
