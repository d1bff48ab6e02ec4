/** A server that offers more to clients of one kind than to others: what each was told holds for it (C2, C3). */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import type { Capabilities } from '../../protocol/index.ts'
import type { Endpoint, Introduction } from '../endpoint.ts'
import { initializeParams, makeRig, type Rig, type RigOptions } from '../session.fixtures.ts'

const NAMES = 'io.modelcontextprotocol/'
const FRIEND: Capabilities = { experimental: { friend: {} } }
const STRANGER: Capabilities = {}
const info = { name: 's', version: '1' }

/** How often somebody looked what it offers. */
class CountedIntroduction implements Introduction {
  readonly info = info
  readonly cacheScope = 'public'
  readonly ttlMs = 60_000
  looks = 0
  readonly #capabilities: Capabilities

  constructor(capabilities: Capabilities) {
    this.#capabilities = capabilities
  }

  get capabilities(): Capabilities {
    this.looks++
    return this.#capabilities
  }
}

function choosing(options: Partial<RigOptions> = {}, more: Partial<Endpoint> = {}) {
  const forAll = new CountedIntroduction({ tools: {} })
  const forFriends = new CountedIntroduction({ tools: {}, prompts: { listChanged: true }, logging: {} })
  const isFriend = (declared: Capabilities | undefined): boolean =>
    (declared?.['experimental'] as Body | undefined)?.['friend'] !== undefined
  const endpoint: Endpoint = {
    introduce: (declared) => (isFriend(declared) ? forFriends : forAll),
    answer: (inbound) => {
      inbound.notify('notifications/message', { level: 'info', data: 'said on the way' })
      return { prompts: [], tools: [] }
    },
    ...more,
  }
  return { ...makeRig('server', { endpoint, ...options }), forAll, forFriends }
}

function ask({ link }: Pick<Rig, 'link'>, method: string, capabilities: Capabilities): Body[] {
  const _meta = {
    [`${NAMES}protocolVersion`]: '2026-07-28',
    [`${NAMES}clientCapabilities`]: capabilities,
    [`${NAMES}logLevel`]: 'debug',
  }
  link.request(1, method, { _meta })
  return link.take()
}

const SAID = { method: 'notifications/message' }
const ANSWERED = { id: 1, result: { prompts: [] } }
const REFUSED = { id: 1, error: { code: -32601, message: expect.stringContaining('"prompts"') } }

describe('C3 requests that speak for themselves', () => {
  it('are allowed by what their own client was told, whoever else asks between', () => {
    const rig = choosing()
    for (let round = 0; round < 3; round++) {
      expect(ask(rig, 'server/discover', FRIEND)).toMatchObject([{ result: { capabilities: { prompts: {} } } }])
      expect(ask(rig, 'prompts/list', FRIEND)).toMatchObject([SAID, ANSWERED])
      expect(ask(rig, 'prompts/list', STRANGER)).toMatchObject([REFUSED])
      expect(ask(rig, 'server/discover', STRANGER)).toMatchObject([{ result: { capabilities: { tools: {} } } }])
    }
  })

  it('are followed by what was offered to their client, and by nothing else', () => {
    const rig = choosing()
    expect(ask(rig, 'tools/list', FRIEND)).toMatchObject([SAID, { result: { tools: [] } }])
    expect(ask(rig, 'tools/list', STRANGER)).toMatchObject([{ result: { tools: [] } }])
  })

  it('what is allowed is found out once for each kind of client', () => {
    const rig = choosing({}, { answer: () => ({ tools: [] }) })
    const round = (): void => {
      for (const capabilities of [FRIEND, STRANGER])
        for (const method of ['tools/list', 'server/discover']) ask(rig, method, capabilities)
    }
    round()
    const before = [rig.forAll.looks, rig.forFriends.looks]
    for (let times = 0; times < 5; times++) round()
    expect([rig.forAll.looks, rig.forFriends.looks]).toEqual(before)
  })
})

describe('D-16 what is said to one kind of client', () => {
  it('is for that one alone, and what is said to everybody for all', () => {
    const rig = choosing()
    for (const [capabilities, cacheScope] of [
      [STRANGER, 'public'] as const,
      [FRIEND, 'private'] as const,
      [STRANGER, 'public'] as const,
    ]) {
      expect(ask(rig, 'server/discover', capabilities)).toMatchObject([{ result: { cacheScope } }])
    }
  })

  it('is so as soon as everybody else is told otherwise', () => {
    const [old, fresh] = [1, 2].map((n) => ({
      info,
      capabilities: { tools: {} },
      instructions: String(n),
      cacheScope: 'public' as const,
    }))
    let forAll = old as Introduction
    const rig = choosing({}, { introduce: (declared) => (declared === undefined ? forAll : (old as Introduction)) })
    const told = (): unknown => ask(rig, 'server/discover', FRIEND)
    expect(told()).toMatchObject([{ result: { cacheScope: 'public', instructions: '1' } }])
    forAll = fresh as Introduction
    expect(told()).toMatchObject([{ result: { cacheScope: 'private', instructions: '1' } }])
  })
})

describe.each([
  ['that has nothing to prepare', {}],
  ['that prepares itself', { prepare: () => undefined }],
])('C2 a handshake with a server %s', (_, more: Partial<Endpoint>) => {
  it.each([
    ['2025-11-25', FRIEND, true],
    ['2024-11-05', FRIEND, true],
    ['2025-11-25', STRANGER, false],
  ] as const)('of %s by a client that declares %j tells what holds for it afterwards', (version, declared, isTold) => {
    const { link, session } = choosing({}, more)
    link.request('hello', 'initialize', initializeParams(version, declared))
    const [{ result }] = link.take()
    expect(Object.hasOwn(result.capabilities, 'prompts')).toBe(isTold)
    link.notify('notifications/initialized')
    link.request(1, 'prompts/list')
    expect(link.take()).toMatchObject(isTold ? [SAID, ANSWERED] : [REFUSED])
    expect(session.can('notifications/prompts/list_changed')).toBe(isTold)
  })
})
