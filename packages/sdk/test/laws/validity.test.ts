/**
 * Valid in, valid out: for every pair of versions and both profiles, a translation makes a message of the target
 * version or says why not.
 */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { errorKinds, ParleyError } from '../../src/errors/index.ts'

import { eraOf, isVerdict, methodIn, type ProtocolVersion, type Verdict } from '../../src/versions/index.ts'
import { type Case, hold, runs } from './cases.ts'
import { kindOf } from './definitions.ts'
import { judge, oracles } from './oracle.ts'
import { pairs, profiles, translate } from './translate.ts'

console.info(`Translated messages are judged by ${oracles}`)

/** Whoever gets a verdict has to be able to send it on. */
function judgeVerdict(verdict: Verdict, message: Case, to: ProtocolVersion): void {
  switch (verdict.verdict) {
    case 'drop':
      expect(kindOf(message.method), 'only notifications are dropped').toBe('notification')
      return
    case 'refuse': {
      expect(kindOf(message.method), 'notifications are never answered').toBe('request')
      expect(verdict.error).toBeInstanceOf(ParleyError)
      expect(errorKinds).toContain(verdict.error.kind)
      // A refused request is answered to its sender, a refused result goes on as an error.
      const reader = message.part === 'params' ? message.version : to
      expect(judge(reader, message.method, 'error', verdict.error.toWire(reader))).toBeUndefined()
      return
    }
    case 'result':
      expect(message.part, 'only errors become results').toBe('error')
      expect(judge(to, message.method, 'result', verdict.result)).toBeUndefined()
  }
}

/** Asking `expect` only when something is wrong: it is slow, and there are very many messages. */
function expectValid(version: ProtocolVersion, { method, part }: Case, body: unknown): void {
  const complaint = judge(version, method, part, body)
  if (complaint !== undefined) expect.fail(`${complaint}\n${JSON.stringify(body)}`)
}

/** A task instead of a result: what becomes of it is a conversation, not a translation. */
function isTask(message: Case): boolean {
  return message.part === 'result' && message.body !== undefined && Object.hasOwn(message.body, 'task')
}

/** Where questions travel inside results, an answer to one is never an error. */
function isAnswerToQuestion(message: Case, to: ProtocolVersion): boolean {
  return message.part === 'error' && methodIn(to, message.method)?.from === 'embedded'
}

describe.each(pairs)('X1 Q from $from to $to', ({ from, to }) => {
  it.each(profiles)('every valid message becomes a valid one or a verdict (%s)', (profile) => {
    const looked = hold(from, (message) => {
      const { outcome } = translate(message, to, { profile })
      const exists = methodIn(to, message.method) !== undefined
      if (!exists && message.part === 'params' && !isVerdict(outcome))
        expect.fail(`${to} does not have ${message.method}, and yet there is no verdict`)
      if (isVerdict(outcome)) return judgeVerdict(outcome, message, to)
      // Nobody in the target version asks for this, so there is nothing it could be a valid answer to.
      if (!exists || isAnswerToQuestion(message, to)) return
      expectValid(to, message, outcome)
    })
    expect(looked).toBeGreaterThanOrEqual(runs)
  })

  it.each(profiles)(
    'what did not have to change is the same object, and nothing is written to the input (%s)',
    (profile) => {
      // Cases are deeply frozen: a write would throw.
      hold(from, (message) => {
        const { outcome } = translate(message, to, { profile })
        if (outcome !== message.body && isDeepStrictEqual(outcome, message.body)) expect.fail('an equal copy was made')
      })
    },
  )
})

const intoStateless = pairs.filter(({ from, to }) => eraOf(from) !== eraOf(to) && eraOf(to) === 'stateless')

describe.each(intoStateless)('X1 from $from to the vocabulary of $to', ({ from, to }) => {
  const framed = (message: Case, body: object): object => {
    if (kindOf(message.method) === 'notification' || methodIn(to, message.method)?.from === 'embedded') return body
    if (message.part === 'result') return { resultType: 'complete', ttlMs: 0, cacheScope: 'private', ...body }
    const keys = { 'io.modelcontextprotocol/protocolVersion': to, 'io.modelcontextprotocol/clientCapabilities': {} }
    return { ...body, _meta: { ...(body as { _meta?: object })._meta, ...keys } }
  }

  it('a body becomes a valid message once a session has put it in its envelope', () => {
    hold(from, (message) => {
      const { outcome } = translate(message, to, { scope: 'body' })
      // Sessions know errors by their kind and cancellations by their request, and write both themselves.
      const written =
        message.part !== 'error' &&
        message.method !== 'notifications/cancelled' &&
        methodIn(to, message.method) !== undefined
      if (!written || isVerdict(outcome) || isTask(message)) return false
      expectValid(to, message, framed(message, (outcome ?? {}) as object))
      return true
    })
  })
})
