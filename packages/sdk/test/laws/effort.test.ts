/**
 * Translation does little: what takes time is counted here, and timed in `bench/`, where a noisy machine cannot fail a
 * test.
 */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../src/jsonrpc/index.ts'
import { plan } from '../../src/versions/index.ts'
import { pairs } from './translate.ts'

const TOOLS = 50

/** A list of tools that counts how often its elements are looked at. */
function counted(count: number): { tools: Body[]; looks: () => number } {
  let looks = 0
  const tools: Body[] = Array.from({ length: count }, (_, at) => ({
    name: `tool${at}`,
    title: 'A tool',
    description: 'Does something',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { high: { type: 'number' } } },
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.com/icon.png' }],
  }))
  const watched = new Proxy(tools, {
    get(target, key, receiver) {
      if (typeof key === 'string' && /^\d+$/.test(key)) looks++
      return Reflect.get(target, key, receiver) as unknown
    },
  })
  return { tools: watched, looks: () => looks }
}

function looksFor(
  from: (typeof pairs)[number]['from'],
  to: (typeof pairs)[number]['to'],
  profile: 'lenient' | 'strict',
  count: number,
): number {
  const { tools, looks } = counted(count)
  plan(from, to, 'tools/list', 'result', { profile })?.({ tools })
  return looks()
}

describe.each(pairs)('X7 from $from to $to', ({ from, to }) => {
  it.each(['lenient', 'strict'] as const)(
    'a list is walked a fixed number of times however many steps lie between, and effort grows with its length alone (%s)',
    (profile) => {
      const looks = looksFor(from, to, profile, TOOLS)
      // A pass reads an element, and again where it compares it with what became of it.
      expect(looks).toBeLessThanOrEqual(TOOLS * 6)
      expect(looksFor(from, to, profile, TOOLS * 2)).toBeLessThanOrEqual(looks * 2)
    },
  )

  it('a plan is made once', () => {
    expect(plan(from, to, 'tools/list', 'result')).toBe(plan(from, to, 'tools/list', 'result'))
  })
})
