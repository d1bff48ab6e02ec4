/** What is wrong is named with file, line, column, path and the way out. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in texts are the subject.
import { describe, expect, it } from 'vitest'
import { ConfigError, type ConfigProblem, type ParseOptions, parseConfig } from './index.ts'

const SECRET = 'hunter2-hunter2'

function problems(value: unknown, options: Partial<ParseOptions> = {}): readonly ConfigProblem[] {
  return failure(value, options).problems
}

function failure(value: unknown, options: Partial<ParseOptions> = {}): ConfigError {
  try {
    parseConfig(typeof value === 'string' ? value : JSON.stringify(value), {
      file: 'parley.json',
      env: { SECRET },
      baseFolder: '/srv',
      ...options,
    })
  } catch (error) {
    if (error instanceof ConfigError) return error
    throw error
  }
  throw new Error('was accepted')
}

/** Problems of one server, as `path: message hint`. */
function ofServer(value: unknown): readonly string[] {
  return problems({ mcpServers: { one: value } }).map(
    ({ path, message, hint }) => `${path.replace(/^mcpServers\.one\.?/, '')}: ${message} ${hint}`,
  )
}

function ofGateway(gateway: unknown): readonly string[] {
  return problems({ mcpServers: {}, gateway }).map(
    ({ path, message, hint }) => `${path.replace(/^gateway\.?/, '')}: ${message} ${hint}`,
  )
}

describe('the whole error', () => {
  it('names every problem in the order of the file', () => {
    const text = `{
  // what runs behind the gateway
  "mcpServers": {
    "files": { "comand": "npx", "args": ["-y", 8080], "env": { "TOKEN": "\${NOT_SET}" } },
    "my server": { "command": "npx", "url": "https://example.com" },
    "search": { "url": "ws://example.com", "transport": "sse", "restart": "permanently" },
    "search": { "url": "http://localhost:4000/mcp" },
    "self": { "url": "http://localhost:4000/mcp", "versions": ["2025-06-17"] },
  },
  "gateway": { "port": 70000, "store": "redis://cache" },
}
`
    expect(failure(text).message).toMatchInlineSnapshot(`
      "The configuration cannot be used: 12 problems.

      parley.json:4:16 mcpServers.files.comand
        Unknown key "comand".
        Did you mean "command"?

      parley.json:4:48 mcpServers.files.args[1]
        Must be a text, but is a number.
        Put it in quotes.

      parley.json:4:73 mcpServers.files.env.TOKEN
        The environment variable NOT_SET is not set.
        Set NOT_SET in the environment of the gateway, or give it a default: \${NOT_SET:-value}.

      parley.json:5:5 mcpServers["my server"]
        Not a valid name for a server. The name becomes part of addresses and tool names.
        Use letters, digits, ".", "_" and "-", at most 64, beginning with a letter or digit. For example "my-server".

      parley.json:5:38 mcpServers["my server"]
        Has both "command" and "url".
        Keep "command" for a program to start, or "url" for a server that is already running.

      parley.json:6:24 mcpServers.search.url
        The transport "sse" does not fit "ws:".
        Begin the URL with http: or https:, or remove the transport.

      parley.json:6:75 mcpServers.search.restart
        "permanently" is not a known value.
        Did you mean "permanent"? Known are "permanent", "transient", "temporary".

      parley.json:7:5 mcpServers.search
        This key is there twice. The first is on line 6.
        Remove or rename one of the two.

      parley.json:8:22 mcpServers.self.url
        This is the address of the gateway itself, which would call itself without end.
        Correct the URL, or give the gateway another port.

      parley.json:8:64 mcpServers.self.versions[0]
        "2025-06-17" is not a known value.
        Did you mean "2025-06-18"? Known are "2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28".

      parley.json:10:24 gateway.port
        Must be a whole number from 0 to 65535.
        Write a number within this range.

      parley.json:10:40 gateway.store
        This store is not available yet in this version.
        Use "memory"."
    `)
  })

  it('keeps 50 problems and counts the rest', () => {
    const error = failure({ mcpServers: { one: { command: 'x', args: Array.from({ length: 80 }, () => 1) } } })
    expect(error.problems).toHaveLength(50)
    expect(error.message).toContain('80 problems')
    expect(error.message).toContain('And 30 more.')
    expect(error).toMatchObject({ name: 'ConfigError' })
  })

  it('counts lines whatever ends them, and columns behind a byte order mark', () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = ['{', ' "mcpServers": {},', '  "x": 1 }'].join(end)
      expect(problems(text)[0]).toMatchObject({ file: 'parley.json', line: 3, column: 3, path: 'x' })
    }
    expect(problems('\uFEFF{"mcpServers": {}, "x": 1}')[0]).toMatchObject({ line: 1, column: 20 })
  })
})

