import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { exactWriter, noteExact } from './exact-text.ts'
import type { Body } from './message.ts'
import { mayHoldProto } from './result-text.ts'

function read(frame: string): Body {
  const { params } = JSON.parse(frame) as { params: Body }
  noteExact(frame, params)
  return params
}

describe('X1 numbers keep their digits when they are handed on', () => {
  it('in what is the same, beside what is not', () => {
    const params = read(
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{"order":12345678901234567890,"f":1.10},"_meta":{"progressToken":1}}}',
    )
    const written = exactWriter(params)?.({ ...params, name: 'b', _meta: { progressToken: 7 } })
    expect(written).toBe('{"name":"b","arguments":{"order":12345678901234567890,"f":1.10},"_meta":{"progressToken":7}}')
  })

  it.each([
    ['short ones', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":123}}'],
    ['several lines', '{"jsonrpc":"2.0","id":1,"method":"m",\n"params":{"a":12345678901234567890}}'],
    [
      'what reading removes',
      '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":12345678901234567890,"__proto__":{}}}',
    ],
    ['a member that is there twice', '{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":12345678901234567890,"a":1}}'],
  ])('not for %s, which are written as ever', (_, frame) => {
    expect(exactWriter(read(frame))).toBeUndefined()
  })

  it('property: whatever the parameters are, what is written reads the same', () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(members, fc.bigInt({ min: 10n ** 16n, max: 10n ** 30n }), (made, big) => {
        const given = JSON.parse(JSON.stringify(made)) as Body
        const text = `{${[...Object.entries(given).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)} `), `"big \\" {[" :${big}`].join(', ')}}`
        fc.pre(!mayHoldProto(text))
        const params = read(`{"jsonrpc":"2.0","id":1,"method":"m","params":${text}}`)
        const written = exactWriter(params)?.(params)
        expect(JSON.parse(written ?? '')).toEqual(params)
        expect(written).toContain(String(big))
      }),
    )
  })
})
