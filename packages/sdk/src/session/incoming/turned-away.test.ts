/** Requests that are refused before anything is made of them, because whoever makes them makes too many (G, E1). */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../errors/index.ts'
import type { FrameOrigin, SendOptions } from '../../jsonrpc/index.ts'
import { META } from '../../versions/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { initializeParams, makeRig, type Rig } from '../session.fixtures.ts'

const hasty = (retryAfterMs?: unknown): ParleyError =>
  new ParleyError('rate_limited', { message: 'Slow down', data: { retryAfterMs } })

interface Seen {
  readonly rig: Rig
  /** What was answered, prepared and asked about. */
  readonly answered: string[]
  readonly prepared: string[]
  readonly asked: [string, FrameOrigin | undefined][]
  readonly sent: (SendOptions | undefined)[]
}

function open(refusal: () => ParleyError | undefined): Seen {
  const [answered, prepared, asked, sent]: [string[], string[], Seen['asked'], Seen['sent']] = [[], [], [], []]
  const endpoint: Endpoint = {
    introduce: () => ({ info: { name: 's', version: '1' }, capabilities: { tools: {} } }),
    prepare: (_peer, _declared, method) => {
      prepared.push(method)
      return undefined
    },
    answer: ({ method }) => {
      answered.push(method)
      return { tools: [] }
    },
    turnsAway: (method, origin) => {
      asked.push([method, origin])
      return refusal()
    },
  }
  const rig = makeRig('server', { endpoint })
  const send = rig.link.send.bind(rig.link)
  rig.link.send = (frame: string, options?: SendOptions) => {
    sent.push(options)
    send(frame)
  }
  return { rig, answered, prepared, asked, sent }
}

const envelope = { [META.version]: '2026-07-28', [META.clientCapabilities]: {} }

describe('Endpoint.turnsAway', () => {
  it('is the answer to a request of the handshake era, and nothing else is made of it', () => {
    const { rig, answered, asked } = open(() => hasty(20))
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
    expect(asked).toEqual([['tools/list', undefined]])
  })

  it('is asked about each request of the stateless era but discovery, with what the transport knows', () => {
    const { rig, answered, prepared, asked } = open(() => hasty())
    const origin: FrameOrigin = { key: 7, address: '192.0.2.1' }
    const ask = (id: number, method: string): void =>
      rig.link.deliver({ jsonrpc: '2.0', id, method, params: { _meta: envelope } }, origin)
    ask(1, 'server/discover')
    ask(2, 'tools/list')
    expect(rig.link.take()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: { code: -32603 } },
    ])
    expect(asked).toEqual([['tools/list', origin]])
    expect(answered).toEqual([])
    expect(prepared).toEqual(['server/discover'])
  })

  it.each([
    ['the time it says, in whole seconds and never too early', 1200, { status: 429, retryAfter: 2 }],
    ['a second at least', 0, { status: 429, retryAfter: 1 }],
    ['no time where it says none', undefined, { status: 429 }],
    ['no time that is none', -5, { status: 429 }],
    ['no time that is a text', '5', { status: 429 }],
    ['no time that nobody would wait for', Number.MAX_SAFE_INTEGER, { status: 429 }],
  ])('goes with the status 429 and %s', (_, retryAfterMs, told) => {
    const { rig, sent } = open(() => hasty(retryAfterMs))
    rig.link.request(1, 'tools/list', { _meta: envelope })
    expect(sent).toEqual([{ relatedTo: 1, final: true, ...told }])
  })

  it('lets through whom it has nothing against', () => {
    const { rig, answered } = open(() => undefined)
    rig.link.request(1, 'tools/list', { _meta: envelope })
    expect(answered).toEqual(['tools/list'])
  })
})
