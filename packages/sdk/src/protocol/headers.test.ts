import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHeader, encodeHeader, namedBy } from './headers.ts'

const anyText = fc.string({ unit: 'binary' })

describe('D-60 a value becomes the text of a header', () => {
  it.each([
    ['us-west1', 'us-west1'],
    ['', ''],
    ['two words', 'two words'],
    ['file:///a/b.json?x=1', 'file:///a/b.json?x=1'],
    ['=?base64?', '=?base64?'],
    ['=?BASE64?QQ==?=', '=?BASE64?QQ==?='],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['=?base64?=', '=?base64?PT9iYXNlNjQ/PQ==?='],
    ['a\tb', '=?base64?YQli?='],
    ['\u007f', '=?base64?fw==?='],
    ['\ufeffa', '=?base64?77u/YQ==?='],
  ])('%j', (value, text) => {
    expect(encodeHeader(value)).toBe(text)
    expect(decodeHeader(text)).toBe(value)
  })

  it('holds values of any length', () => {
    const long = 'ö'.repeat(100_000)
    expect(decodeHeader(encodeHeader(long))).toBe(long)
  })

  it('survives the way there and back, and needs only what every HTTP implementation keeps', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.string(),
          fc.string().map((inner) => `=?base64?${inner}?=`),
        ),
        (value) => {
          const text = encodeHeader(value)
          expect(decodeHeader(text)).toBe(value)
          expect(text).toMatch(/^[\x20-\x7e]*$/)
          expect(text.trim()).toBe(text)
          expect(new Headers({ x: text }).get('x')).toBe(text)
        },
      ),
    )
  })

  it('writes half a surrogate pair as the replacement character', () => {
    expect(decodeHeader(encodeHeader('a\ud800b'))).toBe('a\ufffdb')
  })
})

describe('D-60 the text of a header becomes a value', () => {
  it.each([
    ['no padding', '=?base64?SGVsbG8?='],
    ['too much padding', '=?base64?QUJD====?='],
    ['a sign outside the alphabet', '=?base64?SGVs!bG8=?='],
    ['the alphabet of URLs', '=?base64?-_-_?='],
    ['a blank inside', '=?base64?SGVs bG8=?='],
    ['bits that mean nothing', '=?base64?QR==?='],
    ['bytes that are no UTF-8', '=?base64?/w==?='],
    ['a surrogate written as UTF-8', '=?base64?7aCA?='],
    ['a wrapper inside a wrapper', '=?base64?=?base64?QQ==?=?='],
  ])('refuses %s', (_, text) => {
    expect(decodeHeader(text)).toBeUndefined()
  })

  it.each(['=?base64?QQ==', 'QQ==?=', '=?Base64?QQ==?=', ' =?base64?QQ==?=', '=?base64?=', '=?', ''])(
    'takes %j as it is',
    (text) => {
      expect(decodeHeader(text)).toBe(text)
    },
  )

  it('reads the empty wrapper as the empty value', () => {
    expect(decodeHeader('=?base64??=')).toBe('')
  })

  it('has one Base64 spelling per value', () => {
    fc.assert(
      fc.property(fc.oneof(fc.base64String(), fc.string({ maxLength: 8 })), (inner) => {
        const value = decodeHeader(`=?base64?${inner}?=`)
        fc.pre(value !== undefined)
        expect(btoa(String.fromCharCode(...new TextEncoder().encode(value)))).toBe(inner)
      }),
    )
  })
})

describe('D-60 Mcp-Name repeats', () => {
  it.each([
    ['tools/call', 'name'],
    ['prompts/get', 'name'],
    ['resources/read', 'uri'],
    ['tasks/get', 'taskId'],
    ['tasks/update', 'taskId'],
    ['tasks/cancel', 'taskId'],
    ['tools/list', undefined],
    ['constructor', undefined],
  ])('%s: %s', (method, field) => {
    expect(namedBy(method)).toBe(field)
  })
})
