import { describe, expect, it } from 'vitest'
import { ByteBudget, Charge } from './index.ts'

const KIB = 1024

describe('a budget of bytes', () => {
  it('counts in the larger budgets, too, and gives back once', () => {
    const total = new ByteBudget('total', 100)
    const [one, other] = [new ByteBudget('one', 60, total), new ByteBudget('other', 60, total)]
    const charge = new Charge(one, 50)
    other.add(20)
    expect([one.used, other.used, total.used, charge.bytes]).toEqual([50, 20, 70, 50])
    charge.give()
    charge.give()
    other.give(20)
    expect([one.used, other.used, total.used, charge.bytes]).toEqual([0, 0, 0, 0])
  })

  it('says which budget is full, the smallest first', () => {
    const total = new ByteBudget('total', 100)
    const [one, other] = [new ByteBudget('one', 60, total), new ByteBudget('other', 60, total)]
    one.add(55)
    expect([one.fullFor(5), one.fullFor(6)?.setting, other.fullFor(45), other.fullFor(46)?.setting]).toEqual([
      undefined,
      'one',
      undefined,
      'total',
    ])
  })

  it('leaves a part to small things, so that a client can still end what fills it', () => {
    const budget = new ByteBudget('all', 160 * KIB)
    expect([budget.fullFor(150 * KIB), budget.fullFor(151 * KIB)]).toEqual([undefined, budget])
    budget.add(150 * KIB)
    expect([budget.fullFor(8 * KIB), budget.fullFor(9 * KIB)]).toEqual([undefined, budget])
    budget.add(8 * KIB)
    expect(budget.fullFor(8 * KIB)).toBe(budget)
  })
})
