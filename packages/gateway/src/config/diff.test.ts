/** A reload touches what changed and nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffConfig, type GatewayConfig, parseConfig } from './index.ts'

function config(servers: Readonly<Record<string, unknown>>, gateway: object = {}): GatewayConfig {
  return parseConfig(JSON.stringify({ mcpServers: servers, gateway }), { file: 'parley.json', env: {} }).config
}

describe('diffConfig', () => {
  it('G: hot reload knows servers by name', () => {
    const before = config({
      same: { command: 'a', env: { A: '1', B: '2' } },
      other: { command: 'b' },
      gone: { command: 'c' },
      off: { command: 'd' },
    })
    const after = config(
      {
        fresh: { command: 'e' },
        other: { command: 'b', args: ['-v'] },
        same: { env: { B: '2', A: '1' }, command: 'a', timeout: '10m' },
        off: { command: 'd', disabled: true },
      },
      { port: 1, allowedHosts: ['a.example'] },
    )
    expect(diffConfig(before, after)).toEqual({
      added: ['fresh'],
      removed: ['gone', 'off'],
      changed: ['other'],
      kept: ['same'],
      relimited: [],
      reordered: true,
      gatewayChanged: ['port', 'allowedHosts'],
    })
  })

  it('G: a server with another rate limit is the same server', () => {
    const limited = (requests: number, more: object = {}): GatewayConfig =>
      config({ a: { command: 'a', rateLimit: { requests }, ...more }, b: { command: 'b' } })
    expect(diffConfig(limited(1), limited(2))).toMatchObject({ changed: [], kept: ['a', 'b'], relimited: ['a'] })
    expect(
      diffConfig(config({ a: { command: 'a' } }), config({ a: { command: 'a', rateLimit: { requests: 1 } } })),
    ).toMatchObject({ relimited: ['a'] })
    expect(diffConfig(limited(1), limited(2, { lazy: true }))).toMatchObject({
      changed: ['a'],
      kept: ['b'],
      relimited: [],
    })
  })

  it('every name of either side is in exactly one list, and nothing differs from itself', () => {
    const side = fc
      .dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.record({ command: fc.constantFrom('x', 'y') }))
      .map((servers) => config(servers))
    fc.assert(
      fc.property(side, side, (before, after) => {
        const { added, removed, changed, kept } = diffConfig(before, after)
        expect([...added, ...removed, ...changed, ...kept].sort()).toEqual(
          [...new Set([...before.servers.keys(), ...after.servers.keys()])].sort(),
        )
        expect(diffConfig(before, before)).toEqual({
          added: [],
          removed: [],
          changed: [],
          kept: [...before.servers.keys()],
          relimited: [],
          reordered: false,
          gatewayChanged: [],
        })
        expect([...diffConfig(after, before).added].sort()).toEqual([...removed].sort())
      }),
      { numRuns: 50 },
    )
  })
})
