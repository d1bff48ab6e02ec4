/** Translating is total: whatever JSON stands where a message should be, there is an outcome and no exception. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/jsonrpc/index.ts'

import { isVerdict, type ProtocolVersion, versions } from '../../src/versions/index.ts'
import { type Case, deepFreeze, entries, runs, seed } from './cases.ts'
import { pairs, profiles, translate } from './translate.ts'

/** Any JSON, including the key that assigning to an object swallows. */
const anything: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 6, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
  {
    weight: 1,
    arbitrary: fc
      .jsonValue({ maxDepth: 1 })
      .map((value) => JSON.parse(`{"__proto__":${JSON.stringify(value)},"kept":1}`) as unknown),
  },
)

const anyEntry = (version: ProtocolVersion): fc.Arbitrary<Case> =>
  fc.oneof(...entries(version).map(({ arbitrary }) => arbitrary))

const replaced = (version: ProtocolVersion): fc.Arbitrary<Case> =>
  fc.tuple(anyEntry(version), anything).map(([message, body]) => deepFreeze({ ...message, body: body as Case['body'] }))

/** Valid but for one place. */
const damaged = (version: ProtocolVersion): fc.Arbitrary<Case> =>
  fc.tuple(anyEntry(version), fc.nat(), anything).map(([message, place, value]) => {
    const body: unknown = structuredClone(message.body)
    const places = placesIn(body)
    const put = places[place % Math.max(places.length, 1)]
    put?.(value)
    return deepFreeze({ ...message, body: body as Case['body'] })
  })

/** Valid, with the key that assigning swallows in one of its objects. */
const poisoned = (version: ProtocolVersion): fc.Arbitrary<Case> =>
  fc.tuple(anyEntry(version), fc.nat()).map(([message, place]) => {
    const body: unknown = structuredClone(message.body ?? {})
    const objects = objectsIn(body)
    define(objects[place % objects.length] as object, '__proto__', { polluted: true })
    return deepFreeze({ ...message, body: body as Case['body'] })
  })

function objectsIn(value: unknown): object[] {
  if (typeof value !== 'object' || value === null) return []
  return [...(isObject(value) ? [value] : []), ...Object.values(value).flatMap(objectsIn)]
}

function define(holder: object, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true })
}

function placesIn(value: unknown): ((replacement: unknown) => void)[] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((key) => [
    (replacement: unknown) => define(holder, key, replacement),
    ...placesIn(holder[key]),
  ])
}

/** Nobody may be given a prototype of the sender's choosing. */
function expectPlain(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  if (isObject(value) && Object.getPrototypeOf(value) !== Object.prototype)
    expect.fail(`${JSON.stringify(value)} has a foreign prototype`)
  for (const inner of Object.values(value)) expectPlain(inner)
}

function survives(message: Case): void {
  for (const { to } of pairs.filter(({ from }) => from === message.version)) {
    for (const profile of profiles) {
      for (const scope of ['message', 'body'] as const) {
        const { outcome } = translate(message, to, { profile, scope })
        if (!isVerdict(outcome)) expectPlain(outcome)
        else if (outcome.verdict === 'refuse' && outcome.error.message === '') expect.fail('refused without a word')
      }
    }
  }
}

describe.each(versions)('X5 anything from a peer of %s', (version) => {
  it.each([
    { what: 'any JSON instead of a body', arbitrary: replaced(version) },
    { what: 'any JSON somewhere in a valid body', arbitrary: damaged(version) },
    { what: 'a valid body with a field named __proto__', arbitrary: poisoned(version) },
  ])('$what: there is an outcome in every other version', ({ arbitrary }) => {
    fc.assert(fc.property(arbitrary, survives), { seed, numRuns: runs })
  })
})
