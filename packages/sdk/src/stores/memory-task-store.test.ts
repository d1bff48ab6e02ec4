import { describe, expect, it } from 'vitest'
import { MemoryTaskStore } from './memory-task-store.ts'
import { taskRecord, taskStoreContract } from './task-store.fixtures.ts'
import { hasExpired } from './task-store.ts'

taskStoreContract('MemoryTaskStore', () => new MemoryTaskStore())

describe('F8 task records', () => {
  it('without a ttl never expire', () => {
    expect(hasExpired(taskRecord('endless', { ttl: null }), Number.MAX_SAFE_INTEGER)).toBe(false)
  })

  it('are counted', () => {
    const store = new MemoryTaskStore()
    store.create(taskRecord('a'), 10)
    store.create(taskRecord('b', { ttl: null }), 10)
    store.expire(1500)
    expect(store.size).toBe(1)
  })
})
