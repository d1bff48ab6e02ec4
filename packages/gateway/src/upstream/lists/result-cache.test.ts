import type { Body } from 'parley-mcp/engine'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { beforeEach, describe, expect, it } from 'vitest'
import { ResultCache } from './result-cache.ts'

let clock: FakeClock
let shelf: ResultCache
beforeEach(() => {
  clock = fakeClock()
  shelf = new ResultCache(clock)
})

const list = (more: Body = {}): Body => ({
  resultType: 'complete',
  tools: [],
  ttlMs: 1000,
  cacheScope: 'public',
  ...more,
})
const LIST = 'tools/list'

/** What is asked for and answered in one moment. */
const keep = (method: string, params: Body, principal: string | undefined, result: Body): boolean =>
  shelf.keep(method, params, principal, result, shelf.generationOf(method))

describe('D-42 answers that may be given again', () => {
  it('as long as the server says, with what is left of that time', async () => {
    keep(LIST, {}, undefined, list())
    await clock.advance(400)
    expect(shelf.find(LIST, {}, undefined)).toEqual(list({ ttlMs: 600 }))
    await clock.advance(599)
    expect(shelf.find(LIST, {}, undefined)).toEqual(list({ ttlMs: 1 }))
    await clock.advance(1)
    expect(shelf.find(LIST, {}, undefined)).toBeUndefined()
    expect(shelf.hits).toBe(2)
  })

  it('an hour at most', async () => {
    keep(LIST, {}, undefined, list({ ttlMs: Number.MAX_SAFE_INTEGER }))
    await clock.advance(3_600_000)
    expect(shelf.find(LIST, {}, undefined)).toBeUndefined()
  })

  it('to everybody when they are public, else to the one they were given to; nobody knows who an anonymous client is', () => {
    keep(LIST, {}, 'ann', list())
    expect(shelf.find(LIST, {}, 'bea')).toBeDefined()
    expect(shelf.find(LIST, {}, undefined)).toBeDefined()
    keep('prompts/list', {}, 'ann', list({ cacheScope: 'private' }))
    expect(shelf.find('prompts/list', {}, 'ann')).toBeDefined()
    for (const other of ['bea', '', undefined]) expect(shelf.find('prompts/list', {}, other)).toBeUndefined()
    keep('resources/list', {}, undefined, list({ cacheScope: 'private' }))
    for (const anybody of ['ann', '', undefined]) expect(shelf.find('resources/list', {}, anybody)).toBeUndefined()
  })

  it('for the same page and the same resource only', () => {
    keep(LIST, { cursor: 'two' }, undefined, list())
    keep('resources/read', { uri: 'note://one' }, undefined, list())
    expect(shelf.find(LIST, {}, undefined)).toBeUndefined()
    expect(shelf.find(LIST, { cursor: 'two', _meta: { any: 1 } }, undefined)).toBeDefined()
    expect(shelf.find('resources/read', { uri: 'note://two' }, undefined)).toBeUndefined()
    expect(shelf.find('resources/read', { uri: 'note://one' }, undefined)).toBeDefined()
  })

  it.each<[string, string, Body, Body]>([
    ['calls', 'tools/call', { name: 'any' }, list()],
    ['what is stale at once', LIST, {}, list({ ttlMs: 0 })],
    ['what says nothing', LIST, {}, { tools: [] }],
    ['a time that is none', LIST, {}, list({ ttlMs: Number.NaN })],
    ['questions', 'resources/read', { uri: 'a:b' }, list({ resultType: 'input_required' })],
    ['what depends on answers', 'resources/read', { uri: 'a:b', requestState: 'x' }, list()],
    ['what depends on answers that came at once', 'resources/read', { uri: 'a:b', inputResponses: {} }, list()],
    ['what was asked with words nobody here knows', LIST, { 'x/tenant': 'one' }, list()],
    ['what is very large', 'resources/read', { uri: 'a:b' }, list({ contents: ['x'.repeat(1024 * 1024)] })],
  ])('but never %s', (_, method, params, result) => {
    keep(method, params, 'ann', result)
    expect(shelf.find(method, params, 'ann')).toBeUndefined()
  })

  it('until the list has changed, or the resource', () => {
    const filled = (): void => {
      for (const method of [LIST, 'prompts/list', 'resources/list', 'resources/templates/list'])
        keep(method, {}, undefined, list())
      for (const uri of ['note://one', 'note://one/part', 'note://two'])
        keep('resources/read', { uri }, undefined, list())
    }
    const left = (): string[] =>
      [LIST, 'prompts/list', 'resources/list', 'resources/templates/list']
        .filter((method) => shelf.find(method, {}, undefined) !== undefined)
        .concat(
          ['note://one', 'note://one/part', 'note://two'].filter(
            (uri) => shelf.find('resources/read', { uri }, undefined) !== undefined,
          ),
        )
    filled()
    shelf.listChanged('tools')
    expect(left()).not.toContain(LIST)
    expect(left()).toHaveLength(6)
    shelf.listChanged('prompts')
    expect(left()).not.toContain('prompts/list')
    filled()
    shelf.updated('note://one')
    expect(left()).toEqual([LIST, 'prompts/list', 'resources/list', 'resources/templates/list', 'note://two'])
    shelf.listChanged('resources')
    expect(left()).toEqual([LIST, 'prompts/list'])
  })

  it('but not when the server told of a change after it was asked', () => {
    const asked = { list: shelf.generationOf(LIST), read: shelf.generationOf('resources/read') }
    shelf.listChanged('tools')
    shelf.updated('note://one')
    expect(shelf.keep(LIST, {}, undefined, list(), asked.list)).toBe(false)
    expect(shelf.keep('resources/read', { uri: 'note://one' }, undefined, list(), asked.read)).toBe(false)
    // Of the others nothing was said.
    expect(shelf.keep('prompts/list', {}, undefined, list(), 0)).toBe(true)
    expect(keep(LIST, {}, undefined, list())).toBe(true)
  })

  it('and never more than a thousand', () => {
    for (let index = 0; index < 1005; index++) keep('resources/read', { uri: `note://${index}` }, undefined, list())
    expect(shelf.find('resources/read', { uri: 'note://4' }, undefined)).toBeUndefined()
    expect(shelf.find('resources/read', { uri: 'note://5' }, undefined)).toBeDefined()
    expect(shelf.find('resources/read', { uri: 'note://1004' }, undefined)).toBeDefined()
  })
  it('nor is an answer to one question given to another, which has more words', () => {
    keep(LIST, {}, undefined, list())
    expect(shelf.find(LIST, { 'x/tenant': 'two' }, undefined)).toBeUndefined()
    expect(shelf.find(LIST, {}, undefined)).toBeDefined()
  })

  it('L4 and never more than 32 MiB, however few answers these are', () => {
    const half = list({ contents: ['x'.repeat(512 * 1024)] })
    const uris = Array.from({ length: 200 }, (_, index) => `note://${index}`)
    const kept = (): number =>
      uris.filter((uri) => shelf.find('resources/read', { uri }, undefined) !== undefined).length
    for (const uri of uris) keep('resources/read', { uri }, undefined, half)
    expect(kept()).toBe(63)
    expect(shelf.find('resources/read', { uri: 'note://199' }, undefined)).toBeDefined()
    // What has gone makes room, and what is said again takes none.
    shelf.listChanged('resources')
    for (let time = 0; time < 100; time++) keep(LIST, {}, undefined, list({ tools: ['x'.repeat(512 * 1024)] }))
    for (const uri of uris.slice(0, 62)) keep('resources/read', { uri }, undefined, half)
    expect(shelf.find(LIST, {}, undefined)).toBeDefined()
    expect(kept()).toBe(62)
  })
})
