/**
 * What the reader of a configuration says beyond what is wrong: what was meant, and what will not work as it is
 * written.
 */
import { describe, expect, it } from 'vitest'
import { type ConfigError, type ConfigProblem, describeProblem, parseConfig } from './index.ts'

const read = (text: string) => parseConfig(text, { file: 'parley.json', env: { ADDRESS: '127.0.0.1:3000/mcp' } })

function problems(value: object): readonly ConfigProblem[] {
  try {
    read(JSON.stringify(value))
    return []
  } catch (error) {
    return (error as ConfigError).problems
  }
}

describe('a session for each principal', () => {
  const file = (gateway: object, session = 'principal') =>
    `{ "mcpServers": {\n  "old": { "command": "x", "session": "${session}" } }, "gateway": ${JSON.stringify(gateway)} }`

  it('G: is warned of where nobody is known', () => {
    const beyond = { allowedHosts: ['mcp.example.com'] }
    expect(read(file(beyond)).warnings.map(describeProblem)).toEqual([
      [
        'parley.json:2:39 mcpServers.old.session',
        '  "principal" needs gateway.principalHeader. Without it, the gateway knows no user over HTTP, and every request gets its own session.',
        '  Set gateway.principalHeader, or "session": "shared".',
      ].join('\n'),
    ])
  })

  it('G: is fine where somebody is, and so is everything else', () => {
    expect(read(file({ principalHeader: 'X-User' })).warnings).toEqual([])
    expect(read(file({})).warnings).toEqual([])
    expect(read(file({}, 'request')).warnings).toEqual([])
  })
})

describe('hints', () => {
  it.each(['127.0.0.1:3000/mcp', 'localhost:3000', 'mcp.example.com/mcp', '[::1]:3000/mcp', 'box:3000/mcp'])(
    'G: complete the address %s',
    (url) => {
      expect(problems({ mcpServers: { a: { url } } })).toMatchObject([
        { message: 'Not a URL.', hint: `Did you mean "http://${url}"?` },
      ])
    },
  )

  it.each(['mcp', '127.0.0.1/mcp?key=secret', 'me:secret@a.example/mcp', `\${ADDRESS}`])(
    'G: repeat nothing that may be a secret (%s)',
    (url) => {
      expect(problems({ mcpServers: { a: { url } } })).toMatchObject([
        { hint: 'Write the complete URL: https://example.com/mcp.' },
      ])
    },
  )

  it.each([
    [{ gateway: { port: 'http' } }, '8080'],
    [{ mcpServers: { a: { command: 'x', maxConcurrent: '5' } } }, '10'],
  ])('G: have an example of the key (%j)', (value, example) => {
    expect(problems({ mcpServers: {}, ...value })).toMatchObject([
      { hint: `Write for example ${example}, without quotes.` },
    ])
  })
})