describe('texts that are no configuration', () => {
  const cases: readonly [title: string, text: string, file: string, line: number, column: number, message: string][] = [
    ['empty JSON', '', 'a.json', 1, 1, 'The file is empty.'],
    ['JSON of comments', '// later\n', 'a.json', 1, 1, 'The file is empty.'],
    ['empty YAML', '# later\n', 'a.yaml', 1, 1, 'The file is empty.'],
    ['a list', '[]', 'a.json', 1, 1, 'Must be an object, but is a list.'],
    ['a text', 'hello', 'a.yml', 1, 1, 'Must be an object, but is a text.'],
    ['a missing comma', '{\n "a": 1\n "b": 2 }', 'a.json', 3, 2, 'A comma is missing before this.'],
    ['a key without quotes', '{\n mcpServers: {} }', 'a.json', 2, 2, 'Not a JSON value.'],
    ['a brace too few', '{ "a": {}\n', 'a.json', 2, 1, 'A closing } is missing.'],
    ['something behind the end', '{}\n}', 'a.json', 2, 1, 'There is text after the end of the configuration.'],
    ['a backslash alone', '{ "a": "C:\\x" }', 'a.json', 1, 8, 'Not a JSON escape.'],
    ['a tab in YAML', 'a:\n\t- b', 'a.yaml', 2, 1, 'Indented with a tab.'],
    ['two documents', 'a: 1\n---\nb: 2', 'a.yaml', 2, 1, 'The file holds more than one document.'],
    ['an unknown anchor', 'mcpServers:\n  a: *b\n', 'a.yaml', 2, 6, 'There is no anchor of this name above.'],
    ['a tag', 'mcpServers: !secret x\n', 'a.yaml', 1, 13, 'A tag that has no meaning here.'],
    ['a key that is a list', 'mcpServers:\n  ? [a]\n  : 1\n', 'a.yaml', 2, 5, 'The key is not a text.'],
  ]
  for (const [title, text, file, line, column, message] of cases) {
    it(`${title}: ${message}`, () => expect(problems(text, { file })[0]).toMatchObject({ file, line, column, message }))
  }

  it('an ending that tells no format', () => {
    expect(problems('{}', { file: 'parley.toml' })).toMatchObject([
      { line: undefined, message: 'The file name has no known ending.' },
    ])
  })

  it('nesting without end exhausts nothing, also where aliases make it', () => {
    const deep = 100_000
    for (const text of ['['.repeat(deep), '{"a":'.repeat(deep)])
      expect(problems(text)[0]?.message).toContain('levels deep')
    for (const text of ['- '.repeat(deep), '['.repeat(deep), '? '.repeat(deep)])
      expect(problems(text, { file: 'a.yaml' })[0]?.message).toContain('levels deep')
    expect(problems('mcpServers: &a { b: *a }', { file: 'a.yaml' })[0]?.message).toContain('levels deep')
    const laughs = [
      'a0: &a0 [x]',
      ...Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`),
    ].join('\n')
    expect(
      problems(laughs, { file: 'a.yaml' }).some(({ message }) => message.startsWith('More than 20000 values')),
    ).toBe(true)
  })

  it('a text of more than 1 MB', () => {
    expect(problems(`"${'x'.repeat(1024 * 1024)}"`)[0]?.message).toBe('The file is larger than 1 MB.')
  })
})

describe('keys', () => {
  it('unknown ones, with what was probably meant', () => {
    expect(ofServer({ comand: 'x' })).toEqual(['comand: Unknown key "comand". Did you mean "command"?'])
    expect(ofServer({ command: 'x', Args: [] })).toEqual(['Args: Unknown key "Args". Did you mean "args"?'])
    expect(ofServer({ command: 'x', initializeTimeout: 1 })).toEqual([
      'initializeTimeout: Unknown key "initializeTimeout". Did you mean "initialiseTimeout"?',
    ])
    expect(ofServer({ command: 'x', tools: { dney: [] } })).toEqual([
      'tools.dney: Unknown key "dney". Did you mean "deny"?',
    ])
    expect(ofServer({ command: 'x', quux: 1 })[0]).toContain('Remove it. The known keys are command, args, env,')
    expect(ofGateway({ prot: 1 })).toEqual(['prot: Unknown key "prot". Did you mean "port"?'])
    expect(problems({ mcpserver: {} })).toMatchObject([{ path: 'mcpserver', hint: 'Did you mean "mcpServers"?' }])
  })

  it('those of other programs that mean one of ours', () => {
    expect(ofServer({ httpUrl: 'https://a.example' })).toEqual(['httpUrl: Unknown key "httpUrl". Write "url" instead.'])
    expect(ofServer({ command: 'x', enabled: false })).toEqual([
      'enabled: Unknown key "enabled". Write "disabled: true" instead.',
    ])
  })

  it('repeated ones, in JSON and YAML, with the line of the first', () => {
    const expected = [{ line: 3, path: 'mcpServers.a', message: 'This key is there twice. The first is on line 2.' }]
    expect(problems('{ "mcpServers": {\n "a": { "command": "x" },\n "a": { "command": "y" } } }')).toMatchObject(
      expected,
    )
    expect(problems('mcpServers:\n  a: { command: x }\n  a: { command: y }\n', { file: 'a.yaml' })).toMatchObject(
      expected,
    )
  })

  it('servers missing, or under both names', () => {
    expect(problems({})).toMatchObject([{ path: '', message: '"mcpServers" is missing.' }])
    expect(problems({ mcpServers: {}, servers: {} })).toMatchObject([
      { message: 'Has both "mcpServers" and "servers".' },
    ])
  })

  it('names of servers that make no path', () => {
    const named = (name: string) => problems({ mcpServers: { [name]: { command: 'x' } } })
    expect(named('my server')).toMatchObject([
      { path: 'mcpServers["my server"]', hint: expect.stringContaining('For example "my-server".') },
    ])
    for (const name of ['', '.', '..', '-a', '_a', 'a/b', 'é', 'a'.repeat(65), '__proto__']) {
      expect(problems(`{"mcpServers":{${JSON.stringify(name)}:{"command":"x"}}}`), name).toHaveLength(1)
    }
    expect(named('x'.repeat(5000))[0]?.path.length).toBeLessThan(120)
  })
})

describe('values', () => {
  it('of the wrong kind', () => {
    expect(ofServer(null)).toEqual([
      ': Must be an object, but is empty (null). Remove the key, or write a value, such as { "command": … }.',
    ])
    expect(ofServer({ command: 1 })[0]).toContain('command: Must be a text, but is a number.')
    expect(ofServer({ command: 'x', args: 'a b' })[0]).toContain('args: Must be a list, but is a text.')
    expect(ofServer({ command: 'x', args: ['a', 8080] })[0]).toContain('args[1]: Must be a text, but is a number.')
    expect(ofServer({ command: 'x', env: ['A=b'] })[0]).toContain('env: Must be an object, but is a list.')
    expect(ofServer({ command: 'x', lazy: 'yes' })[0]).toContain('lazy: Must be true or false, but is a text.')
    expect(ofServer({ command: 'x', timeout: true })[0]).toContain('timeout: Must be a duration, but is true or false.')
    expect(ofServer({ command: 'x', timeout: null })[0]).toContain('timeout: Must be a duration, but is empty (null).')
    expect(ofServer({ command: 'x', maxConcurrent: '5' })[0]).toContain('without quotes')
    expect(ofServer({ command: 'x', restart: 3 })[0]).toContain(
      'restart: Must be a text, but is a number. Put it in quotes.',
    )
  })

  it('outside of their range', () => {
    for (const port of [-1, 65_536, 1.5, 1e300])
      expect(ofGateway({ port })).toEqual([
        'port: Must be a whole number from 0 to 65535. Write a number within this range.',
      ])
    for (const timeout of [0, -1, '0s', '600h'])
      expect(ofServer({ command: 'x', timeout })[0]).toContain('timeout: Must be from 1 ms to 24 days.')
    expect(problems('{"mcpServers":{"a":{"command":"x","timeout":1e999}}}')).toHaveLength(1)
    for (const timeout of ['', '30', '30 s', '30sec', '-1s'])
      expect(ofServer({ command: 'x', timeout })[0]).toContain('timeout: Not a duration.')
    const sized = (maxMessageSize: unknown) => ofServer({ command: 'x', maxMessageSize })[0]
    for (const small of [0, 1023, '1B']) expect(sized(small)).toContain('maxMessageSize: Must be at least 1 KiB.')
    for (const large of ['512MiB', '2GB']) expect(sized(large)).toContain('maxMessageSize: Must be at most 511 MiB.')
    for (const maxRequestSize of ['', '64', '64 MB', '64mb', '-1MB'])
      expect(ofGateway({ maxRequestSize })[0]).toContain('maxRequestSize: Not a size.')
    expect(ofServer({ command: 'x', maxMessageSize: true })[0]).toContain('maxMessageSize: Must be a size')
    expect(ofServer({ command: 'x', maxConcurrent: 0 })).toHaveLength(1)
    expect(ofServer({ command: 'x', versions: [] })[0]).toContain('The list is empty.')
  })

  it('unknown versions, dialects, policies and transports', () => {
    expect(ofServer({ command: 'x', versions: ['2025-06-17'] })[0]).toContain(
      'versions[0]: "2025-06-17" is not a known value. Did you mean "2025-06-18"?',
    )
    expect(ofServer({ command: 'x', dialect: 'erl' })[0]).toContain('Write one of "erlmcp".')
    expect(ofServer({ command: 'x', restart: 'permanetn' })[0]).toContain('Did you mean "permanent"?')
    expect(ofServer({ command: 'x', restart: { policy: 'never' } })[0]).toContain('restart.policy: ')
    expect(ofServer({ url: 'http://a.example', transport: 'websockets' })[0]).toContain('Did you mean "websocket"?')
    expect(ofServer({ command: 'x', session: 'constructor' })).toHaveLength(1)
  })

  it('neither or both of command and url, and transports that do not fit', () => {
    expect(ofServer({})[0]).toContain(': Has neither "command" nor "url".')
    expect(ofServer({ command: 'x', url: 'http://a.example' })[0]).toContain(': Has both "command" and "url".')
    expect(ofServer({ command: 'x', type: 'sse' })[0]).toContain('type: A command only speaks stdio.')
    expect(ofServer({ url: 'http://a.example', transport: 'stdio' })[0]).toContain(
      'transport: A server with a "url" does not speak stdio.',
    )
    expect(ofServer({ url: 'http://a.example', transport: 'sse', type: 'http' })[0]).toContain('contradict')
    expect(ofServer({ url: 'http://a.example', transport: 'websocket' })[0]).toContain('Begin the URL with ws: or wss:')
    expect(ofServer({ url: 'ws://a.example', type: 'http' })[0]).toContain(
      'url: The transport "streamable-http" does not fit "ws:".',
    )
    expect(ofServer({ url: 'tcp://a.example' })[0]).toContain('Write tcp://host:port.')
    for (const url of ['example.com/mcp', 'http://', '', 'http://a b', 'http://['])
      expect(ofServer({ url })[0]).toContain('url: Not a URL.')
    expect(ofServer({ url: 'ftp://a.example' })[0]).toContain('The gateway does not speak "ftp:".')
  })

  it('that would break out of headers, variables or arguments', () => {
    for (const value of ['a\r\nb', 'a\0', 'ключ'])
      expect(ofServer({ url: 'http://a.example', headers: { A: value } })).toHaveLength(1)
    expect(ofServer({ url: 'http://a.example', headers: { 'A:': 'b' } })).toHaveLength(1)
    expect(ofServer({ url: 'http://a.example', headers: { a: 'b', A: 'c' } })[0]).toContain('upper and lower case')
    expect(ofServer({ command: 'x', env: { 'A=B': 'c' } })).toHaveLength(1)
    expect(ofServer({ command: 'x', args: ['\0'] })).toHaveLength(1)
    expect(ofServer({ command: ' ' })).toHaveLength(1)
    expect(ofServer({ command: 'x', cwd: '~/x' })[0]).toContain('only shells expand')
    expect(ofServer({ command: 'x', tools: { rename: { a: 'c', b: 'c' } } })[0]).toContain(
      'tools.rename.b: Another key has the same value.',
    )
  })

  it('stores that are still to come are refused by name', () => {
    for (const store of ['lmdb:./data', 'redis://host', 'rediss://host']) {
      expect(ofGateway({ store })).toEqual(['store: This store is not available yet in this version. Use "memory".'])
    }
    expect(ofGateway({ store: 'disk' })[0]).toContain('store: Not a store.')
  })

  it('times of sessions that are none, or would end every session at once', () => {
    for (const sessionIdle of [0, -1, '0s', 'soon', '30', true, '30d'])
      expect(ofGateway({ sessionIdle })).toEqual([expect.stringMatching(/^sessionIdle: /)])
  })

  it('G: rate limits without a number, or with one that is none', () => {
    expect(ofServer({ command: 'a', rateLimit: { per: '1m' } })).toEqual([
      'rateLimit: "requests" is missing. Write for example { "requests": 600, "per": "1m" }.',
    ])
    expect(ofServer({ command: 'a', rateLimit: { requets: 5 } })).toEqual([
      'rateLimit.requets: Unknown key "requets". Did you mean "requests"?',
    ])
    expect(ofServer({ command: 'a', rateLimit: 600 })).toEqual([
      'rateLimit: Must be an object, but is a number. Write for example { "requests": … }.',
    ])
    expect(ofGateway({ rateLimit: { requests: 0 } })).toEqual([
      'rateLimit.requests: Must be a whole number from 1 to 1000000000. Write a number within this range.',
    ])
    expect(ofGateway({ rateLimit: { requests: 5, per: 'often' } })).toEqual([
      'rateLimit.per: Not a duration. Write "500ms", "30s", "5m" or "1h", or a number of milliseconds.',
    ])
  })

  it('hosts and origins in the form of the other', () => {
    expect(ofGateway({ allowedHosts: ['https://a.example'] })[0]).toContain('allowedHosts[0]: Not a host.')
    expect(ofGateway({ allowedOrigins: ['a.example'] })[0]).toContain('allowedOrigins[0]: Not an origin.')
    expect(ofGateway({ allowedHosts: [] })).toHaveLength(1)
    expect(ofGateway({ allowedHosts: ['*.example.com'] })[0]).toContain('"any" (or "*") allows every name')
    expect(ofGateway({ requiredServers: ['nobody'] })[0]).toContain('requiredServers[0]: There is no server "nobody".')
  })
})

describe('variables', () => {
  it('missing ones are named with place and fix', () => {
    expect(problems('{ "mcpServers": { "a": {\n  "command": "x", "args": ["${NOT_SET}"] } } }')).toEqual([
      {
        file: 'parley.json',
        line: 2,
        column: 28,
        path: 'mcpServers.a.args[0]',
        message: 'The environment variable NOT_SET is not set.',
        hint: 'Set NOT_SET in the environment of the gateway, or give it a default: ${NOT_SET:-value}.',
      },
    ])
  })

  it('what is no variable', () => {
    for (const text of [
      '${',
      '${}',
      '${a b}',
      '${NAME',
      '${NAME-x}',
      '${1}',
      '${SECRET:-${NAME}',
      '${SECRET:-${a b}}',
      '${A:-${B:-${SECRET}}}',
    ])
      expect(ofServer({ command: 'x', args: [text] })[0], text).toContain('A "${" that does not begin a variable.')
    expect(ofServer({ command: 'x', args: ['${NOT_SET:-${NEITHER}}'] })[0]).toContain(
      'The environment variable NEITHER is not set.',
    )
    expect(ofServer({ command: 'x', args: ['${input:key}'] })[0]).toContain('cannot ask')
    expect(ofServer({ command: 'x', args: ['${workspaceFolder}'] })[0]).toContain('Only editors set')
    expect(ofServer({ command: 'x', args: ['${constructor}'] })[0]).toContain(
      'The environment variable constructor is not set.',
    )
  })

  it('are looked for in the gateway settings, too', () => {
    expect(ofGateway({ port: '${NOT_SET}' })).toHaveLength(1)
    expect(ofGateway({ port: '${SECRET}' })).toHaveLength(1)
  })
})

describe('secrets', () => {
  it('no value of env, headers, arguments or variables is ever shown', () => {
    const bad = [
      { command: 'x', env: { A: `${SECRET}\0` }, args: [`${SECRET}\0`] },
      { command: 'x', env: { A: [SECRET] }, cwd: `~${SECRET}` },
      { command: 'x', env: `A=${SECRET}` },
      { url: 'http://a.example', headers: { A: `${SECRET}\n`, B: { C: SECRET } } },
      { url: `http://user:${SECRET}@a.example` },
      { url: `ftp://a.example/${SECRET}` },
      { url: 'http://a.example', transport: '${SECRET}' },
      { command: 'x', timeout: '${SECRET}', lazy: '${SECRET}', maxQueued: '${SECRET}' },
      { command: 'x', args: [`\${${SECRET}`, `\${A ${SECRET}}`, `\${NOT_SET}${SECRET}`] },
    ]
    for (const value of bad) expect(failure({ mcpServers: { one: value } }).message).not.toContain(SECRET)
    for (const text of [
      `mcpServers:\n  a: { env: { A: "${SECRET}" "${SECRET}" } }`,
      `a: b: ${SECRET}`,
      `a: !${SECRET} b`,
      `a: *${SECRET}`,
      `a: [${SECRET}`,
      `a: @${SECRET}`,
    ]) {
      expect(failure(text, { file: 'a.yaml' }).message).not.toContain(SECRET)
    }
    expect(failure(`{ "env": "${SECRET}`).message).not.toContain(SECRET)
  })
})

