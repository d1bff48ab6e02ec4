import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GATEWAY, TaskOwners } from './task-owners.ts'

describe('TaskOwners', () => {
  it('D7: only the owner may ask about a task, every client about an unknown one, and none about those of the gateway', () => {
    const owners = new TaskOwners()
    owners.remember('1', 'ann')
    owners.remember('2', GATEWAY)
    const may = (taskId: unknown) => ['ann', 'eve', '', undefined].map((principal) => owners.mayAsk(taskId, principal))
    expect(may('1')).toEqual([true, false, false, false])
    expect(may('2')).toEqual([false, false, false, false])
    expect(may('3')).toEqual([true, true, true, true])
    expect(may(1)).toEqual([true, true, true, true])
    expect(may('__proto__')).toEqual([true, true, true, true])
    expect(() => owners.demand('1', 'eve')).toThrow(expect.objectContaining({ kind: 'task_not_found' }))
    owners.demand('1', 'ann')
  })

  it('D7: an id that a server uses again belongs to the last owner', () => {
    const owners = new TaskOwners()
    owners.remember('1', 'ann')
    owners.remember('1', 'eve')
    expect([owners.mayAsk('1', 'ann'), owners.mayAsk('1', 'eve'), owners.size]).toEqual([false, true, 1])
    owners.remember('1', undefined)
    expect([owners.mayAsk('1', 'ann'), owners.mayAsk('1', undefined), owners.size]).toEqual([true, true, 0])
  })

  it('L4: however many tasks one owner has, those of the others are remembered', () => {
    const owners = new TaskOwners({ maxTasks: 10, maxTasksOfOne: 4 })
    owners.remember('hers', 'ann')
    for (let index = 0; index < 100; index++) owners.remember(`eve ${index}`, 'eve')
    expect(owners.mayAsk('hers', undefined)).toBe(false)
    expect(owners.size).toBe(5)
    expect([95, 96, 99].map((index) => owners.mayAsk(`eve ${index}`, 'ann'))).toEqual([true, false, false])
  })

  it('L4: limits the tasks and never returns those of another owner, in any order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 9 }), fc.constantFrom('ann', 'bea', 'eve')), { maxLength: 60 }),
        (made) => {
          const owners = new TaskOwners({ maxTasks: 5, maxTasksOfOne: 3 })
          const last = new Map<string, string>()
          for (const [id, owner] of made) {
            owners.remember(`${id}`, owner)
            last.set(`${id}`, owner)
            expect(owners.size).toBeLessThanOrEqual(5)
            expect(owners.mayAsk(`${id}`, 'nobody')).toBe(false)
          }
          for (const [id, owner] of last) expect(owners.mayAsk(id, owner)).toBe(true)
        },
      ),
    )
  })
})
