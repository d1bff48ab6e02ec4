/** Requests that do not say their version: what they are told. */
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../../../errors/index.ts'
import { readEnvelope } from './envelope.ts'

const INITIALIZE = { jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25' } } as const

describe('D-67 a handshake with a server that has none', () => {
  it('is told the versions there are, whatever it asked for', () => {
    for (const protocolVersion of ['2025-11-25', '2026-07-28', 7, undefined]) {
      const refused = readEnvelope({ ...INITIALIZE, params: { protocolVersion } }, undefined, [
        '2026-07-28',
      ]) as ParleyError
      expect(refused).toBeInstanceOf(ParleyError)
      expect(refused.toWire('2026-07-28')).toMatchObject({
        code: -32022,
        message: expect.stringMatching(/no handshake; supported: 2026-07-28/),
        data: { requested: expect.any(String), supported: ['2026-07-28'] },
      })
    }
  })

  it('D-01 where there are handshakes too, lacks what it must say without one', () => {
    expect(readEnvelope(INITIALIZE, undefined, ['2025-11-25', '2026-07-28'])).toMatchObject({
      kind: 'request_metadata_missing',
    })
    expect(readEnvelope({ ...INITIALIZE, method: 'tools/list' }, undefined, ['2026-07-28'])).toMatchObject({
      kind: 'request_metadata_missing',
    })
  })
})

describe('D-01 an envelope of a version that has none', () => {
  it('is told that this version begins with a handshake', () => {
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2025-11-25',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const refused = readEnvelope({ ...INITIALIZE, method: 'tools/list', params: { _meta } }, undefined, [
      '2025-11-25',
      '2026-07-28',
    ]) as ParleyError
    expect(refused.toWire('2026-07-28')).toMatchObject({
      code: -32022,
      message: expect.stringContaining('begins with initialize'),
    })
    expect(refused.data).toMatchObject({ requested: '2025-11-25', supported: ['2026-07-28', '2025-11-25'] })
  })
})
