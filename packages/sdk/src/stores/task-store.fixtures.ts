/** The tests that every `TaskStore` must pass: a driver's own test calls `taskStoreContract`. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TaskRecord, TaskStore } from './task-store.ts'

export const taskRecord = (taskId: string, more: Partial<TaskRecord> = {}): TaskRecord => ({
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

/** `create` makes an empty store. */
export function taskStoreContract(name: string, create: () => TaskStore | Promise<TaskStore>): void {
  describe(`F8 ${name} is a task store`, () => {
    it('keeps a created record, once', async () => {
      const store = await create()
      expect(await store.create(taskRecord('a'), 10)).toBe(true)
      expect(await store.get('a')).toEqual(taskRecord('a'))
      await expect((async () => store.create(taskRecord('a'), 10))()).rejects.toThrow('already')
      expect(await store.get('b')).toBeUndefined()
    })

    it('keeps at most the limit for one principal', async () => {
      const store = await create()
      expect(await store.create(taskRecord('a'), 1)).toBe(true)
      expect(await store.create(taskRecord('b'), 1)).toBe(false)
      expect(await store.create(taskRecord('c', { principal: 'bob' }), 1)).toBe(true)
      expect([await store.delete('a'), await store.delete('a')]).toEqual([true, false])
      expect(await store.create(taskRecord('b'), 1)).toBe(true)
    })

    it('changes a record only from the given states', async () => {
      const store = await create()
      await store.create(taskRecord('a', { statusMessage: 'busy', questions: { q: {} } }), 10)
      expect(await store.update('a', ['input_required'], { status: 'completed', updatedAt: 2 })).toBeUndefined()
      expect(await store.get('a')).toEqual(taskRecord('a', { statusMessage: 'busy', questions: { q: {} } }))
      const change = { status: 'completed', updatedAt: 2, outcome: { result: {} } } as const
      const after = { ...taskRecord('a'), ...change }
      expect(await store.update('a', ['working'], change)).toEqual(after)
      expect(await store.get('a')).toEqual(after)
      expect(await store.update('unknown', ['working'], change)).toBeUndefined()
    })

    it('lets one of several updates at the same time win', async () => {
      const store = await create()
      await store.create(taskRecord('a'), 10)
      const changes = (['completed', 'failed', 'cancelled'] as const).map((status) =>
        (async () => store.update('a', ['working'], { status, updatedAt: 2 }))(),
      )
      const winners = (await Promise.all(changes)).filter((record) => record !== undefined)
      expect(winners).toHaveLength(1)
      expect(await store.get('a')).toEqual(winners[0])
    })

    it('deletes the tasks whose time is over, and no others', async () => {
      const store = await create()
      await store.create(taskRecord('short'), 10)
      await store.create(taskRecord('long', { ttl: 501 }), 10)
      await store.create(taskRecord('endless', { ttl: null }), 10)
      expect(await store.expire(1499)).toEqual([])
      expect(await store.expire(1500)).toEqual(['short'])
      const left = await store.list('ann', undefined, 10)
      expect(left.map(({ taskId }) => taskId)).toEqual(['endless', 'long'])
    })

    it('lists each task of a principal exactly once, in order, for every page size', async () => {
      const tasks = fc.uniqueArray(
        fc.record({
          taskId: fc.string({ minLength: 1, maxLength: 4 }),
          createdAt: fc.nat(5),
          principal: fc.constantFrom('ann', 'bob'),
        }),
        { selector: ({ taskId }) => taskId, maxLength: 20 },
      )
      await fc.assert(
        fc.asyncProperty(tasks, fc.integer({ min: 1, max: 5 }), async (all, pageSize) => {
          const store = await create()
          for (const task of all) await store.create(taskRecord(task.taskId, task), 100)
          const seen: TaskRecord[] = []
          for (;;) {
            const page = await store.list('ann', seen[seen.length - 1], pageSize)
            if (page.length === 0) break
            seen.push(...page)
          }
          const own = all.filter(({ principal }) => principal === 'ann').map(({ taskId }) => taskId)
          expect(seen.map(({ taskId }) => taskId).sort()).toEqual(own.sort())
          const times = seen.map(({ createdAt }) => createdAt)
          expect(times).toEqual([...times].sort((a, b) => a - b))
        }),
        { numRuns: 30 },
      )
    })
  })
}
