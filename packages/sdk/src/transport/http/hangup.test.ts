import { describe, expect, it } from 'vitest'
import { Hangup } from './hangup.ts'

describe('hanging up', () => {
  it('is told once to everybody who listens then, with the first reason', () => {
    const hangup = new Hangup()
    const told: string[] = []
    const left = (): void => void told.push('left')
    hangup.on(() => told.push('one'))
    hangup.on(left)
    hangup.on(() => told.push('other'))
    hangup.off(left)
    hangup.off(() => {})
    hangup.abort('first')
    hangup.abort('second')
    hangup.on(() => told.push('late'))
    expect([hangup.aborted, hangup.reason, told]).toEqual([true, 'first', ['one', 'other']])
  })

  it('reaches whoever listens even when one of them leaves meanwhile', () => {
    const hangup = new Hangup()
    const told: string[] = []
    const first = (): void => {
      told.push('first')
      hangup.off(first)
    }
    hangup.on(first)
    hangup.on(() => told.push('second'))
    hangup.abort()
    expect(told).toEqual(['first', 'second'])
  })

  it('has a reason of the usual kind when none is given', () => {
    const hangup = new Hangup()
    expect(() => hangup.throwIfAborted()).not.toThrow()
    hangup.abort()
    expect(hangup.reason).toMatchObject({ name: 'AbortError' })
    expect(() => hangup.throwIfAborted()).toThrow(/Nobody waits/)
  })

  it('is a signal for those who need one, made before or after', () => {
    const before = new Hangup()
    const { signal } = before
    expect(signal.aborted).toBe(false)
    before.abort('why')
    const after = new Hangup()
    after.abort('why')
    expect([signal.aborted, signal.reason, after.signal.aborted, after.signal.reason]).toEqual([
      true,
      'why',
      true,
      'why',
    ])
  })
})
