import { describe, expect, it } from 'vitest'
import { isStrayLine } from './stray-line.ts'

describe('a line on standard output', () => {
  it.each([
    '[INFO] starting',
    '[server] Listening on http://localhost:3000',
    '[]',
    '[1, 2]',
    '[{"level":"info"}]',
    '{"level":"info","msg":"starting"}',
    '{ port: 3000 }',
    '{',
    'Server is starting…',
    '"text"',
    '42',
    '{"jsonrpc":"2.0","id":1,"result":{}',
    '{"jsonrpc":"1.0","id":1,"result":{}}',
    '{"log":"sent {\\"jsonrpc\\":\\"2.0\\"}"}',
  ])('is no message: %s', (line) => {
    expect(isStrayLine(line)).toBe(true)
  })

  it.each([
    '',
    '  \r',
    '{"jsonrpc":"2.0","id":1,"result":{}}',
    '{"result":{"tools":[]},"jsonrpc":"2.0","id":1}',
    '{"result":{},"jsonrpc":"2.0","id":"a"}\r',
    '{"method":"notifications/initialized","jsonrpc":"2.0"}',
    ' { "id" : 7, "jsonrpc" : "2.0", "error" : { "code" : -32601, "message" : "no" } } ',
    '[{"jsonrpc":"2.0","method":"a"},{"jsonrpc":"2.0","method":"b"}]',
  ])('is none to complain about: %s', (line) => {
    expect(isStrayLine(line)).toBe(false)
  })

  it('is a message however long and deep it is', () => {
    const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
    expect(isStrayLine(`{"id":1, "jsonrpc":"2.0", "result":{"text":"${'x'.repeat(5_000_000)}","deep":${deep}}}`)).toBe(
      false,
    )
  })
})
