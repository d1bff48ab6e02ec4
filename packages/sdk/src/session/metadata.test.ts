import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Body, noteText, resultText, Serialised } from '../jsonrpc/index.ts'
import { membersText, objectText, valueText } from '../jsonrpc/long-numbers.fixtures.ts'
import { Framing } from './eras/stateless/framing.ts'
import { withMetadata } from './metadata.ts'

function read(json: string): Body {
  const result = JSON.parse(json) as Body
  noteText(json, result, result)
  return result
}

function written(result: Body | Serialised): string {
  return resultText(1, result).slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)
}

describe('X1 what is added to the metadata of a result', () => {
  it('stands beside what was there, or in its place', () => {
    expect(withMetadata({ content: [] }, { a: 1 })).toEqual({ content: [], _meta: { a: 1 } })
    expect(withMetadata({ _meta: { a: 1, b: 2 }, content: [] }, { a: 3 })).toEqual({
      _meta: { a: 3, b: 2 },
      content: [],
    })
    expect(withMetadata({ _meta: 'none' }, { a: 1 })).toEqual({ _meta: { a: 1 } })
    expect(withMetadata(undefined, { a: 1 })).toEqual({ _meta: { a: 1 } })
  })

  it('changes nothing that came', () => {
    const result = { _meta: { a: 1 } }
    withMetadata(result, { b: 2 })
    expect(result).toEqual({ _meta: { a: 1 } })
  })

  it('stays text where there was text, and what was kept is kept', () => {
    const made = withMetadata(new Serialised('{"n":1.10,"_meta":{"a":12345678901234567890}}', { kept: false }), {
      b: 2,
    })
    expect([made.json, made.kept]).toEqual(['{"n":1.10,"_meta":{"a":12345678901234567890,"b":2}}', false])
    expect(withMetadata(new Serialised('{}'), { b: 2 })).toMatchObject({ json: '{"_meta":{"b":2}}', kept: true })
  })

  it('property: leaves every digit of it, and of what is beside it', () => {
    fc.assert(
      fc.property(membersText, membersText, valueText, (metadata, others, value) => {
        const whole = (added: object): string =>
          objectText({ ...others, value, _meta: objectText({ ...metadata, ...added }) })
        const added = { 'io.example/added': '{"by":1}' }
        expect(written(withMetadata(read(whole({})), { 'io.example/added': { by: 1 } }))).toBe(whole(added))
        expect(written(withMetadata(new Serialised(whole({})), { 'io.example/added': { by: 1 } }))).toBe(whole(added))
      }),
    )
  })

  it('property: so does the envelope of the stateless era, for every kind of result', () => {
    const framing = new Framing({ name: 'server', version: '1' })
    const serverInfo = { 'io.modelcontextprotocol/serverInfo': '{"name":"server","version":"1"}' }
    fc.assert(
      fc.property(
        membersText,
        membersText,
        fc.constantFrom('tools/call', 'resources/read'),
        (metadata, others, method) => {
          const hints: Record<string, string> = method === 'tools/call' ? {} : { ttlMs: '0', cacheScope: '"private"' }
          const text = framing.resultText(1, method, read(objectText({ ...others, _meta: objectText(metadata) })))
          const expected = objectText({
            resultType: '"complete"',
            ...others,
            _meta: objectText({ ...metadata, ...serverInfo }),
            ...hints,
          })
          expect(text).toBe(`{"jsonrpc":"2.0","id":1,"result":${expected}}`)
        },
      ),
    )
  })
})
