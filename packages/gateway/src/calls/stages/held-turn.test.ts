import type { Inbound } from 'parley-mcp/engine'
import { fakeClock, flush } from 'parley-mcp/testing'
import { describe, expect, it } from 'vitest'
import { ServerQuestions } from '../../upstream/conversation/server-questions.ts'
import type { Conversation } from '../../upstream/index.ts'
import type { Call } from '../call.ts'
import { HeldTurn } from './held-turn.ts'

const ROOM = { maxQueued: 10 }

/** What a turn knows of a conversation, and of its calls. Notes which call is asked a question that names none. */
function conversation() {
  const clock = fakeClock()
  const asked: Call[] = []
  const questions = new ServerQuestions({ owner: undefined, shared: false } as never, () => {})
  const call = () => {
    const made = {
      holdTurn: () => {},
      noteQuestion: () => {},
      ask: async () => {
        asked.push(made)
        return {}
      },
    } as unknown as Call
    return made
  }
  const take = (of: Call) => HeldTurn.take({ questions } as Conversation, of, clock, ROOM)
  /** The call that is asked now, if there is one. */
  const holder = async (): Promise<Call | undefined> => {
    asked.length = 0
    await questions.answer({ method: 'elicitation/create', params: {} } as Inbound)
    return asked[0]
  }
  return { clock, questions, call, take, holder }
}

describe('the turn of a call', () => {
  it('goes to the next call while a user thinks, and comes back before the answer is passed on', async () => {
    const { clock, questions, call, take, holder } = conversation()
    const [first, second] = [call(), call()]
    const held = await take(first)
    const waiting = take(second)
    const again = held.lend()
    await flush()
    expect(await holder()).toBe(first)
    await clock.advance(1000)
    const other = await waiting
    expect(await holder()).toBe(second)
    let isBack = false
    const back = again().then(() => {
      isBack = true
    })
    await flush()
    expect(isBack).toBe(false)
    other.end()
    await back
    expect(await holder()).toBe(first)
    held.end()
    expect([await holder(), questions.isTurnTaken, clock.pending]).toEqual([undefined, false, 0])
  })

  it('is kept if the answer comes soon', async () => {
    const { clock, questions, call, take, holder } = conversation()
    const first = call()
    const held = await take(first)
    const again = held.lend()
    await clock.advance(500)
    await again()
    await clock.advance(5000)
    expect(await holder()).toBe(first)
    held.end()
    expect([questions.isTurnTaken, clock.pending]).toEqual([false, 0])
  })

  it('is not taken again by a call that has ended', async () => {
    const { clock, questions, call, take, holder } = conversation()
    const held = await take(call())
    const again = held.lend()
    await clock.advance(1000)
    const other = await take(call())
    const back = again()
    held.end()
    other.end()
    await back
    expect([await holder(), questions.isTurnTaken]).toEqual([undefined, false])
  })
})
