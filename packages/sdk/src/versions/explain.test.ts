import { describe, expect, it } from 'vitest'
import { explain, explainText } from './explain.ts'
import { flows } from './flows/flows.ts'
import { ruleInfo, rules } from './rules.ts'
import { eraOf, steps, versions } from './version.ts'

const V24 = '2024-11-05'
const V03 = '2025-03-26'
const V06 = '2025-06-18'
const V11 = '2025-11-25'

describe('X1 what happens between two versions', () => {
  it('is nothing within one', () => {
    expect(explain(V06, V06)).toMatchObject({ entries: [], addedMethods: [], removedMethods: [] })
    expect(explainText(V06, V06)).toBe('From 2025-06-18 to 2025-06-18: nothing changes.\n')
  })

  it('is told in the order in which a message meets it', () => {
    const names = (from: number, to: number): string[] =>
      steps.slice(from, to).flatMap((step) => step.changes.map((change) => change.name))
    expect(explain(V24, V11).entries.map((entry) => entry.change)).toEqual(names(0, 3))
    expect(explain(V06, V24).entries.map((entry) => entry.change)).toEqual([...names(1, 2), ...names(0, 1)])
    expect(explain(V06, V24).entries.every((entry) => entry.direction === 'down')).toBe(true)
  })

  it('names methods, capabilities and features that come and go', () => {
    expect(explain(V03, V06)).toMatchObject({
      addedMethods: ['elicitation/create'],
      removedMethods: [],
      addedCapabilities: ['client.elicitation'],
      removedFeatures: ['batch'],
    })
    const back = explain(V06, V03)
    expect([back.addedMethods, back.removedMethods, back.removedCapabilities, back.addedFeatures]).toEqual([
      [],
      ['elicitation/create'],
      ['client.elicitation'],
      ['batch'],
    ])
  })

  it('tells of a change what it does, where, why, and what is lost', () => {
    const entry = explain(V06, V03).entries.find((one) => one.change === 'structured tool output')
    expect(entry).toEqual({
      change: 'structured tool output',
      rules: ['B-04', 'B-05'],
      direction: 'down',
      methods: ['tools/call', 'tools/list'],
      why: expect.stringContaining('Schema and value go together'),
      actions: [
        { methods: ['tools/call'], part: 'result', at: '', does: expect.stringContaining('structuredContent') },
        { methods: ['tools/list'], part: 'result', at: 'tools[]', does: 'removes outputSchema' },
      ],
      loses: expect.stringContaining('structured values'),
      severity: 'i',
    })
  })

  it('promises no loss upwards, except for changes that only work upwards', () => {
    const losing = explain(V24, V11).entries.filter((entry) => entry.loses !== undefined)
    expect(losing.map((entry) => entry.rules)).toEqual([['C-05']])
  })

  it('can be limited to a profile', () => {
    const titles = (profile: 'lenient' | 'strict') =>
      explain(V06, V03, { profile }).entries.filter((entry) => entry.rules.includes('B-07'))
    expect(titles('lenient')).toEqual([])
    expect(titles('strict')).toMatchObject([{ profile: 'strict' }])
    expect(explain(V06, V03, { profile: 'lenient' }).entries.map((entry) => entry.change)).toContain(
      'structured tool output',
    )
  })

  it('can be limited to a method', () => {
    const entries = explain(V11, V24, { method: 'elicitation/create' }).entries
    expect(entries.map((entry) => entry.change)).toContain('elicitation')
    expect(entries.map((entry) => entry.change)).not.toContain('audio')
  })

  it('marks what frames every message', () => {
    const framing = explain(V11, '2026-07-28').entries.flatMap((entry) =>
      entry.actions.filter((action) => action.envelope === true),
    )
    expect(framing.length).toBeGreaterThan(0)
  })

  it('can be read by people', () => {
    const text = explainText(V06, V03)
    expect(text).toContain('Only in 2025-06-18: elicitation/create')
    expect(text).toContain('structured tool output (B-04, B-05)')
    expect(text).toContain('- tools/list, result tools[]: removes outputSchema')
    expect(text).toContain('Loses [i]: structured values')
    expect(text).toContain('display titles (B-07), strict only')
    expect(explainText(V03, V06)).toContain('Only in 2025-06-18: elicitation/create')
  })

  it('can be read for every pair', () => {
    for (const from of versions)
      for (const to of versions) expect(explainText(from, to)).not.toMatch(/undefined|\[object/)
  })
})

describe('X6 flows between the eras', () => {
  it('are told for every pair of versions on both sides of the border, and for no other', () => {
    for (const from of versions) {
      for (const to of versions) expect(explain(from, to).flows.length > 0).toBe(eraOf(from) !== eraOf(to))
    }
  })

  it('name every rule that is a flow of the newest step, and only known ones', () => {
    const told = new Set(flows.flatMap((flow) => flow.rules))
    const known = rules
      .filter(({ id, kind }) => id.startsWith('D-') && kind === 'flow' && id !== 'D-09')
      .map(({ id }) => id)
    expect(known.filter((id) => !told.has(id))).toEqual([])
    for (const id of told) expect(ruleInfo(id)).toBeDefined()
  })

  it('are read aloud with their verdicts', () => {
    expect(explainText('2025-11-25', '2026-07-28', { method: 'elicitation/create' })).toContain(
      'Stateless client, handshake server [lossless]: the call waits under a sealed token',
    )
    expect(explainText('2025-06-18', '2025-11-25')).not.toContain('flow:')
  })
})
