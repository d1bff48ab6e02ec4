/** A stage that refuses clients which ask too often: what they are told, and with which HTTP status (G, E1). */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { SendOptions } from '../../jsonrpc/index.ts'
import { META } from '../../versions/index.ts'
import type { Inbound } from '../endpoint.ts'
import { initializeParams, makeRig, type Rig } from '../session.fixtures.ts'
import { compose, type Stage } from '../stage.ts'

interface Seen {
  readonly rig: Rig
  readonly answered: string[]
  readonly sent: (SendOptions | undefined)[]
}

function open(retryAfterMs?: unknown): Seen {
  const [answered, sent]: [string[], Seen['sent']] = [[], []]
  const limit: Stage<Inbound> = () => {
    throw new ParleyError('rate_limited', { message: 'Slow down', data: { retryAfterMs } })
  }
  const answer = compose<Inbound>([limit], ({ method }) => {
    answered.push(method)
    return { tools: [] }
  })
  const introduce = () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } })
  const rig = makeRig('server', { endpoint: { introduce, answer } })
  const send = rig.link.send.bind(rig.link)
  rig.link.send = (frame: string, options?: SendOptions) => {
    sent.push(options)
    send(frame)
  }
  return { rig, answered, sent }
}

const envelope = { [META.version]: '2026-07-28', [META.clientCapabilities]: {} }

describe('a stage that refuses a request', () => {
  it('is not asked about the handshake and pings', () => {
    const { rig, answered } = open(20)
    rig.link.request(0, 'initialize', initializeParams())
    rig.link.notify('notifications/initialized')
    rig.link.request(1, 'ping')
    rig.link.request(2, 'tools/list')
    const [welcome, alive, refused] = rig.link.take()
    expect([welcome, alive]).toMatchObject([
      { id: 0, result: {} },
      { id: 1, result: {} },
    ])
    expect(refused).toMatchObject({
      id: 2,
      error: { code: -32603, message: 'Slow down', data: { retryAfterMs: 20, 'parley/kind': 'rate_limited' } },
    })
    expect(answered).toEqual([])
  })

  it('is not asked about discovery', () => {
    const { rig } = open()
    rig.link.request(1, 'server/discover', { _meta: envelope })
    rig.link.request(2, 'tools/list', { _meta: envelope })
    expect(rig.link.take()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32603 } },
    ])
  })

  it.each([
    ['the time it says, in whole seconds and never too early', 1200, { status: 429, retryAfter: 2 }],
    ['a second at least', 0, { status: 429, retryAfter: 1 }],
    ['no time where it says none', undefined, { status: 429 }],
    ['no time that is none', -5, { status: 429 }],
    ['no time that is a text', '5', { status: 429 }],
    ['no time that nobody would wait for', Number.MAX_SAFE_INTEGER, { status: 429 }],
  ])('goes with the status 429 and %s', (_, retryAfterMs, told) => {
    const { rig, sent } = open(retryAfterMs)
    rig.link.request(1, 'tools/list', { _meta: envelope })
    expect(sent).toEqual([{ relatedTo: 1, final: true, ...told }])
  })
})
