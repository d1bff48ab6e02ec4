import { describe, expect, it } from 'vitest'
import { Charge } from '../../collections/index.ts'
import { costOf, MemoryBudgets, totalFor } from './budgets.ts'

const MIB = 1024 * 1024

describe('L4 what may be kept because of clients', () => {
  it('is one budget for a principal, however many sessions it has', () => {
    const budgets = new MemoryBudgets({ session: 100, principal: 150, total: 1000 })
    const [one, other] = [budgets.session('ann'), budgets.session('ann')]
    one.add(90)
    other.add(50)
    expect(other.fullFor(20)?.setting).toBe('memory.principal')
    expect(budgets.client('ann').used).toBe(140)
    expect([budgets.session('bea').fullFor(100), budgets.session().fullFor(100)]).toEqual([undefined, undefined])
    expect(budgets.total.used).toBe(140)
  })

  it('tells whose budget is full, and what to do', () => {
    const budgets = new MemoryBudgets({ session: 100, principal: 150, total: 160 }, 'gateway.memory')
    const session = budgets.session('ann')
    const why = (): unknown => budgets.noRoom(session, 101, 'tools/call', 0)
    expect(why()).toMatchObject({
      kind: 'refusal_resource_constraints',
      message: expect.stringMatching(
        /^There is no room for tools\/call of about 101 bytes: 0 bytes are kept for this session, and gateway\.memory\.session allows 100\. Wait/,
      ),
      data: { setting: 'gateway.memory.session', limit: 100, used: 0, needed: 101 },
    })
    budgets.client('ann').add(60)
    expect(budgets.noRoom(session, 100, 'tools/call', 0)?.message).toContain('60 bytes are kept for this client')
    budgets.total.add(90)
    expect(budgets.noRoom(session, 20, 'tools/call', 0)?.message).toContain(
      '150 bytes are kept for all clients together',
    )
  })

  it('forgets clients that keep nothing, and no others', () => {
    const budgets = new MemoryBudgets()
    const busy = budgets.client('busy')
    busy.add(1)
    for (let n = 0; n < 5000; n++) budgets.client(`client ${n}`)
    expect(budgets.client('busy')).toBe(busy)
    expect(budgets.client('client 0').used).toBe(0)
  })

  it('counts a handler whose client has given up until it ends, or for a minute', () => {
    const budgets = new MemoryBudgets({ total: 100 })
    const session = budgets.session()
    const [ended, endless] = [new Charge(session, 30), new Charge(session, 40)]
    for (const charge of [ended, endless]) budgets.linger(charge, 0)
    ended.give()
    expect(session.used).toBe(40)
    expect(budgets.noRoom(session, 90, 'tools/call', 59_999)).toBeDefined()
    expect(budgets.noRoom(session, 90, 'tools/call', 60_000)).toBeUndefined()
    endless.give()
    expect([session.used, budgets.total.used]).toEqual([0, 0])
  })

  it('is in all an eighth of the heap, where that is known', () => {
    expect([undefined, 128 * MIB, 1024 * MIB, 65_536 * MIB].map(totalFor)).toEqual([
      256 * MIB,
      16 * MIB,
      128 * MIB,
      512 * MIB,
    ])
    expect(new MemoryBudgets().total.limit).toBeLessThanOrEqual(512 * MIB)
    for (const total of [0, -1, 1.5, Number.NaN])
      expect(() => new MemoryBudgets({ total })).toThrow('memory.total must be a whole number of bytes')
  })

  it('costs more than its text where that is read into many values', () => {
    const dense = JSON.stringify(Array.from({ length: 10_000 }, () => ({})))
    expect(costOf(JSON.parse(dense), dense.length)).toBeGreaterThan(500_000)
    const text = JSON.stringify({ text: 'x'.repeat(100_000) })
    expect(costOf(JSON.parse(text), text.length)).toBeLessThan(110_000)
  })
})
