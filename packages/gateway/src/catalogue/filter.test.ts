import fc from 'fast-check'
import { ParleyError, type Tool } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../../../sdk/src/processor-time.fixtures.ts'
import { toolFilter } from './index.ts'
import { wildcard } from './wildcard.ts'

const all = { allow: undefined, deny: [], rename: {} }
const tool = (name: string): Tool => ({ name, inputSchema: { type: 'object' } })
const names = (tools: readonly Tool[]) => tools.map(({ name }) => name)

describe('patterns with *', () => {
  it.each([
    ['read_*', 'read_file', true],
    ['read_*', 'unread_file', false],
    ['*_file', 'read_file', true],
    ['a*b*c', 'aXbYc', true],
    ['a*b*c', 'acb', false],
    ['ab*ba', 'aba', false],
    ['*', '', true],
    ['a**b', 'ab', true],
    ['a.b', 'axb', false],
    ['a*bc*c', 'abc', false],
  ])('%s and %s: %s', (pattern, text, expected) => {
    expect(wildcard(pattern)(text)).toBe(expected)
  })

  it('law: means the same as the regular expression', () => {
    const text = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 9 }).map((signs) => signs.join(''))
    fc.assert(
      fc.property(text, text, (pattern, given) => {
        expect(wildcard(pattern)(given)).toBe(new RegExp(`^${pattern.replaceAll('*', '.*')}$`, 's').test(given))
      }),
    )
  })

  it('does not take long over patterns made to take long', () => {
    const started = processorTime()
    expect(wildcard(`${'*a'.repeat(5000)}*ab*`)('a'.repeat(100_000))).toBe(false)
    expect(processorTime() - started).toBeLessThan(1000)
  })
})

describe('G: tool settings of a server', () => {
  it('hands on the very same list when there is nothing to do', () => {
    const tools = [tool('a')]
    const filter = toolFilter(all)
    expect(filter.active).toBe(false)
    expect(filter.apply(tools).tools).toBe(tools)
    expect(filter.toServer('anything')).toBe('anything')
  })

  it('shows what is allowed and not denied', () => {
    const filter = toolFilter({ ...all, allow: ['read_*', 'list'], deny: ['read_secret*'] })
    expect(filter.apply(['read_file', 'read_secrets', 'list', 'write'].map(tool))).toEqual({
      tools: ['read_file', 'list'].map(tool),
      problems: [],
    })
  })

  it('an empty list of allowed tools allows none', () => {
    expect(toolFilter({ ...all, allow: [] }).apply([tool('a')]).tools).toEqual([])
  })

  it('answers a call of a hidden tool like one of an unknown tool', () => {
    const refusal = (run: () => unknown) => {
      try {
        return run()
      } catch (thrown) {
        return thrown instanceof ParleyError ? { kind: thrown.kind, message: thrown.message } : thrown
      }
    }
    const filter = toolFilter({ ...all, deny: ['secret'], rename: { old: 'new' } })
    expect(refusal(() => filter.toServer('secret'))).toEqual({
      kind: 'tool_not_found',
      message: 'Unknown tool: secret',
    })
    expect(refusal(() => filter.toServer('old'))).toEqual({ kind: 'tool_not_found', message: 'Unknown tool: old' })
    expect(filter.toServer('new')).toBe('old')
  })

  it('renames both ways, swaps too', () => {
    const filter = toolFilter({ ...all, rename: { a: 'b', b: 'a' } })
    expect(filter.apply(['a', 'b', 'c'].map(tool))).toEqual({ tools: ['b', 'a', 'c'].map(tool), problems: [] })
    expect(['a', 'b', 'c'].map((name) => filter.toServer(name))).toEqual(['b', 'a', 'c'])
  })

  it('of two tools renamed to one the later is hidden, and it is said', () => {
    const filter = toolFilter({ ...all, rename: { a: 'x', b: 'x', c: '' } })
    const { tools, problems } = filter.apply(['b', 'a', 'c'].map(tool))
    expect(names(tools)).toEqual(['x'])
    expect(filter.toServer('x')).toBe('a')
    expect(problems).toHaveLength(2)
    expect(problems[0]).toMatch(/"b" is renamed to "x", the new name of "a"/)
    expect(problems[1]).toContain('"c" is renamed to nothing')
  })

  it('a tool cannot take the name another one was renamed to, and it is said', () => {
    const filter = toolFilter({ ...all, rename: { a: 'x' } })
    const { tools, problems } = filter.apply(['x', 'a'].map(tool))
    expect(names(tools)).toEqual(['x'])
    expect(filter.toServer('x')).toBe('a')
    expect(problems).toEqual([expect.stringContaining('"x" is hidden because "a" was renamed')])
  })

  it('a hidden tool claims no name by being renamed', () => {
    const filter = toolFilter({ ...all, deny: ['a'], rename: { a: 'x' } })
    expect(filter.apply(['a', 'x'].map(tool))).toEqual({ tools: [tool('x')], problems: [] })
    expect(filter.toServer('x')).toBe('x')
  })

  it('is not confused by names every object has', () => {
    const filter = toolFilter({ ...all, rename: JSON.parse('{"__proto__":"safe","a":"constructor"}') })
    expect(['__proto__', 'a', 'toString'].map((name) => filter.toClient(name))).toEqual([
      'safe',
      'constructor',
      'toString',
    ])
  })

  it('law: what clients see leads back to its tool, and no two tools have one name', () => {
    const name = fc.constantFrom('a', 'b', 'c', 'ab', 'bc')
    const settings = fc.record({
      allow: fc.option(fc.array(fc.constantFrom('a', 'b*', '*c', '*')), { nil: undefined }),
      deny: fc.array(fc.constantFrom('c', 'a*'), { maxLength: 1 }),
      rename: fc.dictionary(name, name),
    })
    fc.assert(
      fc.property(settings, fc.uniqueArray(name), (given, offered) => {
        const filter = toolFilter(given)
        const shown = names(filter.apply(offered.map(tool)).tools)
        expect(new Set(shown).size).toBe(shown.length)
        for (const one of shown) expect(filter.toClient(filter.toServer(one))).toBe(one)
      }),
    )
  })
})
