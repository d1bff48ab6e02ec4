import type { Body } from 'parley-mcp/engine'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { ResultCache } from './result-cache.ts'

let clock: FakeClock
let cache: ResultCache
beforeEach(() => {
  clock = fakeClock()
  cache = new ResultCache(clock)
})

const list = (more: Body = {}): Body => ({
  resultType: 'complete',
  tools: [],
  ttlMs: 1000,
  cacheScope: 'public',
  ...more,
})
const LIST = 'tools/list'

/** Caches a result as if the request had just been sent. */
const keep = (method: string, params: Body, principal: string | undefined, result: Body): boolean =>
  cache.keep(method, params, principal, result, cache.generationOf(method))

describe('D-42: results are cached', () => {
  it('as long as the server says, with the rest of that time', async () => {
    keep(LIST, {}, undefined, list())
    await clock.advance(400)
    expect(cache.find(LIST, {}, undefined)).toEqual(list({ ttlMs: 600 }))
    await clock.advance(599)
    expect(cache.find(LIST, {}, undefined)).toEqual(list({ ttlMs: 1 }))
    await clock.advance(1)
    expect(cache.find(LIST, {}, undefined)).toBeUndefined()
    expect(cache.hits).toBe(2)
  })

  it('for at most an hour', async () => {
    keep(LIST, {}, undefined, list({ ttlMs: Number.MAX_SAFE_INTEGER }))
    await clock.advance(3_600_000)
    expect(cache.find(LIST, {}, undefined)).toBeUndefined()
  })

  it('for all clients if public, else for one principal, and not for clients without a principal', () => {
    keep(LIST, {}, 'ann', list())
    expect(cache.find(LIST, {}, 'bea')).toBeDefined()
    expect(cache.find(LIST, {}, undefined)).toBeDefined()
    keep('prompts/list', {}, 'ann', list({ cacheScope: 'private' }))
    expect(cache.find('prompts/list', {}, 'ann')).toBeDefined()
    for (const other of ['bea', '', undefined]) expect(cache.find('prompts/list', {}, other)).toBeUndefined()
    keep('resources/list', {}, undefined, list({ cacheScope: 'private' }))
    for (const principal of ['ann', '', undefined]) expect(cache.find('resources/list', {}, principal)).toBeUndefined()
  })

  it('for the same page and the same resource only', () => {
    keep(LIST, { cursor: 'two' }, undefined, list())
    keep('resources/read', { uri: 'note://one' }, undefined, list())
    expect(cache.find(LIST, {}, undefined)).toBeUndefined()
    expect(cache.find(LIST, { cursor: 'two', _meta: { any: 1 } }, undefined)).toBeDefined()
    expect(cache.find('resources/read', { uri: 'note://two' }, undefined)).toBeUndefined()
    expect(cache.find('resources/read', { uri: 'note://one' }, undefined)).toBeDefined()
  })

  it.each<[string, string, Body, Body]>([
    ['calls', 'tools/call', { name: 'any' }, list()],
    ['a result that is stale at once', LIST, {}, list({ ttlMs: 0 })],
    ['a result without a time', LIST, {}, { tools: [] }],
    ['a result with an invalid time', LIST, {}, list({ ttlMs: Number.NaN })],
    ['questions', 'resources/read', { uri: 'a:b' }, list({ resultType: 'input_required' })],
    ['a result that depends on answers', 'resources/read', { uri: 'a:b', requestState: 'x' }, list()],
    ['a result that depends on answers in the request', 'resources/read', { uri: 'a:b', inputResponses: {} }, list()],
    ['a result of a request with unknown parameters', LIST, { 'x/tenant': 'one' }, list()],
    ['a very large result', 'resources/read', { uri: 'a:b' }, list({ contents: ['x'.repeat(1024 * 1024)] })],
  ])('but never %s', (_, method, params, result) => {
    keep(method, params, 'ann', result)
    expect(cache.find(method, params, 'ann')).toBeUndefined()
  })

  it('until the list or the resource changes', () => {
    const filled = (): void => {
      for (const method of [LIST, 'prompts/list', 'resources/list', 'resources/templates/list'])
        keep(method, {}, undefined, list())
      for (const uri of ['note://one', 'note://one/part', 'note://two'])
        keep('resources/read', { uri }, undefined, list())
    }
    const left = (): string[] =>
      [LIST, 'prompts/list', 'resources/list', 'resources/templates/list']
        .filter((method) => cache.find(method, {}, undefined) !== undefined)
        .concat(
          ['note://one', 'note://one/part', 'note://two'].filter(
            (uri) => cache.find('resources/read', { uri }, undefined) !== undefined,
          ),
        )
    filled()
    cache.listChanged('tools')
    expect(left()).not.toContain(LIST)
    expect(left()).toHaveLength(6)
    cache.listChanged('prompts')
    expect(left()).not.toContain('prompts/list')
    filled()
    cache.updated('note://one')
    expect(left()).toEqual([LIST, 'prompts/list', 'resources/list', 'resources/templates/list', 'note://two'])
    cache.listChanged('resources')
    expect(left()).toEqual([LIST, 'prompts/list'])
  })

  it('but not if the server reported a change after the request was sent', () => {
    const asked = { list: cache.generationOf(LIST), read: cache.generationOf('resources/read') }
    cache.listChanged('tools')
    cache.updated('note://one')
    expect(cache.keep(LIST, {}, undefined, list(), asked.list)).toBe(false)
    expect(cache.keep('resources/read', { uri: 'note://one' }, undefined, list(), asked.read)).toBe(false)
    // The others have not changed.
    expect(cache.keep('prompts/list', {}, undefined, list(), 0)).toBe(true)
    expect(keep(LIST, {}, undefined, list())).toBe(true)
  })

  it('and at most a thousand of them', () => {
    for (let index = 0; index < 1005; index++) keep('resources/read', { uri: `note://${index}` }, undefined, list())
    expect(cache.find('resources/read', { uri: 'note://4' }, undefined)).toBeUndefined()
    expect(cache.find('resources/read', { uri: 'note://5' }, undefined)).toBeDefined()
    expect(cache.find('resources/read', { uri: 'note://1004' }, undefined)).toBeDefined()
  })
  it('but not for a request with more parameters', () => {
    keep(LIST, {}, undefined, list())
    expect(cache.find(LIST, { 'x/tenant': 'two' }, undefined)).toBeUndefined()
    expect(cache.find(LIST, {}, undefined)).toBeDefined()
  })

  it('L4: and at most 32 MiB of them, however few they are', () => {
    const half = list({ contents: ['x'.repeat(512 * 1024)] })
    const uris = Array.from({ length: 200 }, (_, index) => `note://${index}`)
    const kept = (): number =>
      uris.filter((uri) => cache.find('resources/read', { uri }, undefined) !== undefined).length
    for (const uri of uris) keep('resources/read', { uri }, undefined, half)
    expect(kept()).toBe(63)
    expect(cache.find('resources/read', { uri: 'note://199' }, undefined)).toBeDefined()
    // A dropped result makes room, and a replaced one takes no more.
    cache.listChanged('resources')
    for (let time = 0; time < 100; time++) keep(LIST, {}, undefined, list({ tools: ['x'.repeat(512 * 1024)] }))
    for (const uri of uris.slice(0, 62)) keep('resources/read', { uri }, undefined, half)
    expect(cache.find(LIST, {}, undefined)).toBeDefined()
    expect(kept()).toBe(62)
  })
})
