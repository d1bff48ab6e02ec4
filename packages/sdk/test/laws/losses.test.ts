/** Only declared losses happen, and each is reported. */
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { isObject } from '../../src/jsonrpc/index.ts'
import { isVerdict, type Loss, path } from '../../src/versions/index.ts'
import { type Case, hold, runs } from './cases.ts'
import { downward, pairs, profiles, translate, translateBody } from './translate.ts'

function expectDeclared(loss: Loss, message: Case, rules: ReadonlySet<string>): void {
  expect(rules, `rule of ${JSON.stringify(loss)}`).toContain(loss.rule)
  expect(['i', 'w', 'E']).toContain(loss.severity)
  expect(loss.method).toBe(message.method)
  expect(loss.detail).not.toBe('')
}

describe.each(pairs)('X2 losses from $from to $to', ({ from, to }) => {
  const rules = new Set(path(from, to).flatMap(({ changes }) => changes.flatMap((change) => change.rules)))

  it.each(profiles)('name a rule on the way (%s)', (profile) => {
    hold(from, (message) => {
      for (const loss of translate(message, to, { profile }).losses) expectDeclared(loss, message, rules)
    })
  })
})

describe.each(downward)('X2 from $from down to $to', ({ from, to }) => {
  it.each(profiles)('what is reported as unharmed can be translated back to what it was (%s)', (profile) => {
    const compared = hold(from, (message) => {
      const down = translate(message, to, { profile })
      if (isVerdict(down.outcome) || down.losses.length > 0) return false
      const up = translateBody(message, down.outcome, to, from, { profile })
      if (isVerdict(up.outcome)) return expect.fail(`translating back gave ${JSON.stringify(up.outcome)}`)
      const [before, after] = [remembered(message.body), remembered(up.outcome)]
      if (!isDeepStrictEqual(after, before)) expect(after).toEqual(before)
      return true
    })
    expect(compared, 'many messages are unharmed').toBeGreaterThan(runs * 0.3)
  })
})

/** The message without what frames it: that belongs to a connection and a moment, and is written anew on each side. */
function remembered(body: unknown): unknown {
  if (!isObject(body)) return body ?? {}
  const { resultType: _type, ttlMs: _time, cacheScope: _scope, _meta, ...rest } = body
  const meta = isObject(_meta) ? Object.fromEntries(Object.entries(_meta).filter(([key]) => !key.startsWith('io.modelcontextprotocol/'))) : {}
  return Object.keys(meta).length === 0 ? rest : { ...rest, _meta: meta }
}
