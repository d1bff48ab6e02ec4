/**
 * How published servers are compared with what clients see of them directly; `npm run interop -- published` does it.
 */
import { describe, expect, it } from 'vitest'
import { textOf } from './support/files.ts'

interface Difference {
  path: string
  direct?: unknown
  seen?: unknown
}
interface Lists {
  tools: object[]
  resources: object[]
  prompts: object[]
}
interface Plan {
  calls: { name: string; arguments: object }[]
  invalid?: { name: string }
  reads: string[]
  prompts: { name: string; arguments: object }[]
}
interface Compare {
  differences(direct: unknown, seen: unknown): Difference[]
  besides(found: Difference[], varying: string[]): Difference[]
}
interface Rules {
  RULES: { id: string; what: string; link: string }[]
  ruleFor(difference: Difference, at: object): { id: string } | undefined
}

const folder = '../interop/published'
const { differences, besides } = (await import(`${folder}/compare.js`)) as Compare
const { RULES, ruleFor } = (await import(`${folder}/rules.js`)) as Rules
const { planFor } = (await import(`${folder}/plan.js`)) as { planFor(lists: Lists, server: object): Plan }

describe('the list of published servers', () => {
  const { before, servers } = JSON.parse(textOf('interop/published/servers.json')) as {
    before: string
    servers: { name: string; version: string }[]
  }

  it('has at least forty, each once, in an exact version', () => {
    expect(servers.length).toBeGreaterThanOrEqual(40)
    expect(new Set(servers.map(({ name }) => name)).size).toBe(servers.length)
    for (const { name, version } of servers) expect(`${name} ${version}`).toMatch(/^\S+ \d+\.\d+\.\d+(-[\w.]+)?$/)
    expect(before).toMatch(/^\d{4}-\d\d-\d\d$/)
  })
})

describe('a comparison', () => {
  it('finds what is missing, added and changed', () => {
    const direct = { a: 1, b: [1, 2], c: { d: 'x' } }
    expect(differences(direct, { a: 1, b: [1, 2], c: { d: 'x' } })).toEqual([])
    expect(differences(direct, { b: [1], c: 'x', e: null }).map(({ path }) => path)).toEqual(['/a', '/b/1', '/c', '/e'])
  })

  it('leaves out places that vary, and not what is around them', () => {
    const found = ['/calls/now/result/content/3/text', '/calls/now/result', '/calls/nowhere/result'].map((path) => ({
      path,
    }))
    const rest = besides(found, ['/calls/now/result/content/0/text'])
    expect(rest.map(({ path }) => path)).toEqual(['/calls/now/result', '/calls/nowhere/result'])
  })
})

describe('the plan for a server', () => {
  const tool = (name: string, required: string[] = [], annotations = {}) => ({
    name,
    annotations,
    inputSchema: { type: 'object', properties: { n: { type: 'integer' }, kind: { enum: ['b'] } }, required },
  })
  const prompts = [{ name: 'p', arguments: [{ name: 'topic' }] }]
  const lists = (...tools: object[]) => ({ tools, resources: [], prompts })

  it('calls what reads only or needs nothing, three of them at most', () => {
    const reading = tool('delete_looks', ['n', 'kind'], { readOnlyHint: true })
    const tools = [tool('delete_all'), reading, tool('list'), tool('write', ['n']), tool('status'), tool('about')]
    expect(planFor(lists(...tools), {})).toEqual({
      calls: [
        { name: 'delete_looks', arguments: { n: 1, kind: 'b' } },
        { name: 'list', arguments: {} },
        { name: 'status', arguments: {} },
      ],
      invalid: { name: 'delete_looks', arguments: {} },
      reads: [],
      prompts: [{ name: 'p', arguments: { topic: 'a' } }],
    })
  })

  it('calls nothing of a server that is only to be looked at', () => {
    expect(planFor(lists(tool('list'), tool('find', ['n'])), { calls: false })).toMatchObject({
      calls: [],
      invalid: undefined,
    })
  })
})

describe('the rules for differences', () => {
  const refused = { error: { code: 'none', message: 'no' } }
  const lists = { tools: refused, prompts: { error: { code: -32601 } }, resources: { entries: {} } }
  const structured = { result: { structuredContent: { a: 1 } } }
  const at = { client: '2025-11-25', way: 'own', name: 's1', log: '', expected: { lists, calls: { now: structured } } }
  const ruled = (difference: Difference, other = {}) => ruleFor(difference, { ...at, ...other })?.id

  it('explain nothing that none of them is about', () => {
    expect(ruled({ path: '/lists/tools/entries/a/description', direct: 'x', seen: 'y' })).toBe(undefined)
    expect(ruled({ path: '/calls/now/result/content/0/text', direct: 'x', seen: 'y' }, { client: '2026-07-28' })).toBe(
      undefined,
    )
  })

  it('hold for their versions only', () => {
    const schema = { path: '/lists/tools/entries/a/outputSchema', direct: {} }
    expect([ruled(schema), ruled(schema, { client: '2025-03-26' })]).toEqual([undefined, 'B-05'])
    const text = { path: '/calls/now/result/content/1', seen: { type: 'text', text: '{"a":2}' } }
    expect([ruled(text), ruled(text, { client: '2024-11-05' })]).toEqual([undefined, 'B-04'])
  })

  it('take definitions as mended or left out only where the log says so', () => {
    const left = { path: '/lists/resources/entries/a://b', direct: {} }
    const mended = { path: '/lists/tools/entries', seen: {} }
    const log =
      's1: tools/list: tool "x" was mended: it has no "inputSchema"\ns1: resources/list: resource "a://b" is left out, because …'
    expect([ruled(left), ruled(mended)]).toEqual([undefined, undefined])
    expect([ruled(left, { log }), ruled(mended, { log })]).toEqual(['R-01', 'R-01'])
    expect(ruled({ ...left, path: '/lists/resources/entries/c://d' }, { log })).toBe(undefined)
    expect(ruled(mended, { log, name: 's2' })).toBe(undefined)
  })

  it('take a list as empty only where the server does not know it', () => {
    expect(ruled({ path: '/lists/prompts/entries', seen: {} })).toBe('R-02')
    expect(ruled({ path: '/lists/tools/entries', seen: {} })).toBe(undefined)
  })

  it('take the URI of an app page as renamed only at /mcp, and only with the name of its server', () => {
    const page = { path: '/lists/tools/entries/show/_meta/ui/resourceUri', direct: 'ui://a/b', seen: 'ui://s1+a/b' }
    expect([ruled(page), ruled(page, { way: 'all' }), ruled(page, { way: 'all', name: 's2' })]).toEqual([
      undefined,
      'apps',
      undefined,
    ])
  })

  it('say what differs, and where that is written down', () => {
    for (const { id, what, link } of RULES)
      expect([id, what.length > 0, link.split('#')[0]]).toEqual([id, true, expect.stringMatching(/^docs\/\w+\.md$/)])
  })
})
