import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import {
  eraOf,
  handshakeVersions,
  isAtLeast,
  isVersion,
  isVersionString,
  negotiate,
  newestHandshakeVersion,
  newestVersion,
  oldestVersion,
  type ProtocolVersion,
  unsupportedVersion,
  versions,
} from '../versions/index.ts'

const someVersions = fc.subarray([...versions]).chain((list) => fc.shuffledSubarray(list, { minLength: list.length }))
const dateString = fc
  .tuple(fc.integer({ min: 0, max: 9999 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 31 }))
  .map(
    ([year, month, day]) =>
      `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`,
  )
const anyRequested = fc.oneof(fc.constantFrom(...versions), dateString, fc.string(), fc.anything())

function attempt(requested: unknown, supported: readonly ProtocolVersion[]): ProtocolVersion | ParleyError {
  try {
    return negotiate(requested, supported)
  } catch (error) {
    return error as ParleyError
  }
}

describe('V1 the versions there are', () => {
  it('are five, oldest first', () => {
    expect(versions).toEqual(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'])
    expect([oldestVersion, newestHandshakeVersion, newestVersion]).toEqual(['2024-11-05', '2025-11-25', '2026-07-28'])
  })

  it('belong to two eras', () => {
    expect(versions.map(eraOf)).toEqual(['handshake', 'handshake', 'handshake', 'handshake', 'stateless'])
    expect(handshakeVersions).toEqual(versions.slice(0, 4))
  })

  it('are ordered as the list is', () => {
    for (const [at, version] of versions.entries())
      for (const [other, than] of versions.entries()) expect(isAtLeast(version, than)).toBe(at >= other)
  })

  it('are recognised, and nothing else is', () => {
    expect(versions.every(isVersion)).toBe(true)
    expect(versions.every(isVersionString)).toBe(true)
    fc.assert(
      fc.property(fc.anything(), (value) => isVersion(value) === (versions as readonly unknown[]).includes(value)),
    )
  })
})

describe('V3 what a version string looks like', () => {
  it('any date', () => {
    fc.assert(fc.property(dateString, (text) => isVersionString(text)))
  })

  it.each([
    '',
    '2025',
    '2025-6-18',
    '2025-13-01',
    '2025-00-10',
    '2025-01-32',
    '2025-01-00',
    '2025-06-18 ',
    ' 2025-06-18',
    '2025-06-18\n',
    '2025-06-18T00:00:00Z',
    'v2025-06-18',
    '２０２５-06-18',
    '2025/06/18',
    'latest',
    'DRAFT-2026-v1',
    null,
    undefined,
    20250618,
    ['2025-06-18'],
    { toString: () => '2025-06-18' },
  ])('not %j', (value) => {
    expect(isVersionString(value)).toBe(false)
  })
})

describe('V3 negotiate', () => {
  it('every pair of versions', () => {
    for (const version of handshakeVersions) expect(negotiate(version)).toBe(version)
    expect(negotiate('2026-07-28')).toBe('2025-11-25')
    expect(negotiate('2024-10-07')).toBe('2025-11-25')
    expect(negotiate('2099-01-01', ['2025-03-26', '2024-11-05'])).toBe('2025-03-26')
    expect(negotiate('2025-06-18', ['2024-11-05', '2026-07-28'])).toBe('2024-11-05')
  })

  it('any requested value, any supported versions in any order', () => {
    fc.assert(
      fc.property(anyRequested, someVersions, (requested, supported) => {
        const offered = handshakeVersions.filter((version) => supported.includes(version))
        const outcome = attempt(requested, supported)
        if (offered.length === 0 || !isVersionString(requested)) {
          expect(outcome).toBeInstanceOf(ParleyError)
          expect(outcome).toMatchObject({ kind: 'unsupported_protocol_version', data: { supported } })
          expect(() => JSON.stringify((outcome as ParleyError).toWire())).not.toThrow()
        } else {
          expect(outcome).toBe(
            offered.some((version) => version === requested) ? requested : offered[offered.length - 1],
          )
        }
      }),
      { numRuns: 500 },
    )
  })

  it('the same answer twice: what was negotiated can be asked for', () => {
    fc.assert(
      fc.property(anyRequested, someVersions, (requested, supported) => {
        const first = attempt(requested, supported)
        if (!(first instanceof ParleyError)) expect(attempt(first, supported)).toBe(first)
      }),
    )
  })
})

describe('V3 X5 the refusal', () => {
  it('names both sides and has the code of the version', () => {
    const error = unsupportedVersion('1.0', ['2024-11-05', '2025-03-26'])
    expect(error.message).toBe('Unsupported protocol version: "1.0"; supported: 2024-11-05, 2025-03-26')
    expect(error.toWire('2025-11-25')).toMatchObject({
      code: -32602,
      data: { requested: '1.0', supported: ['2024-11-05', '2025-03-26'] },
    })
    expect(error.toWire('2026-07-28').code).toBe(-32022)
  })

  it('stays short and printable whatever was asked for', () => {
    expect(unsupportedVersion('x'.repeat(1_000_000), []).message.length).toBeLessThan(200)
    expect(unsupportedVersion('"\n\u0000', []).message).toBe(
      'Unsupported protocol version: "\\"\\n\\u0000"; supported: none',
    )
    expect(unsupportedVersion({ secret: 1 }, []).data).toEqual({ requested: 'object', supported: [] })
  })

  it('does not hand out the list it was given', () => {
    const supported: ProtocolVersion[] = ['2024-11-05']
    const { data } = unsupportedVersion('x', supported)
    supported.push('2025-03-26')
    expect(data?.['supported']).toEqual(['2024-11-05'])
  })
})
