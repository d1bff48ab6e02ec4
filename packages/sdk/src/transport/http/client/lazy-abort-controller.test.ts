import { describe, expect, it } from 'vitest'
import { LazyAbortController } from './lazy-abort-controller.ts'

describe('LazyAbortController', () => {
  it('calls each listener once, with the first reason', () => {
    const abortController = new LazyAbortController()
    const told: string[] = []
    const left = (): void => void told.push('left')
    abortController.on(() => told.push('one'))
    abortController.on(left)
    abortController.on(() => told.push('other'))
    abortController.off(left)
    abortController.off(() => {})
    abortController.abort('first')
    abortController.abort('second')
    abortController.on(() => told.push('late'))
    expect([abortController.aborted, abortController.reason, told]).toEqual([true, 'first', ['one', 'other']])
  })

  it('calls all listeners even if one removes itself', () => {
    const abortController = new LazyAbortController()
    const told: string[] = []
    const first = (): void => {
      told.push('first')
      abortController.off(first)
    }
    abortController.on(first)
    abortController.on(() => told.push('second'))
    abortController.abort()
    expect(told).toEqual(['first', 'second'])
  })

  it('has a default reason', () => {
    const abortController = new LazyAbortController()
    expect(() => abortController.throwIfAborted()).not.toThrow()
    abortController.abort()
    expect(abortController.reason).toMatchObject({ name: 'AbortError' })
    expect(() => abortController.throwIfAborted()).toThrow(/was aborted/)
  })

  it('is a signal for those who need one, made before or after', () => {
    const before = new LazyAbortController()
    const { signal } = before
    expect(signal.aborted).toBe(false)
    before.abort('why')
    const after = new LazyAbortController()
    after.abort('why')
    expect([signal.aborted, signal.reason, after.signal.aborted, after.signal.reason]).toEqual([
      true,
      'why',
      true,
      'why',
    ])
  })
})
