/** What is kept of a server's answers, how long, and what ends it sooner. */
import { describe, expect, it } from 'vitest'
import { fakeClock } from '../../testing/index.ts'
import { ResponseCache } from './response-cache.ts'

const page = (name: string, ttlMs: unknown) => ({ tools: [{ name }], ttlMs })

describe('D-42 freshness', () => {
  it('lasts as long as the server said, from when the answer came', async () => {
    const clock = fakeClock()
    const cache = new ResponseCache(clock)
    const keep = cache.expect('tools/list', undefined)
    await clock.advance(1000)
    keep(page('a', 500))
    await clock.advance(499)
    expect(cache.get('tools/list', undefined)).toEqual(page('a', 500))
    await clock.advance(1)
    expect(cache.get('tools/list', undefined)).toBeUndefined()
    expect(cache.size).toBe(0)
  })

  it.each([0, -1, undefined, null, '500', Number.NaN, {}])('is not there for a ttl of %j', (ttl) => {
    const cache = new ResponseCache(fakeClock())
    cache.expect('tools/list', undefined)(page('a', ttl))
    expect(cache.has('tools/list', undefined)).toBe(false)
  })

  it('ends with an answer that is not to be kept', () => {
    const cache = new ResponseCache(fakeClock())
    cache.expect('tools/list', undefined)(page('a', 500))
    cache.expect('tools/list', undefined)(page('b', 0))
    expect(cache.has('tools/list', undefined)).toBe(false)
  })

  it('does not outlive a clock that is set back', () => {
    let now = 1000
    const cache = new ResponseCache({ now: () => now, after: () => () => {} })
    cache.expect('tools/list', undefined)(page('a', 500))
    now = 999
    expect(cache.has('tools/list', undefined)).toBe(false)
  })
})

describe('F9 the key', () => {
  it('is the method and the parameter that matters; the empty cursor is one (D-52)', () => {
    const cache = new ResponseCache(fakeClock())
    for (const [name, cursor] of [
      ['first', undefined],
      ['empty', ''],
      ['second', 'two'],
    ] as const)
      cache.expect('tools/list', cursor)(page(name, 500))
    cache.expect('prompts/list', undefined)({ prompts: [], ttlMs: 500 })
    expect(cache.get('tools/list', undefined)).toEqual(page('first', 500))
    expect(cache.get('tools/list', '')).toEqual(page('empty', 500))
    expect(cache.get('tools/list', 'two')).toEqual(page('second', 500))
    expect(cache.get('prompts/list', undefined)).toEqual({ prompts: [], ttlMs: 500 })
    expect(cache.get('tools/list', 'three')).toBeUndefined()
  })

  it('gives each caller its own copy', () => {
    const cache = new ResponseCache(fakeClock())
    const given = page('a', 500)
    cache.expect('tools/list', undefined)(given)
    given.tools.push({ name: 'mine' })
    const first = cache.get('tools/list', undefined)
    expect(first).toEqual(page('a', 500))
    Object.assign(first ?? {}, { tools: [] })
    expect(cache.get('tools/list', undefined)).toEqual(page('a', 500))
  })
})

describe('F9 what is out of date', () => {
  it('is forgotten by method, all pages, and nothing else', () => {
    const cache = new ResponseCache(fakeClock())
    cache.expect('tools/list', undefined)(page('a', 500))
    cache.expect('tools/list', 'c')(page('b', 500))
    cache.expect('prompts/list', undefined)({ ttlMs: 500 })
    cache.forget(['tools/list'])
    expect([
      cache.has('tools/list', undefined),
      cache.has('tools/list', 'c'),
      cache.has('prompts/list', undefined),
    ]).toEqual([false, false, true])
    cache.clear()
    expect(cache.size).toBe(0)
  })

  it('is forgotten by what it is about', () => {
    const cache = new ResponseCache(fakeClock())
    for (const uri of ['a://x', 'a://y']) cache.expect('resources/read', uri)({ ttlMs: 500 })
    cache.forget(['resources/read'], (uri) => uri === 'a://x')
    expect([cache.has('resources/read', 'a://x'), cache.has('resources/read', 'a://y')]).toEqual([false, true])
  })

  it.each(['forget', 'clear'] as const)('is not kept when it was on its way meanwhile (%s)', (how) => {
    const cache = new ResponseCache(fakeClock())
    const keep = cache.expect('tools/list', undefined)
    if (how === 'forget') cache.forget(['tools/list'])
    else cache.clear()
    keep(page('old', 500))
    expect(cache.has('tools/list', undefined)).toBe(false)
  })

  it('does not undo what came later', () => {
    const cache = new ResponseCache(fakeClock())
    const keep = cache.expect('tools/list', undefined)
    cache.forget(['tools/list'])
    cache.expect('tools/list', undefined)(page('new', 500))
    keep(page('old', 500))
    expect(cache.get('tools/list', undefined)).toEqual(page('new', 500))
  })
})

describe('F9 bounds', () => {
  it('keeps 500 answers; the oldest goes', () => {
    const cache = new ResponseCache(fakeClock())
    for (let index = 0; index <= 500; index++) cache.expect('resources/read', `a://${index}`)({ ttlMs: 500 })
    expect(cache.size).toBe(500)
    expect([cache.has('resources/read', 'a://0'), cache.has('resources/read', 'a://1')]).toEqual([false, true])
  })

  it('keeps only so much text, and no answer that would push out all others', () => {
    const cache = new ResponseCache(fakeClock(), { length: 1000 })
    for (let index = 0; index < 10; index++)
      cache.expect('resources/read', `a://${index}`)({ text: 'x'.repeat(180), ttlMs: 500 })
    expect(cache.size).toBe(4)
    cache.expect('resources/read', 'a://long')({ text: 'x'.repeat(300), ttlMs: 500 })
    expect([cache.has('resources/read', 'a://long'), cache.has('resources/read', 'a://9')]).toEqual([false, true])
  })
})