describe('a server that is the gateway itself', () => {
  const refused = (url: string, gateway: object = {}, options: Partial<ParseOptions> = {}) => {
    try {
      parseConfig(JSON.stringify({ mcpServers: { one: { url } }, gateway }), {
        file: 'parley.json',
        env: {},
        ...options,
      })
      return false
    } catch (error) {
      expect((error as ConfigError).problems).toMatchObject([
        { path: 'mcpServers.one.url', message: expect.stringContaining('the gateway itself') },
      ])
      return true
    }
  }

  it('is refused under every name of this machine', () => {
    const hosts = [
      'localhost',
      'LOCALHOST.',
      'a.localhost',
      '127.0.0.1',
      '127.1',
      '2130706433',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
    ]
    for (const host of hosts) expect(refused(`http://${host}:4000/mcp`), host).toBe(true)
    for (const host of [...hosts, '127.0.0.9'])
      expect(refused(`http://${host}:4000/mcp`, { host: '0.0.0.0' }), host).toBe(true)
    for (const url of ['ws://localhost:4000/ws', 'tcp://localhost:4000', 'https://localhost:4000'])
      expect(refused(url), url).toBe(true)
    expect(refused('http://localhost/mcp', { port: 80 })).toBe(true)
    expect(refused('http://Box.example:4000', { host: 'box.example' })).toBe(true)
  })

  it('is not confused with others', () => {
    expect(refused('http://localhost:4001/mcp')).toBe(false)
    expect(refused('http://other.example:4000/mcp')).toBe(false)
    expect(refused('http://127.0.0.2:4000/mcp')).toBe(false)
    expect(refused('http://localhost:4000/mcp', { port: 0 })).toBe(false)
    expect(refused('http://localhost:4000/mcp', { host: '10.0.0.1' })).toBe(false)
  })

  it('is judged by the port the command line gives', () => {
    expect(refused('http://localhost:5000', {}, { override: { port: 5000 } })).toBe(true)
    expect(refused('http://localhost:4000', {}, { override: { port: 5000 } })).toBe(false)
  })
})
