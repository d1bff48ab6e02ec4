import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hasExpired, MemoryTaskStore, type TaskRecord } from './task-store.ts'

const record = (taskId: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
  taskId,
  principal: 'ann',
  method: 'tools/call',
  params: { name: 'x' },
  status: 'working',
  createdAt: 1000,
  updatedAt: 1000,
  ttl: 500,
  pollInterval: 100,
  ...more,
})

describe('F8 tasks in memory', () => {
  it('keeps what is created, once', () => {
    const store = new MemoryTaskStore()
    expect(store.create(record('a'), 10)).toBe(true)
    expect(store.get('a')).toEqual(record('a'))
    expect(() => store.create(record('a'), 10)).toThrow('already')
    expect(store.get('b')).toBeUndefined()
  })

  it('keeps no more than the limit for one principal', () => {
    const store = new MemoryTaskStore()
    expect([store.create(record('a'), 1), store.create(record('b'), 1), store.create(record('c', { principal: 'bob' }), 1)]).toEqual([true, false, true])
    expect(store.delete('a')).toBe(true)
    expect(store.delete('a')).toBe(false)
    expect(store.create(record('b'), 1)).toBe(true)
  })

  it('changes a record only from the states it is told', () => {
    const store = new MemoryTaskStore()
    store.create(record('a', { statusMessage: 'busy' }), 10)
    expect(store.update('a', ['input_required'], { status: 'completed', updatedAt: 2 })).toBeUndefined()
    expect(store.get('a')).toEqual(record('a', { statusMessage: 'busy' }))
    const after = { ...record('a'), status: 'completed', updatedAt: 2, outcome: { result: {} } }
    expect(store.update('a', ['working'], { status: 'completed', updatedAt: 2, outcome: { result: {} } })).toEqual(after)
    expect(store.get('a')).toEqual(after)
    expect(store.update('nope', ['working'], { status: 'completed', updatedAt: 2 })).toBeUndefined()
  })

  it('removes those whose time is over, and no others', () => {
    const store = new MemoryTaskStore()
    store.create(record('soon'), 10)
    store.create(record('later', { ttl: 501 }), 10)
    store.create(record('never', { ttl: null }), 10)
    expect(store.expire(1499)).toEqual([])
    expect(store.expire(1500)).toEqual(['soon'])
    expect(store.size).toBe(2)
    expect(hasExpired(record('never', { ttl: null }), Number.MAX_SAFE_INTEGER)).toBe(false)
  })

  it('lists each task of a principal exactly once, however it is paged', () => {
    const tasks = fc.uniqueArray(
      fc.record({ taskId: fc.string({ minLength: 1, maxLength: 4 }), createdAt: fc.nat(5), principal: fc.constantFrom('ann', 'bob') }),
      {
        selector: ({ taskId }) => taskId,
        maxLength: 20,
      },
    )
    fc.assert(
      fc.property(tasks, fc.integer({ min: 1, max: 5 }), (all, pageSize) => {
        const store = new MemoryTaskStore()
        for (const task of all) store.create(record(task.taskId, task), 100)
        const seen: TaskRecord[] = []
        for (;;) {
          const page = store.list('ann', seen[seen.length - 1], pageSize)
          if (page.length === 0) break
          seen.push(...page)
        }
        expect(seen.map(({ taskId }) => taskId).sort()).toEqual(
          all
            .filter(({ principal }) => principal === 'ann')
            .map(({ taskId }) => taskId)
            .sort(),
        )
        expect(seen.map(({ createdAt }) => createdAt)).toEqual(seen.map(({ createdAt }) => createdAt).sort((a, b) => a - b))
      }),
    )
  })

  it('records are plain JSON', () => {
    const full = record('a', { statusMessage: 'm', outcome: { error: { code: 1, message: 'm', data: { a: [1] } } } })
    expect(JSON.parse(JSON.stringify(full))).toEqual(full)
  })
})
