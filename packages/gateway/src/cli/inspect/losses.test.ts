import { type ProtocolVersion, type Tool, versions } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { lossesOf } from './losses.ts'
import type { ListResult } from './survey.ts'

const none: ListResult<never> = { count: 0, items: [], error: null }
const empty = { capabilities: {}, tools: none, resources: none, templates: none, prompts: none }
const offering = (tools: readonly Partial<Tool>[]): { capabilities: object; tools: ListResult<Tool> } => ({
  capabilities: { tools: {} },
  tools: {
    count: tools.length,
    items: tools.map((tool) => ({ inputSchema: { type: 'object' }, ...tool })) as Tool[],
    error: null,
  },
})

function toward(client: ProtocolVersion, facts: Parameters<typeof lossesOf>[0]) {
  return lossesOf(facts).find(({ version }) => version === client)?.items ?? []
}

describe('X1 losses toward other versions', () => {
  it('are told for every version but the spoken one', () => {
    for (const version of versions) {
      expect(lossesOf({ ...empty, version }).map((each) => each.version)).toEqual(
        versions.filter((other) => other !== version),
      )
    }
  })

  it('are none within an era for a server that offers nothing', () => {
    for (const { era, items } of lossesOf({ ...empty, version: '2025-11-25' }))
      if (era === 'handshake') expect(items).toEqual([])
  })

  it('B-05 name the tools whose output schema goes, and only those', () => {
    const facts = {
      ...empty,
      ...offering([{ name: 'plain' }, { name: 'typed', outputSchema: { type: 'object' } }]),
      version: '2025-06-18' as const,
    }
    expect(toward('2025-03-26', facts)).toContainEqual(
      expect.objectContaining({
        change: 'structured tool output',
        rules: ['B-04', 'B-05'],
        when: 'always',
        names: ['typed'],
        severity: 'i',
      }),
    )
    expect(toward('2025-11-25', facts).filter(({ change }) => change === 'structured tool output')).toEqual([])
  })

  it('B-05 say nothing of structured output where no tool has any', () => {
    const facts = { ...empty, ...offering([{ name: 'plain' }]), version: '2025-06-18' as const }
    expect(toward('2025-03-26', facts).map(({ change }) => change)).not.toContain('structured tool output')
  })

  it('B-06 tell what results may contain, for servers that have results', () => {
    const facts = { ...empty, version: '2025-06-18' as const }
    expect(toward('2025-03-26', facts).map(({ change }) => change)).not.toContain('resource links')
    expect(toward('2025-03-26', { ...facts, ...offering([{ name: 'a' }]) })).toContainEqual(
      expect.objectContaining({ change: 'resource links', when: 'sometimes' }),
    )
  })

  it('C-24 tell of tasks only where there are any', () => {
    const facts = { ...empty, ...offering([{ name: 'a' }]), version: '2025-11-25' as const }
    const changes = (capabilities: object) =>
      toward('2025-06-18', { ...facts, capabilities }).map(({ change }) => change)
    expect(changes({ tools: {} })).not.toContain('tasks')
    expect(changes({ tools: {}, tasks: { requests: { tools: { call: {} } } } })).toContain('tasks')
  })

  it('C-03 keep apart what happens only when the server asks', () => {
    const items = toward('2025-06-18', { ...empty, ...offering([{ name: 'a' }]), version: '2025-11-25' })
    expect(items.find(({ rules }) => rules.includes('C-03'))).toMatchObject({ when: 'asking', severity: 'E' })
  })

  it('D-18 tell of flows between the eras that lose something here', () => {
    const facts = { ...empty, version: '2025-11-25' as const }
    const changes = (capabilities: object) =>
      toward('2026-07-28', { ...facts, capabilities }).map(({ change }) => change)
    expect(changes({})).not.toContain('log level')
    expect(changes({ logging: {} })).toContain('log level')
  })

  it('D-21 tell of the progress of tasks where the server has some', () => {
    const losses = (version: '2025-11-25' | '2026-07-28', capabilities: object) =>
      toward(version === '2025-11-25' ? '2026-07-28' : '2025-11-25', { ...empty, version, capabilities }).map(
        ({ change, loses }) => `${change}: ${loses}`,
      )
    const words = expect.stringMatching(/^tasks: .*progress.* only the words/)
    expect(losses('2026-07-28', { tools: {} })).not.toContainEqual(words)
    expect(losses('2026-07-28', { tools: {}, extensions: { 'io.modelcontextprotocol/tasks': {} } })).toContainEqual(
      words,
    )
    expect(losses('2025-11-25', { tools: {} })).not.toContainEqual(words)
    expect(losses('2025-11-25', { tools: {}, tasks: { requests: { tools: { call: {} } } } })).toContainEqual(words)
  })

  it('come with the worst first', () => {
    const ranks = toward('2024-11-05', {
      ...empty,
      ...offering([{ name: 'a', outputSchema: { type: 'object' } }]),
      version: '2026-07-28',
    }).map((item) => ['E', 'w', 'i'].indexOf(item.severity))
    expect(ranks.length).toBeGreaterThan(3)
    expect(ranks).toEqual([...ranks].sort())
  })
})
