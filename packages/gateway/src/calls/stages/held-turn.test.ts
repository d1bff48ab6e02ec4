import { fakeClock, flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { Mutex } from '../../upstream/conversation/mutex.ts'
import type { Conversation } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import { HeldTurn } from './held-turn.ts'

const ROOM = { maxQueued: 10 }

/** What a turn knows of a conversation, and of a call. */
function conversation() {
  const clock = fakeClock()
  const line = { turns: new Mutex(), holder: undefined } as unknown as Conversation
  const call = () => ({ turn: undefined }) as unknown as Call
  const take = (of: Call) => HeldTurn.take(line, of, clock, ROOM)
  return { clock, line, call, take }
}

describe('8.2 rule 1: the turn of a call', () => {
  it('is given to the next call while a person thinks, and is had again before the answer goes on', async () => {
    const { clock, line, call, take } = conversation()
    const [first, second] = [call(), call()]
    const held = await take(first)
    const waiting = take(second)
    const again = held.lend()
    await flush()
    expect(line.holder).toBe(first)
    await clock.advance(1000)
    const other = await waiting
    expect(line.holder).toBe(second)
    let isBack = false
    const back = again().then(() => {
      isBack = true
    })
    await flush()
    expect(isBack).toBe(false)
    other.end()
    await back
    expect(line.holder).toBe(first)
    held.end()
    expect([line.holder, line.turns.taken, clock.pending]).toEqual([undefined, false, 0])
  })

  it('is kept where the answer comes soon', async () => {
    const { clock, line, call, take } = conversation()
    const first = call()
    const held = await take(first)
    const again = held.lend()
    await clock.advance(500)
    await again()
    await clock.advance(5000)
    expect(line.holder).toBe(first)
    held.end()
    expect([line.turns.taken, clock.pending]).toEqual([false, 0])
  })

  it('is not taken again by a call that has ended meanwhile', async () => {
    const { clock, line, call, take } = conversation()
    const held = await take(call())
    const again = held.lend()
    await clock.advance(1000)
    const other = await take(call())
    const back = again()
    held.end()
    other.end()
    await back
    expect([line.holder, line.turns.taken]).toEqual([undefined, false])
  })
})
