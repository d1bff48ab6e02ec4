/** The generators themselves: what they make is valid, and they make every part of every method there is. */
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/jsonrpc/index.ts'
import { methodsOf, type ProtocolVersion, versions } from '../../src/versions/index.ts'
import { entries, hold, runs, seed } from './cases.ts'
import { judge, oracles } from './oracle.ts'
import { judgedAs } from './releases.ts'
import { definitionsOf, haveSchemas } from './schemas.ts'

console.info(`Laws of translation: ${oracles}; ${runs} cases for each pair, seed ${seed}`)

describe.each(versions)('V1 generated messages of %s', (version) => {
  it('are valid by every oracle there is', () => {
    const looked = hold(version, ({ method, part, body }) => {
      const complaint = judge(version, method, part, body)
      if (complaint !== undefined) expect.fail(complaint)
    })
    expect(looked).toBeGreaterThanOrEqual(runs)
  })
})

/** Methods the messages of a version name, read out of its official schema. */
function methodsInSchema(version: ProtocolVersion): string[] {
  const found = [...definitionsOf(version).values()].map((definition) => {
    const properties = isObject(definition) ? definition['properties'] : undefined
    const method = isObject(properties) ? properties['method'] : undefined
    return isObject(method) ? method['const'] : undefined
  })
  return [...new Set(found.filter((method) => typeof method === 'string'))].sort()
}

describe.each(versions)('V2 the methods of %s', (version) => {
  const generated = [...new Set(entries(version).map(({ method }) => method))].sort()

  it.skipIf(!haveSchemas || judgedAs(version) !== version)(
    'that are generated are those of the official schema',
    () => {
      expect(generated).toEqual(methodsInSchema(version))
    },
  )

  it('are all in the inventory derived from the steps', () => {
    const known = methodsOf(version).map(({ name }) => name)
    expect(known).toEqual(expect.arrayContaining(generated))
  })
})
