/** A reload touches what changed and nothing else. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffConfig, type GatewayConfig, parseConfig } from './index.ts'

function config(servers: Readonly<Record<string, unknown>>, gateway: object = {}): GatewayConfig {
  return parseConfig(JSON.stringify({ mcpServers: servers, gateway }), { file: 'parley.json', env: {} }).config
}

describe('diffConfig', () => {
  it('G: hot reload knows servers by name', () => {
    const before = config({ same: { command: 'a', env: { A: '1', B: '2' } }, other: { command: 'b' }, gone: { command: 'c' }, off: { command: 'd' } })
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
      reordered: true,
      gatewayChanged: ['port', 'allowedHosts'],
    })
  })

  it('every name of either side is in exactly one list, and nothing differs from itself', () => {
    const side = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.record({ command: fc.constantFrom('x', 'y') })).map((servers) => config(servers))
    fc.assert(
      fc.property(side, side, (before, after) => {
        const { added, removed, changed, kept } = diffConfig(before, after)
        expect([...added, ...removed, ...changed, ...kept].sort()).toEqual([...new Set([...before.servers.keys(), ...after.servers.keys()])].sort())
        expect(diffConfig(before, before)).toEqual({
          added: [],
          removed: [],
          changed: [],
          kept: [...before.servers.keys()],
          reordered: false,
          gatewayChanged: [],
        })
        expect([...diffConfig(after, before).added].sort()).toEqual([...removed].sort())
      }),
      { numRuns: 50 },
    )
  })
})
