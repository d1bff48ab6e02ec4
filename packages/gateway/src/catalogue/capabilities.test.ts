import fc from 'fast-check'
import { type Introduction, TASKS_EXTENSION } from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import { mergeIntroductions } from './index.ts'
import { mergeInstructions } from './instructions.ts'

const self = () => ({ name: 'gateway', version: '1' })
const server = (name: string, capabilities: Record<string, unknown>, more: Partial<Introduction> = {}) => ({
  name,
  introduction: { info: { name, version: '1' }, capabilities, ...more },
})
const LISTS = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
}

describe('C: what the gateway declares for its servers', () => {
  it('always declares the three lists, and that resources can be followed: its own status can', () => {
    const me = self()
    expect(mergeIntroductions([], me)).toEqual({ info: me, capabilities: LISTS })
    expect(mergeIntroductions([server('a', { tools: {} })], self()).capabilities).toEqual(LISTS)
  })

  it.each([
    [{ logging: {} }, { logging: {} }],
    [{ completions: {} }, { completions: {} }],
  ])('declares what one of them has: %j', (capabilities, declared) => {
    const { capabilities: merged } = mergeIntroductions([server('a', {}), server('b', capabilities)], self())
    expect(merged).toEqual({ ...LISTS, ...declared })
  })

  it('expects of a server that is not known yet what clients could not be told later', () => {
    const { capabilities } = mergeIntroductions([server('a', {}), { name: 'b' }], self())
    expect(capabilities).toEqual({ ...LISTS, logging: {}, completions: {} })
  })

  it.each([
    ['of 2025-11-25', { tasks: { requests: { tools: { call: {} } } } }],
    ['of the extension', { extensions: { [TASKS_EXTENSION]: { any: 1 } } }],
  ])('offers tasks %s to both eras', (_, capabilities) => {
    const { capabilities: merged } = mergeIntroductions(
      [server('a', capabilities), server('b', { extensions: { [TASKS_EXTENSION]: {} } })],
      self(),
    )
    expect(merged).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
      extensions: { [TASKS_EXTENSION]: {} },
    })
  })

  it('declares every extension that a server has, with the settings all agree about, and says which are left out', () => {
    const extensions = { 'com.acme/ui': { one: 1, two: [2] }, 'com.acme/odd': { version: 1, deep: { a: 1 } } }
    const others = {
      'com.acme/ui': { two: [2], one: 1 },
      'com.acme/odd': { version: 2, deep: { b: 2 } },
      'com.acme/own': {},
    }
    const lost: unknown[] = []
    const entries = [
      server('a', { extensions, experimental: { x: {} } }),
      server('b', { extensions: others, experimental: { x: true } }),
    ]
    const me = self()
    const { capabilities } = mergeIntroductions(entries, me, ({ rule, path }) => lost.push([rule, path]))
    expect(capabilities).not.toHaveProperty('experimental')
    expect(capabilities['extensions']).toEqual({
      'com.acme/ui': { one: 1, two: [2] },
      'com.acme/odd': { deep: { a: 1, b: 2 } },
      'com.acme/own': {},
    })
    expect(lost).toEqual([
      ['D-41', 'capabilities.experimental.x'],
      ['D-41', 'capabilities.extensions.com.acme/odd.version'],
    ])
    mergeIntroductions(entries, me, () => expect.unreachable())
  })

  it('is the same object while nothing changes, and another one when something does', () => {
    const me = self()
    const entries = [server('a', { logging: {} }), server('b', {})]
    const first = mergeIntroductions(entries, me)
    expect(mergeIntroductions([...entries], me)).toBe(first)
    expect(mergeIntroductions([server('a', { logging: {} }), server('b', {})], me)).toBe(first)
    const second = mergeIntroductions([server('a', {}), server('b', {})], me)
    expect(second).not.toEqual(first)
    expect(mergeIntroductions([server('a', {}), server('b', {})], me)).toBe(second)
  })

  it('is true as long as the shortest of them, for the narrowest circle (D-42)', () => {
    const a = server('a', {}, { ttlMs: 500, cacheScope: 'public' })
    const b = server('b', {}, { ttlMs: 900, cacheScope: 'private' })
    expect(mergeIntroductions([a, b], self())).toMatchObject({ ttlMs: 500, cacheScope: 'private' })
    expect(mergeIntroductions([a], self())).toMatchObject({ ttlMs: 500, cacheScope: 'public' })
    for (const other of [server('c', {}), { name: 'c' }])
      expect(mergeIntroductions([a, other], self())).not.toHaveProperty('ttlMs')
  })

  it('puts instructions under a heading per server', () => {
    const entries = [
      server('a', {}, { instructions: 'Use a.\n' }),
      server('b', {}),
      server('c', {}, { instructions: 'Use c.' }),
    ]
    expect(mergeIntroductions(entries, self()).instructions).toBe('## a\n\nUse a.\n\n## c\n\nUse c.')
    expect(mergeIntroductions([server('b', {})], self())).not.toHaveProperty('instructions')
  })
})

describe('instructions of many servers', () => {
  it('cuts the longest first and says so', () => {
    const merged = mergeInstructions([
      { name: 'long', text: 'é'.repeat(20_000) },
      { name: 'short', text: 'Short and whole.' },
    ])
    expect(Buffer.byteLength(merged)).toBeLessThanOrEqual(16 * 1024)
    expect(Buffer.byteLength(merged)).toBeGreaterThan(15 * 1024)
    expect(merged).toMatch(
      /^## long\n\né+\n\[The instructions of long go on; they were cut here for length\.\]\n\n## short\n\nShort and whole\.$/,
    )
  })

  it('law: never longer than allowed, never cut inside a character, whole where there is room', () => {
    const servers = fc.array(
      fc.record({
        name: fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme-ascii' }),
        text: fc.string({ maxLength: 400, unit: 'grapheme' }).filter((text) => !text.includes('\ufffd')),
      }),
      { maxLength: 12 },
    )
    fc.assert(
      fc.property(servers, fc.integer({ min: 100, max: 3000 }), (given, limit) => {
        const merged = mergeInstructions(given, limit)
        const whole = mergeInstructions(given, Number.POSITIVE_INFINITY)
        expect(Buffer.byteLength(merged)).toBeLessThanOrEqual(limit)
        expect(merged).not.toContain('\ufffd')
        if (Buffer.byteLength(whole) <= limit) expect(merged).toBe(whole)
        else expect(merged).toMatch(/were (cut here|left out) for length/)
      }),
    )
  })
})
