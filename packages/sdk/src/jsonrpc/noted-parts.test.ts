import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from './message.ts'
import { noteParts } from './noted-parts.ts'
import { resultText } from './serialise.ts'

function read(json: string): Body {
  const result = JSON.parse(json) as Body
  noteParts(result, json)
  return result
}

/** The result in an answer with that id. */
function written(result: Body): string {
  return resultText(1, result).slice('{"jsonrpc":"2.0","id":1,"result":'.length, -1)
}

const LONG = '"structuredContent":{"order":12345678901234567890,"sum":1.10}'

describe('X1 parts of a result that nobody touches', () => {
  it('keep their digits beside what is added and what is left out', () => {
    const { gone, ...rest } = read(`{"content":[],"gone":{},${LONG}}`)
    expect(gone).toEqual({})
    expect(written({ resultType: 'complete', ...rest, isError: undefined })).toBe(`{"resultType":"complete","content":[],${LONG}}`)
  })

  it('are written as they are now when they are others', () => {
    const result = read(`{"content":[1],${LONG}}`)
    expect(written({ ...result, structuredContent: { ...(result['structuredContent'] as Body), sum: 2 } })).toBe(
      `{"content":[1],"structuredContent":{"order":12345678901234567000,"sum":2}}`,
    )
  })

  it('are found wherever they are put, by whatever name', () => {
    const { structuredContent } = read(`{${LONG}}`)
    expect(written({ 'a "name"': structuredContent })).toBe(`{"a \\"name\\"":${LONG.slice(LONG.indexOf('{'))}}`)
  })

  it.each([
    ['short ones without long numbers', '{"content":[{"f":1.10}]}'],
    ['a member that is there twice', `{${LONG},"structuredContent":{"f":1.10}}`],
    ['several lines', `{"a":{"f":1.10},\n${LONG}}`],
  ])('are not noted for %s, which are written as ever', (_, json) => {
    const result = read(json)
    expect(written(result)).toBe(JSON.stringify(JSON.parse(json)))
  })

  it('property: whatever a result is made of, what is written reads the same', () => {
    const members = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
    fc.assert(
      fc.property(members, fc.nat({ max: 2000 }), (made, length) => {
        const given = { ...(JSON.parse(JSON.stringify(made)) as Body), text: ['x'.repeat(length)] }
        const result = read(JSON.stringify(given))
        expect(JSON.parse(written({ first: 1, ...result }))).toEqual({ first: 1, ...result })
      }),
    )
  })
})
