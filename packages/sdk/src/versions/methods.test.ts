import { describe, expect, it } from 'vitest'
import type { MethodInfo } from '../protocol/index.ts'
import { capabilitiesOf, features, methodIn, methodsOf, sendable, supports } from './methods.ts'
import { versions } from './version.ts'

/**
 * C: clients send it, S: servers, B: both, in: inside a result only, x: absent. One column per version, oldest first.
 */
const requests = {
  initialize: 'C C C C x',
  'server/discover': 'x x x x C',
  ping: 'B B B B x',
  'tools/list': 'C C C C C',
  'tools/call': 'C C C C C',
  'prompts/list': 'C C C C C',
  'prompts/get': 'C C C C C',
  'resources/list': 'C C C C C',
  'resources/templates/list': 'C C C C C',
  'resources/read': 'C C C C C',
  'resources/subscribe': 'C C C C x',
  'resources/unsubscribe': 'C C C C x',
  'subscriptions/listen': 'x x x x C',
  'completion/complete': 'C C C C C',
  'logging/setLevel': 'C C C C x',
  'sampling/createMessage': 'S S S S in',
  'roots/list': 'S S S S in',
  'elicitation/create': 'x x S S in',
  'tasks/get': 'x x x B x',
  'tasks/result': 'x x x B x',
  'tasks/list': 'x x x B x',
  'tasks/cancel': 'x x x B x',
}

const notifications = {
  'notifications/initialized': 'C C C C x',
  'notifications/cancelled': 'B B B B B',
  'notifications/progress': 'B B B B S',
  'notifications/message': 'S S S S S',
  'notifications/tools/list_changed': 'S S S S S',
  'notifications/prompts/list_changed': 'S S S S S',
  'notifications/resources/list_changed': 'S S S S S',
  'notifications/resources/updated': 'S S S S S',
  'notifications/roots/list_changed': 'C C C C x',
  'notifications/elicitation/complete': 'x x x S x',
  'notifications/tasks/status': 'x x x B x',
  'notifications/subscriptions/acknowledged': 'x x x x S',
}

const letters = { client: 'C', server: 'S', both: 'B', embedded: 'in' }
const letter = (method: MethodInfo | undefined): string => (method === undefined ? 'x' : letters[method.from])
const row = (name: string): string => versions.map((version) => letter(methodIn(version, name))).join(' ')

describe('V1 methods by version and direction', () => {
  it.each(Object.entries({ ...requests, ...notifications }))('%s is %s', (name, expected) => {
    expect(row(name)).toBe(expected)
  })

  it.each(versions)('%s has no other methods', (version) => {
    const known = Object.keys({ ...requests, ...notifications })
    expect(methodsOf(version).filter((method) => !known.includes(method.name))).toEqual([])
  })

  it.each(versions)('%s tells requests from notifications', (version) => {
    for (const method of methodsOf(version))
      expect(method.kind).toBe(method.name in requests ? 'request' : 'notification')
  })

  it.each(versions)('what either side of %s may send follows from it', (version) => {
    for (const side of ['client', 'server'] as const) {
      const expected = methodsOf(version).filter((method) => [letters[side], 'B'].includes(letter(method)))
      expect(sendable(version, side)).toEqual(expected)
    }
  })
})

describe('C1 capabilities by version', () => {
  const added = {
    '2024-11-05': ['server.tools', 'server.resources', 'server.prompts', 'server.logging', 'server.experimental'],
    '2025-03-26': ['server.completions'],
    '2025-06-18': ['client.elicitation'],
    '2025-11-25': ['server.tasks', 'client.tasks'],
  }

  it('each appears in its version and stays until the stateless era', () => {
    for (const [since, paths] of Object.entries(added)) {
      for (const path of paths) {
        const has = versions.filter((version) => capabilitiesOf(version).some((capability) => capability.path === path))
        expect(has.filter((version) => version < '2026-07-28')).toEqual(
          versions.filter((version) => version >= since && version < '2026-07-28'),
        )
      }
    }
  })

  it('a method needs what its receiver declares, or the sender for its own notices', () => {
    expect(methodIn('2024-11-05', 'completion/complete')?.needs).toBeUndefined()
    expect(methodIn('2025-03-26', 'completion/complete')?.needs).toEqual({ client: 'server.completions' })
    expect(methodIn('2025-06-18', 'elicitation/create')?.needs).toEqual({ server: 'client.elicitation' })
    expect(methodIn('2025-11-25', 'tasks/list')?.needs).toEqual({
      client: 'server.tasks.list',
      server: 'client.tasks.list',
    })
    expect(methodIn('2025-11-25', 'notifications/tasks/status')?.needs).toEqual({
      client: 'client.tasks',
      server: 'server.tasks',
    })
  })

  it('every need is a capability of the version', () => {
    for (const version of versions) {
      const paths = capabilitiesOf(version).map((capability) => capability.path)
      for (const need of methodsOf(version).flatMap((method) => Object.values(method.needs ?? {}))) {
        expect(paths, `${version} ${need}`).toContain(need.split('.').slice(0, 2).join('.'))
      }
    }
  })

  it('later versions know more flags', () => {
    const flags = (version: (typeof versions)[number], path: string) =>
      capabilitiesOf(version).find((capability) => capability.path === path)?.flags
    expect(flags('2025-06-18', 'client.sampling')).toBeUndefined()
    expect(flags('2025-11-25', 'client.sampling')).toEqual(['context', 'tools'])
    expect(flags('2025-11-25', 'client.elicitation')).toEqual(['form', 'url'])
  })
})

describe('V1 features by version', () => {
  it('are asked for by name', () => {
    expect(versions.filter((version) => supports(version, 'batch'))).toEqual(['2025-03-26'])
    expect(versions.filter((version) => supports(version, 'handshake'))).toEqual([
      '2024-11-05',
      '2025-03-26',
      '2025-06-18',
      '2025-11-25',
    ])
    expect(versions.filter((version) => supports(version, 'flying'))).toEqual([])
  })

  it('are listed', () => {
    for (const version of versions)
      for (const feature of features(version)) expect(supports(version, feature)).toBe(true)
    expect(features('2025-06-18')).toContain('elicitation')
  })
})
