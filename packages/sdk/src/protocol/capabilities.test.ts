import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { baseCapabilities, baseMethods, declares, maySend, notification, request, splitPath } from './index.ts'

describe('C1 declares', () => {
  it.each([
    [{ tools: {} }, 'tools', true],
    [{ tools: { listChanged: true } }, 'tools.listChanged', true],
    [{ tools: { listChanged: false } }, 'tools.listChanged', false],
    [{ tools: { listChanged: false } }, 'tools', true],
    [{ tools: {} }, 'tools.listChanged', false],
    [{ tools: null }, 'tools', false],
    [{ tools: undefined }, 'tools', false],
    [{ tools: false }, 'tools', false],
    [{ tools: true }, 'tools', true],
    [{ tools: true }, 'tools.listChanged', false],
    [{ tasks: { requests: { tools: { call: {} } } } }, 'tasks.requests.tools.call', true],
    [{ tasks: { requests: {} } }, 'tasks.requests.tools.call', false],
    [{ 'tools.listChanged': true }, 'tools.listChanged', false],
    [{}, 'tools', false],
    [{}, '', false],
    [undefined, 'tools', false],
  ])('%j holds %s: %s', (capabilities, path, expected) => {
    expect(declares(capabilities, path)).toBe(expected)
  })

  it.each([
    'constructor',
    '__proto__',
    'toString',
    'hasOwnProperty',
    'tools.constructor',
    'tools.__proto__',
    'tools.toString',
    'constructor.name',
  ])('%s comes from the prototype and is not declared', (path) => {
    expect(declares({ tools: {} }, path)).toBe(false)
    expect(declares(JSON.parse('{"tools":{}}'), path)).toBe(false)
  })

  it('never throws, whatever a peer declared', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.anything()),
        fc.string(),
        (capabilities, path) => typeof declares(capabilities, path) === 'boolean',
      ),
    )
  })
})

describe('C4 the capabilities of the oldest version', () => {
  it('have a side, a name and a description, once each', () => {
    expect(new Set(baseCapabilities.map(({ path }) => path)).size).toBe(baseCapabilities.length)
    for (const { path, description } of baseCapabilities) {
      const { side, key } = splitPath(path)
      expect(['client', 'server']).toContain(side)
      expect(`${side}.${key}`).toBe(path)
      expect(description).toMatch(/^[A-Z].*\.$/)
    }
  })

  it('splits only at the side', () => {
    expect(splitPath('server.resources.subscribe')).toEqual({ side: 'server', key: 'resources.subscribe' })
  })
})

describe('V2 the methods of the oldest version', () => {
  const declared = new Map(baseCapabilities.map((capability) => [capability.path as string, capability.flags ?? []]))

  it('are named once, notifications by their prefix', () => {
    expect(new Set(baseMethods.map(({ name }) => name)).size).toBe(baseMethods.length)
    for (const { name, kind } of baseMethods) expect(name.startsWith('notifications/')).toBe(kind === 'notification')
  })

  it('C3 need only capabilities that can be declared', () => {
    for (const { needs = {} } of baseMethods) {
      for (const path of Object.values(needs)) {
        const { side, key } = splitPath(path)
        const [name, flag] = key.split('.')
        expect(declared.has(`${side}.${name}`)).toBe(true)
        if (flag !== undefined) expect(declared.get(`${side}.${name}`)).toContain(flag)
      }
    }
  })

  it('have a direction', () => {
    const ask = request('a', 'client')
    expect([maySend(ask, 'client'), maySend(ask, 'server')]).toEqual([true, false])
    const tell = notification('notifications/b', 'both', { server: 'server.tools' })
    expect([maySend(tell, 'client'), maySend(tell, 'server')]).toEqual([true, true])
    const inside = request('c', 'embedded')
    expect([maySend(inside, 'client'), maySend(inside, 'server')]).toEqual([false, false])
    expect(
      baseMethods.filter((method) => maySend(method, 'client') && maySend(method, 'server')).map(({ name }) => name),
    ).toEqual(['ping', 'notifications/cancelled', 'notifications/progress'])
  })
})
