import type { Loss } from 'parley-mcp'
import { describe, expect, it } from 'vitest'
import { LastLosses } from './last-losses.ts'

const loss = (path: string, more: Partial<Loss> = {}): Loss =>
  ({ rule: 'B-05', severity: 'i', method: 'tools/list', path, detail: 'left out', ...more }) as Loss
const last = (of: Loss) => ({ loss: of, saidAt: 0, count: () => {} })

describe('X2 what was lost last', () => {
  it('is known again in each of its places, by whatever object tells of it', () => {
    const losses = new LastLosses()
    for (const at of [0, 1, 2]) losses.keep(last(loss(`tools[${at}]`)), 'notes')
    for (const at of [0, 1, 2]) expect(losses.find(loss(`tools[${at}]`), 'notes')?.loss.path).toBe(`tools[${at}]`)
  })

  it.each<[string, string, Loss]>([
    ['at another server', 'trains', loss('a')],
    ['in another place', 'notes', loss('b')],
    ['by another rule', 'notes', loss('a', { rule: 'B-06' })],
    ['with other words', 'notes', loss('a', { detail: 'became text' })],
    ['with another method', 'notes', loss('a', { method: 'tools/call' })],
    ['of another severity', 'notes', loss('a', { severity: 'w' })],
  ])('is not what is lost %s', (_, server, other) => {
    const losses = new LastLosses()
    losses.keep(last(loss('a')), 'notes')
    expect(losses.find(other, server)).toBeUndefined()
  })

  it('is forgotten when there is too much of it', () => {
    const losses = new LastLosses()
    for (let at = 0; at <= 200; at++) losses.keep(last(loss(`tools[${at}]`)), 'notes')
    expect(losses.find(loss('tools[0]'), 'notes')).toBeUndefined()
    expect(losses.find(loss('tools[200]'), 'notes')).toBeDefined()
  })
})
