import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../jsonrpc/index.ts'
import { change, type Rule } from './change.ts'
import { fuse, type Instruction } from './fuse.ts'
import {
  defaults,
  type Edit,
  edit,
  type Loss,
  Many,
  type Operation,
  omit,
  omitSilently,
  rename,
  split,
} from './operation.ts'
import { freeze } from './translate.fixtures.ts'
import { drop, isVerdict } from './verdict.ts'

const instruction = (id: string, apply: Rule['apply'], at?: string): Instruction => {
  const rule: Rule = { method: 'm', part: 'params', apply, ...(at === undefined ? {} : { at }) }
  return { change: change(id, { rules: [id], why: '', severity: 'i', down: [rule] }), rule }
}

function run(value: Body | undefined, ...instructions: Instruction[]): { outcome: unknown; losses: string[] } {
  const losses: string[] = []
  const plan = fuse('m', instructions)
  const outcome =
    plan === undefined
      ? value
      : plan(freeze(value), { onLoss: (loss: Loss) => losses.push(`${loss.rule} ${loss.path} ${loss.detail}`) })
  return { outcome, losses }
}

const upper: Edit = (value, context) => {
  if (typeof value['name'] !== 'string' || value['name'] === value['name'].toUpperCase()) return value
  context.lose('shouted', { path: 'name' })
  return { ...value, name: value['name'].toUpperCase() }
}
const twice: Edit = (value, context) => {
  if (value['twice'] !== true) return value
  context.lose('doubled')
  return new Many([{ ...value, twice: false }, { copy: true }])
}
const never: Edit = (value) => (value['no'] === true ? drop('no') : value)

describe('X1 fused rules', () => {
  it('do nothing when there are none', () => {
    expect(fuse('m', [])).toBeUndefined()
  })

  it('give the same reference when nothing changes, at every kind of place', () => {
    const value = { list: [{ name: 'A' }, 5, null, [{}]], inner: { deep: { name: 'B' } } }
    const places = ['', 'list[]', 'inner', 'inner.deep', 'missing', 'missing[]', 'list', 'inner[]']
    for (const at of places) {
      expect(
        run(value, instruction('R', [omit('x'), defaults({}), rename('x', 'y'), edit(upper), split(twice)], at))
          .outcome,
      ).toBe(value)
    }
  })

  it('copy only what changes', () => {
    const value = { list: [{ name: 'a' }, { name: 'B' }], other: {} }
    const outcome = run(value, instruction('R', edit(upper), 'list[]')).outcome as typeof value
    expect(outcome).toEqual({ list: [{ name: 'A' }, { name: 'B' }], other: {} })
    expect(outcome.list[1]).toBe(value.list[1])
    expect(outcome.other).toBe(value.other)
  })

  it('omit, rename and add fields', () => {
    expect(
      run({ a: 1, b: 2, c: 3 }, instruction('R', [omit('a'), rename('b', 'd'), defaults({ c: 9, e: 5 })])).outcome,
    ).toEqual({ d: 2, c: 3, e: 5 })
  })

  it('rename over a field that is there', () => {
    expect(run({ from: 1, to: 2 }, instruction('R', rename('from', 'to'))).outcome).toEqual({ to: 1 })
  })

  it('treat absent parameters as empty, and leave them absent when nothing is added', () => {
    expect(run(undefined, instruction('R', omit('a'))).outcome).toBeUndefined()
    expect(run(undefined, instruction('R', defaults({ a: 1 }))).outcome).toEqual({ a: 1 })
  })

  it('report each field that held data, with its path and the rule that removed it', () => {
    const value = { groups: [{ members: [{ a: 1 }] }, { members: [{ b: '' }, { b: {}, a: [0], c: false }] }] }
    const place = 'groups[].members[]'
    const { losses } = run(value, instruction('R-1', omit('a'), place), instruction('R-2', omit('b', 'c'), place))
    expect(losses).toEqual([
      'R-1 groups[0].members[0].a removed a',
      'R-1 groups[1].members[1].a removed a',
      'R-2 groups[1].members[1].c removed c',
    ])
  })

  it('report a field two rules omit once', () => {
    expect(run({ a: 1 }, instruction('R-1', omit('a')), instruction('R-2', omit('a'))).losses).toEqual([
      'R-1 a removed a',
    ])
  })

  it('report nothing for silent omissions and for changes without severity', () => {
    const quiet = instruction('R', omit('b'))
    const { severity: _, ...rest } = quiet.change
    expect(run({ a: 1, b: 1 }, instruction('R', omitSilently('a')), { ...quiet, change: rest })).toEqual({
      outcome: {},
      losses: [],
    })
  })

  it('report under the rule that is cited', () => {
    const cited = instruction('R-1', omit('a'))
    expect(run({ a: 1 }, { ...cited, rule: { ...cited.rule, cites: 'R-7' } }).losses).toEqual(['R-7 a removed a'])
  })

  it('make several elements of one, or none, and number the rest anew', () => {
    const value = { list: [{ twice: true, name: 'a' }, { name: 'b' }] }
    const { outcome, losses } = run(
      value,
      instruction('R-1', split(twice), 'list[]'),
      instruction('R-2', edit(upper), 'list[]'),
    )
    expect(outcome).toEqual({ list: [{ twice: false, name: 'A' }, { copy: true }, { name: 'B' }] })
    expect(losses).toEqual(['R-1 list[0] doubled', 'R-2 list[0].name shouted', 'R-2 list[2].name shouted'])
    expect(
      run(
        value,
        instruction(
          'R',
          split(() => new Many([])),
          'list[]',
        ),
      ).outcome,
    ).toEqual({ list: [] })
  })

  it('go on with each of several values where a plain edit made them', () => {
    const undo: Edit = (value) => (value['copy'] === true ? new Many([{ undone: 1 }, 5]) : value)
    const { outcome } = run(
      { list: [{ twice: true }] },
      instruction('R', [edit(twice), edit(undo), edit(upper)], 'list[]'),
    )
    expect(outcome).toEqual({ list: [{ twice: false }, { undone: 1 }, 5] })
    expect(
      isVerdict(
        run({ list: [{ twice: true }] }, instruction('R', [edit(twice), edit(() => drop('no'))], 'list[]')).outcome,
      ),
    ).toBe(true)
  })

  it('stop at the first verdict, wherever it is', () => {
    for (const [at, value] of [
      ['', { no: true, a: 1 }],
      ['inner', { inner: { no: true }, a: 1 }],
      ['list[]', { list: [{}, { no: true }], a: 1 }],
      ['list[].inner', { list: [{ inner: { no: true } }], a: 1 }],
    ] as const) {
      const { outcome, losses } = run(
        value,
        instruction('R-1', [edit(never), omit('z')], at),
        instruction('R-2', omit('a')),
      )
      expect(isVerdict(outcome) && outcome.verdict).toBe('drop')
      expect(losses).toEqual([])
    }
  })

  it('need no context', () => {
    expect(fuse('m', [instruction('R', [omit('a'), edit(upper)])])?.({ a: 1, name: 'x' })).toEqual({ name: 'X' })
  })

  it('hand edits the whole context', () => {
    const context = {
      request: { a: 1 },
      tool: () => undefined,
      clientCapabilities: {},
      clientInfo: {},
      serverInfo: {},
      logLevel: 'info',
      subscriptionId: 5,
      mint: () => 'id',
      onLoss: () => {},
    }
    let seen: Record<string, unknown> = {}
    const look: Edit = (value, given) => {
      seen = Object.fromEntries(Object.keys(context).map((key) => [key, given[key as keyof typeof given]]))
      return value
    }
    fuse('m', [instruction('R', edit(look))])?.({}, context)
    expect(seen).toEqual(context)
  })
})

