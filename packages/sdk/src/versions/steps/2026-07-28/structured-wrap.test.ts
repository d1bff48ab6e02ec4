import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Body, noteParts, noteText, resultText } from '../../../jsonrpc/index.ts'
import { membersText, objectText, valueText } from '../../../jsonrpc/long-numbers.fixtures.ts'
import type { TranslationContext } from '../../operation.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { down, text, up, withLosses } from './stateless.fixtures.ts'

describe(rule('D-43'), () => {
  const listing = { name: 'ls', inputSchema: { type: 'object' }, outputSchema: { type: 'array' } }
  const context: TranslationContext = { request: { name: 'ls' }, tool: (name) => (name === 'ls' ? listing : undefined) }

  it('up passes', () => {
    expect(up('tools/call', 'result', { content: [], structuredContent: { a: 1 } })).toMatchObject({
      structuredContent: { a: 1 },
    })
  })
  it.each([[[1, 2]], ['text'], [3], [false], [null]])(
    'down wraps %j and writes it out where there is no text',
    (value) => {
      const { outcome, losses } = withLosses((losing) =>
        down('tools/call', 'result', { content: [], structuredContent: value }, losing),
      )
      expect(outcome).toEqual({ content: [text(JSON.stringify(value))], structuredContent: { result: value } })
      expect(losses).toEqual(['D-43 i structuredContent'])
    },
  )
  it('down writes numbers out with all the digits they came with', () => {
    const json = '{"content":[],"structuredContent":[12345678901234567890]}'
    const result = JSON.parse(json)
    noteParts(json, result)
    expect(down('tools/call', 'result', result)).toMatchObject({ content: [text('[12345678901234567890]')] })
  })
  it('down keeps every digit of any value, in the object around it as in the text, and of all that is beside it', () => {
    fc.assert(
      fc.property(valueText, membersText, (value, others) => {
        const json = objectText({ ...others, content: '[]', structuredContent: value })
        const result = JSON.parse(json) as Body
        noteText(json, result, result)
        const outcome = down('tools/call', 'result', result, context) as Body
        const content = JSON.stringify([text(value)])
        const expected = objectText({ ...others, content, structuredContent: `{"result":${value}}` })
        expect(resultText(1, outcome)).toBe(`{"jsonrpc":"2.0","id":1,"result":${expected}}`)
      }),
    )
  })
  it('down adds no text beside text', () => {
    const image = { type: 'image', data: '', mimeType: 'image/png' }
    expect(down('tools/call', 'result', { content: [image, text('two')], structuredContent: 2 })).toEqual({
      content: [image, text('two')],
      structuredContent: { result: 2 },
    })
    expect(down('tools/call', 'result', { content: [image], structuredContent: 2 })).toMatchObject({
      content: [image, text('2')],
    })
  })
  it('down wraps an object too when the schema of the tool is wrapped, and only then', () => {
    const answer = { content: [text('x')], structuredContent: { a: 1 } }
    expect(down('tools/call', 'result', answer, context)).toEqual({
      content: [text('x')],
      structuredContent: { result: { a: 1 } },
    })
    expect(down('tools/call', 'result', answer, { ...context, request: { name: 'other' } })).toBe(answer)
    expect(down('tools/call', 'result', answer)).toBe(answer)
  })
  it('down wraps results that a sampling request quotes, by the schemas of the tools it offers', () => {
    const quoted = (id: string, structuredContent: unknown): Body => ({
      type: 'tool_result',
      toolUseId: id,
      content: [text('x')],
      structuredContent,
    })
    const asked = {
      maxTokens: 1,
      tools: [listing, { name: 'stat', inputSchema: { type: 'object' }, outputSchema: { type: 'object' } }],
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: '1', name: 'ls', input: {} },
            { type: 'tool_use', id: '2', name: 'stat', input: {} },
          ],
        },
        { role: 'user', content: [quoted('1', { a: 1 }), quoted('2', { b: 2 })] },
        { role: 'user', content: quoted('?', 7) },
      ],
    }
    const { outcome, losses } = withLosses((losing) => down('sampling/createMessage', 'params', asked, losing))
    expect((outcome as typeof asked).messages.slice(1)).toEqual([
      { role: 'user', content: [quoted('1', { result: { a: 1 } }), quoted('2', { b: 2 })] },
      { role: 'user', content: quoted('?', { result: 7 }) },
    ])
    expect(losses).toEqual([
      'D-43 i messages[1].content[0].structuredContent',
      'D-43 i messages[2].content.structuredContent',
      'D-44 i tools[0].outputSchema',
    ])
  })
  it('down wraps results inside a sampled message', () => {
    const block = { type: 'tool_result', toolUseId: '1', content: [], structuredContent: [] }
    expect(down('sampling/createMessage', 'result', { role: 'user', model: 'm', content: block })).toEqual({
      role: 'user',
      model: 'm',
      content: { ...block, structuredContent: { result: [] }, content: [text('[]')] },
    })
  })
})

describe(rule('D-44'), () => {
  const tool = (outputSchema: unknown): Body => ({ name: 't', inputSchema: { type: 'object' }, outputSchema })
  const wrapped = (outputSchema: unknown): unknown =>
    (down('tools/list', 'result', { tools: [tool(outputSchema)] }) as { tools: Body[] }).tools[0]?.['outputSchema']

  it('up passes', () => {
    expect(up('tools/list', 'result', { tools: [tool({ type: 'object' })] })).toMatchObject({
      tools: [tool({ type: 'object' })],
    })
  })
  it('down leaves object schemas alone', () => {
    const list = { tools: [tool({ type: 'object', properties: { a: {} } }), tool(undefined)] }
    expect(down('tools/list', 'result', list)).toBe(list)
  })
  it('down wraps every other root and keeps the dialect at the root', () => {
    expect(
      wrapped({ $schema: 'https://json-schema.org/draft/2020-12/schema', type: 'array', items: { type: 'number' } }),
    ).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { result: { type: 'array', items: { type: 'number' } } },
      required: ['result'],
    })
    expect(wrapped({ type: ['object', 'null'] })).toMatchObject({
      properties: { result: { type: ['object', 'null'] } },
    })
    expect(wrapped({})).toEqual({ type: 'object', properties: { result: {} }, required: ['result'] })
  })
  it('down reports it with the place', () => {
    const { losses } = withLosses((context) =>
      down('tools/list', 'result', { tools: [tool({ type: 'object' }), tool({})] }, context),
    )
    expect(losses).toEqual(['D-44 i tools[1].outputSchema'])
  })
})
