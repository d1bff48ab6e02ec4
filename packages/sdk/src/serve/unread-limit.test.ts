import { describe, expect, it } from 'vitest'
import { ByteBudget } from '../collections/index.ts'
import { UnreadLimit } from './unread-limit.ts'

const KIB = 1024

class FakeSocket {
  writableLength = 0
  destroyed = false
  readonly listeners = new Map<() => void, string>()

  once(event: string, listener: () => void): void {
    this.listeners.set(listener, event)
  }

  off(_event: string, listener: () => void): void {
    this.listeners.delete(listener)
  }

  drain(): void {
    this.writableLength = 0
    this.#tell()
  }

  destroy(): void {
    this.destroyed = true
    this.#tell()
  }

  /** The same listener waits for both. */
  #tell(): void {
    for (const listener of [...this.listeners.keys()]) listener()
  }
}

function start() {
  const budget = new ByteBudget('maxUnreadTotal', 1000 * KIB)
  const unread = new UnreadLimit(budget)
  const write = (socket: FakeSocket, bytes: number): void => {
    socket.writableLength += bytes
    unread.check(socket)
  }
  return { budget, write }
}

describe('L4 what clients leave unread', () => {
  it('is counted until it is read, or the client is gone', () => {
    const { budget, write } = start()
    const [one, other, quick] = [new FakeSocket(), new FakeSocket(), new FakeSocket()]
    write(one, 100 * KIB)
    write(one, 100 * KIB)
    write(other, 300 * KIB)
    write(quick, KIB)
    expect(budget.used).toBe(500 * KIB)
    one.drain()
    expect(budget.used).toBe(300 * KIB)
    other.destroy()
    expect(budget.used).toBe(0)
    for (const socket of [one, other, quick]) expect(socket.listeners.size).toBe(0)
  })

  it('are limited in total; over the limit, the connections with the most are closed', () => {
    const { budget, write } = start()
    const sockets = Array.from({ length: 10 }, () => new FakeSocket())
    for (const [at, socket] of sockets.entries()) write(socket, (at + 1) * 25 * KIB)
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([...Array(8).fill(false), true, true])
    expect(budget.used).toBeLessThanOrEqual(budget.limit)
    write(sockets[4] as FakeSocket, 400 * KIB)
    expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(3)
    expect(sockets[4]?.destroyed).toBe(true)
  })
})
