import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Incoming, parse, resultText } from '../jsonrpc/index.ts'
import { BatchAnswer, splitBatch } from './batch.ts'
import { rule } from './rule-tests.fixtures.ts'

const request = (id: string | number, method = 'ping') => ({ jsonrpc: '2.0', id, method })
const notice = { jsonrpc: '2.0', method: 'notifications/progress' }

function items(...messages: unknown[]): Incoming[] {
  const incoming = parse(JSON.stringify(messages))
  if (incoming.kind !== 'batch') throw new Error(`not a batch: ${incoming.kind}`)
  return incoming.items
}

const ids = (text: string | undefined): unknown[] =>
  JSON.parse(text ?? '[]').map((answer: { id: unknown }) => answer.id)
const codes = (text: string | undefined): unknown[] =>
  JSON.parse(text ?? '[]').map((answer: { error?: { code: number } }) => answer.error?.code)

describe(`M1 ${rule('A-01')}`, () => {
  it('is taken apart in order', () => {
    const { messages, answer, reply } = splitBatch(items(request(1), notice, request('1')))
    expect(messages.map((item) => item.kind)).toEqual(['request', 'notification', 'request'])
    expect(answer.awaited).toEqual([1, '1'])
    expect(reply).toBeUndefined()
  })

  it('is answered by one array once all requests are, in their order', () => {
    const { answer } = splitBatch(items(request(1), notice, request('1')))
    expect(answer.answer('1', resultText('1', {}))).toBeUndefined()
    expect(answer.answer(1, resultText(1, {}))).toBe(
      '[{"jsonrpc":"2.0","id":1,"result":{}},{"jsonrpc":"2.0","id":"1","result":{}}]',
    )
  })

  it('of notifications and answers is not answered', () => {
    const { messages, answer, reply } = splitBatch(
      items(notice, { jsonrpc: '2.0', id: 5, result: {} }, { jsonrpc: '2.0', id: 6, error: { code: 1, message: '' } }),
    )
    expect(messages.map((item) => item.kind)).toEqual(['notification', 'result', 'error'])
    expect([answer.awaited, reply]).toEqual([[], undefined])
  })

  it('with initialize inside refuses it and goes on with the rest', () => {
    const { messages, answer, reply } = splitBatch(items(request(1, 'initialize'), request(2)))
    expect([messages.length, reply]).toEqual([1, undefined])
    const text = answer.answer(2, resultText(2, {}))
    expect([ids(text), codes(text)]).toEqual([
      [1, 2],
      [-32600, undefined],
    ])
  })

  it('of refused messages only is answered at once', () => {
    const { messages, reply } = splitBatch(
      items(request(1, 'initialize'), 5, { jsonrpc: '1.0', id: 7, method: 'ping' }, []),
    )
    expect(messages).toEqual([])
    expect(ids(reply)).toEqual([1, null, 7, null])
    expect(codes(reply)).toEqual([-32600, -32600, -32600, -32600])
  })

  it('never answers what looks like an answer', () => {
    expect(splitBatch(items({ jsonrpc: '2.0', id: 1, result: 5 })).reply).toBeUndefined()
  })

  it('refuses the second request with the same id', () => {
    const { messages, answer } = splitBatch(items(request(1), request(1)))
    expect(messages).toHaveLength(1)
    expect(codes(answer.answer(1, resultText(1, {})))).toEqual([undefined, -32600])
  })

  it('refuses a batch inside a batch', () => {
    expect(codes(splitBatch([{ kind: 'batch', items: [] }]).reply)).toEqual([-32600])
  })

  it('has no entry for a cancelled request', () => {
    const { answer } = splitBatch(items(request(1), request(2)))
    expect(answer.abandon(1)).toBeUndefined()
    expect(ids(answer.answer(2, resultText(2, {})))).toEqual([2])
  })

  it('of which every request was cancelled is not answered', () => {
    const { answer } = splitBatch(items(request(1)))
    expect([answer.abandon(1), answer.text(), answer.awaited]).toEqual([undefined, undefined, []])
  })

  it('ignores answers to requests that are not its own, or answered already', () => {
    const { answer } = splitBatch(items(request(1), request(2)))
    answer.answer(1, 'first')
    expect([answer.awaits(1), answer.answer(1, 'again'), answer.answer(9, 'other'), answer.abandon(9)]).toEqual([
      false,
      undefined,
      undefined,
      undefined,
    ])
    expect(answer.answer(2, 'second')).toBe('[first,second]')
  })
})

describe(`M1 ${rule('B-01')}`, () => {
  it('whatever the order of answers, the array comes once, complete and in order', () => {
    const shuffled = fc
      .uniqueArray(fc.integer(), { minLength: 1, maxLength: 20 })
      .chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })))
    fc.assert(
      fc.property(shuffled, ([all, order]) => {
        const answer = new BatchAnswer()
        for (const id of all) answer.expect(id)
        const texts = order.map((id) => answer.answer(id, resultText(id, {})))
        expect(texts.slice(0, -1).every((text) => text === undefined)).toBe(true)
        expect(ids(texts[texts.length - 1])).toEqual(all)
      }),
    )
  })
})