const key = fc.constantFrom('a', 'b', 'c', 'name', 'twice', 'no')
const leaf = fc.oneof(fc.boolean(), fc.constantFrom('x', 'Y', ''), fc.nat(3), fc.constant(null), fc.constant({}))
const thing = fc.dictionary(key, leaf, { maxKeys: 5 })
const message: fc.Arbitrary<Body> = fc.record(
  { list: fc.array(fc.oneof(thing, leaf), { maxLength: 4 }), inner: thing, a: leaf, name: leaf },
  { requiredKeys: [] },
)
const operation: fc.Arbitrary<Operation> = fc.oneof(
  fc.uniqueArray(key, { minLength: 1, maxLength: 3 }).map((keys) => omit(...keys)),
  fc.uniqueArray(key, { minLength: 1, maxLength: 2 }).map((keys) => omitSilently(...keys)),
  fc.dictionary(key, leaf, { maxKeys: 2 }).map((values) => defaults({ ...values })),
  fc.tuple(key, key).map(([from, to]) => rename(from, to)),
  fc.constant(edit(upper)),
  fc.constant(edit(never)),
)
const splitting = fc.constant(split(twice))
const step = fc.oneof(
  fc.tuple(fc.constantFrom('', 'inner'), fc.array(operation, { minLength: 1, maxLength: 2 })),
  fc.tuple(fc.constant('list[]'), fc.array(fc.oneof(operation, splitting), { minLength: 1, maxLength: 3 })),
)
const chain = fc
  .array(step, { maxLength: 6 })
  .map((steps) => steps.map(([at, operations], index) => instruction(`R-${index}`, operations, at)))

describe('X1 fusion', () => {
  it('equals one rule after the other, in outcome and in losses', () => {
    fc.assert(
      fc.property(message, chain, (value, instructions) => {
        const fused = run(value, ...instructions)
        let current: unknown = value
        const losses: string[] = []
        for (const one of instructions) {
          const single = run(current as Body, one)
          losses.push(...single.losses)
          current = single.outcome
          if (isVerdict(current)) break
        }
        // A verdict ends the message: what was lost on the way to it depends on how far each way came.
        expect(isVerdict(fused.outcome)).toBe(isVerdict(current))
        if (isVerdict(current)) return
        expect(fused.outcome).toEqual(current)
        expect(fused.losses.toSorted()).toEqual(losses.toSorted())
      }),
      { numRuns: 2000 },
    )
  })

  it('gives the same reference exactly when every rule alone does', () => {
    fc.assert(
      fc.property(message, chain, (value, instructions) => {
        if (instructions.every((one) => run(value, one).outcome === value))
          expect(run(value, ...instructions).outcome).toBe(value)
      }),
    )
  })
})
