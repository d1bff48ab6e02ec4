import type { Tool } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { Definitions } from './definitions.ts'

const tool = (name: string, more: Partial<Tool> = {}): Tool => ({ name, inputSchema: { type: 'object' }, ...more })

describe('the remembered definitions of tools', () => {
  it('have output schemas, tasks and headers (D-60), and no descriptions', () => {
    const known = new Definitions()
    const region = { type: 'string', 'x-mcp-header': 'Region' } as const
    const outputSchema = { type: 'object' } as const
    known.put(
      tool('one', {
        description: 'long',
        annotations: {},
        outputSchema,
        inputSchema: { type: 'object', properties: { region } },
      }),
    )
    expect(known.get('one')).toEqual({
      name: 'one',
      outputSchema,
      headerParams: [{ header: 'mcp-param-region', path: ['region'], type: 'string' }],
    })
    known.put(tool('one', { execution: { taskSupport: 'required' } }))
    expect(known.get('one')).toEqual({ name: 'one', execution: { taskSupport: 'required' }, headerParams: [] })
  })

  it('L4: are limited in number, and may still be replaced', () => {
    const known = new Definitions({ maxTools: 2 })
    expect(['one', 'two', 'three', 'two'].map((name) => known.put(tool(name)))).toEqual([true, true, false, true])
    expect(['one', 'two', 'three'].filter((name) => known.has(name))).toEqual(['one', 'two'])
  })

  it('L4: are limited in bytes, whichever member has them', () => {
    const long = 'x'.repeat(3000)
    for (const large of [tool(long), tool('large', { outputSchema: { type: 'object', title: long } })]) {
      const known = new Definitions({ maxBytes: 5000 })
      expect(
        [large, tool('small'), { ...large, name: `y${large.name}` }, tool('other')].map((each) => known.put(each)),
      ).toEqual([true, true, false, true])
    }
  })

  it('L4: have room for another when one becomes smaller', () => {
    const known = new Definitions({ maxBytes: 5000 })
    const large = (name: string): Tool => tool(name, { outputSchema: { type: 'object', title: 'x'.repeat(3000) } })
    expect([large('one'), large('two'), tool('one'), large('two')].map((each) => known.put(each))).toEqual([
      true,
      false,
      true,
      true,
    ])
  })

  it('are not filled up by descriptions', () => {
    const known = new Definitions({ maxBytes: 5000 })
    for (const name of ['a', 'b', 'c', 'd']) expect(known.put(tool(name, { description: 'x'.repeat(4000) }))).toBe(true)
  })
})
