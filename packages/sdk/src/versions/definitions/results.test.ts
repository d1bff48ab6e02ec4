/** what is no result of its method is mended where that does no harm, and refused otherwise. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { versions } from '../version.ts'
import { readableResult } from './results.ts'

const text = (words: string): Body => ({ type: 'text', text: words })
const values = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at))

describe('R-02 a result of its method', () => {
  it.each<[string, Body]>([
    ['tools/call', { content: [] }],
    ['tools/call', { content: [text('a')], structuredContent: { a: 1 }, isError: false, _meta: {} }],
    ['tools/call', { task: { taskId: 'a' } }],
    ['tools/call', { resultType: 'input_required', inputRequests: {} }],
    ['prompts/get', { messages: [], description: '' }],
    ['resources/read', { contents: [] }],
    ['completion/complete', { completion: { values: values(100), total: 900 } }],
    ['tools/list', {}],
    ['odd/method', { content: 7 }],
  ])('of %s is not touched: %j', (method, result) => {
    for (const version of versions) expect(readableResult(method, result, version)).toBeUndefined()
  })
})

describe('R-02 what is none', () => {
  it.each<[string, Body, Body, string]>([
    ['tools/call', {}, { content: [] }, 'R-02 w content: there was no content'],
    [
      'tools/call',
      { content: null, isError: null },
      { content: [], isError: false },
      'R-02 i isError: "isError" was neither true nor false',
    ],
    [
      'tools/call',
      { structuredContent: { a: 1 } },
      { structuredContent: { a: 1 }, content: [text('{"a":1}')] },
      'R-02 w content: there was no content',
    ],
    ['tools/call', { content: 'done' }, { content: [text('done')] }, 'R-02 i content: the content was no list'],
    ['tools/call', { content: text('done') }, { content: [text('done')] }, 'R-02 i content: the content was no list'],
    ['tools/call', { content: [], _meta: 'x' }, { content: [] }, 'R-02 i _meta: removed metadata that is no object'],
    [
      'prompts/get',
      { description: null },
      { messages: [] },
      'R-02 i description: removed a description that is no text',
    ],
    [
      'resources/read',
      { contents: { uri: 'a', text: 'b' } },
      { contents: [{ uri: 'a', text: 'b' }] },
      'R-02 i contents: the contents were no list',
    ],
    [
      'completion/complete',
      {},
      { completion: { values: [] } },
      'R-02 w completion.values: there was no list of values',
    ],
    [
      'completion/complete',
      { completion: { values: values(300) } },
      { completion: { values: values(100), hasMore: true, total: 300 } },
      'D-51 i completion.values: kept 100 of 300 values',
    ],
    [
      'completion/complete',
      { completion: { values: values(101), total: 'many', hasMore: false } },
      { completion: { values: values(100), hasMore: true, total: 101 } },
      'D-51 i completion.values: kept 100 of 101 values',
    ],
  ])('of %s is mended where that does no harm: %j', (method, result, mended, loss) => {
    for (const version of versions) {
      const found = readableResult(method, result, version)
      expect(found?.result).toEqual(mended)
      expect(found?.losses.map(({ rule, severity, path, detail }) => `${rule} ${severity} ${path}: ${detail}`)[0]).toBe(
        loss,
      )
    }
  })

  it('is structured content that is no object, where the version has only objects', () => {
    expect(readableResult('tools/call', { content: [], structuredContent: [1] }, '2026-07-28')).toBeUndefined()
    expect(
      readableResult('tools/call', { content: [text('[1]')], structuredContent: [1] }, '2025-11-25')?.result,
    ).toEqual({ content: [text('[1]')] })
    expect(readableResult('tools/call', { structuredContent: [1] }, '2025-11-25')?.result).toEqual({
      content: [text('[1]')],
    })
  })

  it.each<[string, Body, string]>([
    ['tools/call', { content: 7 }, 'content'],
    ['prompts/get', { messages: 'hello' }, 'messages'],
    ['resources/read', {}, 'contents'],
  ])('of %s is refused otherwise: %j', (method, result, member) => {
    const message = `The answer to ${method} is no result of it: it has no list of ${member}`
    expect(() => readableResult(method, result)).toThrow(expect.objectContaining({ kind: 'invalid_answer', message }))
  })
})
