import { describe, expect, it } from 'vitest'
import { type Capabilities, type MethodInfo, maySend, type Side, splitPath } from '../protocol/index.ts'
import { methodIn, methodsOf, type ProtocolVersion, versions } from '../versions/index.ts'
import { breach, isAllowed } from './guard.ts'
import { routesFor } from './routes.ts'

const sides: readonly Side[] = ['client', 'server']
const allNames = [...new Set(versions.flatMap((version) => methodsOf(version).map(({ name }) => name)))]

/** `resources.subscribe` → { resources: { subscribe: true } } */
function holding(key: string): Capabilities {
  return key.split('.').reduceRight<unknown>((inner, part) => ({ [part]: inner }), {}) as Capabilities
}

function checkOne(version: ProtocolVersion, name: string, sender: Side): void {
  const info: MethodInfo | undefined = methodIn(version, name)
  const check = (client: Capabilities, server: Capabilities) => {
    const error = breach(version, name, info, sender, { client, server })
    expect(isAllowed(name, info, sender, { client, server })).toBe(error === undefined)
    return error
  }
  if (info === undefined)
    return expect(check({}, {})).toMatchObject({ kind: 'method_not_found', message: expect.stringContaining(version) })
  if (!maySend(info, sender))
    return expect(check({}, {})).toMatchObject({ kind: 'method_not_found', message: expect.stringContaining(sender) })
  const path = info.needs?.[sender]
  if (path === undefined) return expect(check({}, {})).toBeUndefined()
  const { side, key } = splitPath(path)
  const missing = check({}, {})
  expect(missing).toMatchObject({
    kind: 'capability_not_supported',
    code: -32601,
    data: { method: name, capability: key, side },
  })
  expect(missing?.message).toContain(`"${key}"`)
  expect(check(side === 'client' ? holding(key) : {}, side === 'server' ? holding(key) : {})).toBeUndefined()
  // Declared by the wrong side: still missing.
  expect(check(side === 'server' ? holding(key) : {}, side === 'client' ? holding(key) : {})?.kind).toBe(
    'capability_not_supported',
  )
}

describe('C3 guard: every method × version × sender × capability', () => {
  for (const version of versions) {
    for (const name of allNames) {
      for (const sender of sides) {
        it(`${version} ${name} from ${sender}`, () => checkOne(version, name, sender))
      }
    }
  }

  it('methods no version knows are left to the endpoint', () => {
    for (const version of versions)
      expect(breach(version, 'vendor/extension', undefined, 'client', { client: {}, server: {} })).toBeUndefined()
  })

  it('a capability that is false or null counts as not declared', () => {
    const info = methodIn('2025-11-25', 'resources/subscribe')
    for (const subscribe of [false, null, undefined]) {
      expect(
        breach('2025-11-25', 'resources/subscribe', info, 'client', {
          client: {},
          server: { resources: { subscribe } },
        })?.kind,
      ).toBe('capability_not_supported')
    }
  })
})

describe('routes of methods', () => {
  it.each(versions)('%s: every method that some version has is compiled once, others are not remembered', (version) => {
    const routes = routesFor(version, 'lenient')
    for (const name of allNames) expect(routes(name)).toBe(routes(name))
    expect(routes('vendor/extension')).not.toBe(routes('vendor/extension'))
  })
})
