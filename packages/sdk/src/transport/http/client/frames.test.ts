import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { notificationText, requestText, resultText } from '../../../jsonrpc/index.ts'
import { answersIn, readOutgoing } from './frames.ts'

const anyId = fc.oneof(fc.string({ unit: 'binary' }), fc.maxSafeInteger())
const anyMethod = fc.string({ unit: 'binary', minLength: 1 }).filter((method) => method !== 'notifications/cancelled')

describe('M1 what a frame asks and answers', () => {
  it('requests, whatever their id and method', () => {
    fc.assert(
      fc.property(anyId, anyMethod, (id, method) => {
        const text = requestText(id, method, { id: 'inner', method: 'inner' })
        expect(readOutgoing(text)).toEqual({ requests: [id === 0 ? 0 : id], method })
        expect(answersIn(text)).toEqual([])
        const spaced = JSON.stringify({ params: {}, method, id, jsonrpc: '2.0' }, null, 2)
        expect(readOutgoing(spaced)).toEqual({ requests: [id === 0 ? 0 : id], method })
        expect(answersIn(spaced)).toEqual([])
      }),
    )
  })

  it('answers, whatever their id and the order of their members', () => {
    fc.assert(
      fc.property(anyId, (id) => {
        const result = { id: 'inner', method: 'inner', result: {} }
        for (const text of [
          resultText(id, result),
          JSON.stringify({ result, id, jsonrpc: '2.0' }),
          JSON.stringify({ jsonrpc: '2.0', id, result }, null, 1),
        ]) {
          expect(answersIn(text)).toEqual([id === 0 ? 0 : id])
          expect(readOutgoing(text)).toEqual({ requests: [], method: undefined })
        }
      }),
    )
  })

  it('notifications ask nothing; one may take a request back', () => {
    fc.assert(
      fc.property(anyId, anyMethod, (id, method) => {
        expect(readOutgoing(notificationText(method, { requestId: id }))).toEqual({ requests: [], method })
        expect(readOutgoing(notificationText('notifications/cancelled', { requestId: id }))).toEqual({
          requests: [],
          method: 'notifications/cancelled',
          cancels: id === 0 ? 0 : id,
        })
      }),
    )
    expect(readOutgoing(notificationText('notifications/cancelled', undefined))).toEqual({
      requests: [],
      method: 'notifications/cancelled',
    })
  })

  it('A-01 batches, message by message', () => {
    const batch = [
      JSON.parse(requestText(1, 'a', undefined)),
      JSON.parse(notificationText('b', undefined)),
      JSON.parse(requestText('2', 'c', undefined)),
    ]
    expect(readOutgoing(JSON.stringify(batch))).toEqual({ requests: [1, '2'], method: 'a' })
    expect(
      answersIn(
        JSON.stringify([
          { jsonrpc: '2.0', id: 1, result: {} },
          { jsonrpc: '2.0', id: 2, error: { code: 1, message: '' } },
          7,
          null,
        ]),
      ),
    ).toEqual([1, 2])
  })

  it('nothing in what is no message', () => {
    for (const text of [
      '',
      'x',
      '{"jsonrpc":',
      '7',
      'null',
      '[]',
      '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"x"}}',
    ]) {
      expect(answersIn(text)).toEqual([])
      expect(readOutgoing(text)).toEqual({ requests: [], method: undefined })
    }
  })
})
