import { PassThrough } from 'node:stream'
import type { FormSchema } from 'parley-mcp'
import type { ElicitQuestion } from 'parley-mcp/client'
import { describe, expect, it } from 'vitest'
import type { CliIo, Reader } from '../terminal/io.ts'
import { QuestionAnswerer } from './question-answerer.ts'
import { ScriptedAnswers } from './scripted-answers.ts'

/** As it comes from JSON: a field of its own, and nobody's prototype. */
const schema = JSON.parse(
  '{"type":"object","properties":{"__proto__":{"type":"string"},"city":{"type":"string"}},"required":["__proto__"]}',
) as FormSchema
const FILLED = '{"__proto__":"x","city":"Oslo"}'

describe('F6 a field with the name of what objects inherit from', () => {
  it('is answered by --answer', () => {
    const filled = new ScriptedAnswers(['__proto__=x', 'city=Oslo']).fill(schema)
    expect(JSON.stringify('content' in filled && filled.content)).toBe(FILLED)
  })

  it('is answered at the terminal', async () => {
    const stdin = new PassThrough()
    const answers = ['yes\n', 'x\n', 'Oslo\n']
    const stderr = {
      isTTY: true,
      write: (text: string) => void (text.endsWith(': ') && stdin.write(answers.shift() ?? '')),
    }
    const io = {
      stdin: Object.assign(stdin, { isTTY: true }) as unknown as Reader,
      stderr,
      stdout: stderr,
      env: {},
      onInterrupt: () => () => {},
    } as CliIo
    const answerer = new QuestionAnswerer(io, {}, () => {})
    const question = { message: 'Where?', schema, signal: new AbortController().signal } as unknown as ElicitQuestion
    const reply = await answerer.answer(question)
    answerer.close()
    expect(JSON.stringify(reply)).toBe(`{"action":"accept","content":${FILLED}}`)
  })
})

describe('F6 --answer decides nothing that it does not name', () => {
  const form = (properties: FormSchema['properties'], required: string[] = []): FormSchema => ({
    type: 'object',
    properties,
    required,
  })
  const optional = form({ note: { type: 'string' } })
  const confirmed = form({ sure: { type: 'boolean', default: true } }, ['sure'])

  it.each([
    { what: 'where every field may be left out', schema: optional },
    { what: 'where every field has a default', schema: confirmed },
  ])('$what, it declines once every answer was for another question', ({ schema: asked }) => {
    const answers = new ScriptedAnswers(['city=Oslo'])
    expect(answers.fill(form({ city: { type: 'string' } }))).toEqual({ content: { city: 'Oslo' } })
    expect(answers.fill(asked)).toEqual({ declined: 'no --answer is for one of its fields' })
  })

  it.each([{ schema: optional }, { schema: confirmed }])(
    'an answer that fits no field is a mistake, though nothing has to be filled in: $schema',
    ({ schema: asked }) => {
      expect(() => new ScriptedAnswers(['city=Oslo']).fill(asked)).toThrow(
        /--answer city: the server does not ask for this field/,
      )
    },
  )

  it('a question without fields is declined', () => {
    expect(new ScriptedAnswers(['city=Oslo']).fill(form({}))).toEqual({
      declined: 'it asks for no field, and --answer fills in fields',
    })
  })
})
