import { describe, expect, it } from 'vitest'
import type { Rule } from './change.ts'
import { rule } from './rule-tests.fixtures.ts'
import { ruleInfo, rules } from './rules.ts'
import { steps } from './version.ts'

// Sources are compiled without the types of Node; a test may use it, and says itself what it uses.
const { readdirSync, readFileSync } = (await import('node:fs' as string)) as {
  readdirSync(path: URL, options: { recursive: true }): string[]
  readFileSync(path: URL, encoding: 'utf8'): string
}

const folder = new URL('./', import.meta.url)

/** Rule id → the text of every `describe` block that names it. */
function testedBlocks(): Map<string, string> {
  const blocks = new Map<string, string>()
  for (const file of readdirSync(folder, { recursive: true }).filter((name) => name.endsWith('.test.ts'))) {
    const text = readFileSync(new URL(file, folder), 'utf8')
    for (const block of text.split(/^(?=describe)/m)) {
      const head = /^describe(?:\.\w+)*\(\s*(?:`[^`]*\$\{)?rule\('([^']+)'\)/.exec(block)
      const id = head?.[1]
      if (id !== undefined) blocks.set(id, (blocks.get(id) ?? '') + block)
    }
  }
  return blocks
}

const blocks = testedBlocks()
const shapes = rules.filter((one) => one.kind === 'shape').map((one) => one.id)
const tests = (direction: 'up' | 'down', id: string): boolean =>
  new RegExp(`\\(\\s*['"\`]${direction}\\b`).test(blocks.get(id) ?? '')

describe('X1 every rule on shapes', () => {
  it.each(shapes)('%s is tested up and down', (id) => {
    expect({ up: tests('up', id), down: tests('down', id) }).toEqual({ up: true, down: true })
  })

  it.each(shapes)('%s is carried out or noted by a change of its step', (id) => {
    const step = steps.find((each) => each.rules.some(([own]) => own === id))
    expect(step?.changes.filter((change) => change.rules.includes(id)).length).toBeGreaterThan(0)
  })
})

describe('X1 the list of rules', () => {
  it('names each once', () => {
    expect(new Set(rules.map((one) => one.id)).size).toBe(rules.length)
  })

  it('holds every rule the steps cite, and every loss is reported under a rule of its change', () => {
    for (const change of steps.flatMap((step) => step.changes)) {
      for (const id of change.rules) expect(ruleInfo(id), `${change.name} cites ${id}`).toBeDefined()
      for (const one of [...(change.up ?? []), ...(change.down ?? [])])
        if (one.cites !== undefined) expect(change.rules).toContain(one.cites)
    }
  })

  it('says each in one sentence', () => {
    for (const { summary } of rules) expect(summary).toMatch(/^[A-Z].{20,}[^.]\.$/)
  })

  it('refuses a test of a rule it does not hold', () => {
    expect(() => rule('Z-99')).toThrow('Z-99')
    expect(ruleInfo('Z-99')).toBeUndefined()
  })
})

describe('X1 the changes', () => {
  const changes = steps.flatMap((step) => step.changes.map((change) => [change.name, change] as const))

  it('have a name of their own, a reason, and a rule', () => {
    expect(new Set(changes.map(([name]) => name)).size).toBe(changes.length)
    for (const [name, change] of changes)
      expect([change.rules.length > 0, /\.$/.test(change.why)], name).toEqual([true, true])
  })

  it('say what is lost wherever they remove fields that hold data', () => {
    const removes = (one: Rule): boolean =>
      [one.apply].flat().some((operation) => operation.op === 'omit' && !operation.lossless)
    for (const [name, change] of changes) if (change.down?.some(removes)) expect(change.loses, name).toBeDefined()
  })
})
