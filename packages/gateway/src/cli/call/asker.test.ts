import { PassThrough } from 'node:stream'
import type { FormSchema } from 'parley-mcp'
import type { ElicitQuestion } from 'parley-mcp/client'
import { describe, expect, it } from 'vitest'
import type { CliIo, Reader } from '../io.ts'
import { Asker } from './asker.ts'
import { ScriptedAnswers } from './scripted.ts'

/** As it comes from JSON: a field of its own, and nobody's prototype. */
const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"city":{"type":"string"}},"required":["__proto__"]}') as FormSchema
const FILLED = '{"__proto__":"x","city":"Oslo"}'

describe('F6 a field with the name of what objects inherit from', () => {
  it('is answered by --answer', () => {
    const filled = new ScriptedAnswers(['__proto__=x', 'city=Oslo']).fill(schema)
    expect(JSON.stringify('content' in filled && filled.content)).toBe(FILLED)
  })

  it('is answered at the terminal', async () => {
    const stdin = new PassThrough()
    const answers = ['yes\n', 'x\n', 'Oslo\n']
    const stderr = { isTTY: true, write: (text: string) => void (text.endsWith(': ') && stdin.write(answers.shift() ?? '')) }
    const io = { stdin: Object.assign(stdin, { isTTY: true }) as unknown as Reader, stderr, stdout: stderr, env: {}, onInterrupt: () => () => {} } as CliIo
    const asker = new Asker(io, {}, () => {})
    const question = { message: 'Where?', schema, signal: new AbortController().signal } as unknown as ElicitQuestion
    const reply = await asker.answer(question)
    asker.close()
    expect(JSON.stringify(reply)).toBe(`{"action":"accept","content":${FILLED}}`)
  })
})
