import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { invocation, isBoundToFolder, startWords } from '../arguments/invocation.ts'
import { nameOf } from './bridge.ts'
import { sampleOf } from './sample-calls.ts'
import { addresses, commandsToTry, serverLine, usableUrl } from './startup-text.ts'

describe('how the program is called again', () => {
  it.each([
    [
      'npx in a project',
      '/home/node_modules/.bin/parley',
      { npm_command: 'exec', npm_lifecycle_event: 'npx' },
      'npx parley',
    ],
    [
      'npx without one',
      '/home/.npm/_npx/1f/node_modules/.bin/parley',
      { npm_command: 'exec', npm_lifecycle_event: 'npx' },
      'npx -y parley-gateway',
    ],
    ['a script of npm', '/home/packages/gateway/dist/cli.js', { npm_lifecycle_event: 'start' }, 'npx parley'],
    ['an installed command', '/usr/local/bin/parley', { PATH: '/bin:/usr/local/bin' }, 'parley'],
    ['an installed command that no shell finds', '/opt/own/bin/parley', { PATH: '/bin' }, 'node /opt/own/bin/parley'],
    ['the command of the package', '/home/packages/gateway/bin/parley.js', {}, 'node packages/gateway/bin/parley.js'],
    ['node with a path', '/home/packages/gateway/dist/cli.js', {}, 'node packages/gateway/dist/cli.js'],
    ['node with a path far away', '/elsewhere/far/dist/cli.js', {}, 'node /elsewhere/far/dist/cli.js'],
    ['node with a path that has to be quoted', '/home/my files/cli.js', {}, "node 'my files/cli.js'"],
    ['nothing that is known', undefined, {}, 'npx -y parley-gateway'],
  ])('by %s', (_, script, env, command) => {
    expect(invocation(script, env, '/home', (path) => path === '/home/node_modules/.bin/parley')).toBe(command)
  })

  it.each([
    [{ npm_command: 'exec' }, '/elsewhere/node_modules/.bin/parley'],
    [{ npm_lifecycle_event: 'start' }, '/elsewhere/dist/cli.js'],
    [{}, '/elsewhere/node_modules/.bin/parley'],
  ])('never by npx parley where it is not installed, because that is a package of somebody else', (env, script) => {
    expect(invocation(script, env, '/home', () => false)).toBe(`node ${script}`)
  })
})

it.each([
  [
    'npx without a project',
    '/home/.npm/_npx/1f/node_modules/.bin/parley',
    { npm_command: 'exec' },
    ['npx', '-y', 'parley-gateway'],
  ],
  [
    'npx in a project',
    '/home/node_modules/.bin/parley',
    { npm_command: 'exec' },
    ['node', '/real/home/node_modules/.bin/parley'],
  ],
  ['an installed command', '/usr/local/bin/parley', { PATH: '/usr/local/bin' }, ['parley']],
  [
    'an installed command that no shell finds',
    '/opt/own/bin/parley',
    { PATH: '/bin' },
    ['node', '/real/opt/own/bin/parley'],
  ],
  [
    'a checkout',
    '/home/packages/gateway/dist/cli.js',
    { npm_lifecycle_event: 'start' },
    ['node', '/real/home/packages/gateway/dist/cli.js'],
  ],
])('another program can start what was started by %s', (_, script, env, words) => {
  expect(startWords(script, env, (path) => `/real${path}`)).toEqual(words)
})

it.each([
  ['npx parley', true],
  ['node packages/gateway/dist/cli.js', true],
  ["node 'my files/cli.js'", true],
  ["node '/my files/cli.js'", false],
  ['node /opt/own/bin/parley', false],
  ['parley', false],
  ['npx -y parley-gateway', false],
])('%s is bound to its folder: %j', (command, isBound) => {
  expect(isBoundToFolder(command)).toBe(isBound)
})

describe('what the bridge calls its server', () => {
  const command = (line: string) => {
    const [program = '', ...args] = line.split(' ')
    return { kind: 'command', command: program, args, env: {}, cwd: undefined } as const
  }

  it.each([
    ['/usr/bin/node --no-warnings dist/server.js --port 1', 'server.js'],
    ['npx -y some-server', 'some-server'],
    ['uv run weather.py', 'weather.py'],
    ['./bin/files --root /', 'files'],
    ['node', 'node'],
  ])('is the script or the program (%s)', (line, name) => {
    expect(nameOf(command(line))).toBe(name)
  })

  it('is the address, without what may be a secret', () => {
    expect(
      nameOf({ kind: 'remote', url: 'https://mcp.example.com/a?key=secret', transport: undefined, headers: {} }),
    ).toBe('https://mcp.example.com/a?key=…')
  })
})

describe('what is printed', () => {
  it.each([
    ['127.0.0.1', undefined, 'http://127.0.0.1:4000'],
    ['0.0.0.0', ['mcp.example.com'], 'http://mcp.example.com:4000'],
    ['0.0.0.0', ['mcp.example.com:80'], 'http://mcp.example.com:80'],
    ['0.0.0.0', ['mcp.example.com', 'localhost'], 'http://localhost:4000'],
    ['192.0.2.7', ['mcp.example.com', 'localhost'], 'http://mcp.example.com:4000'],
    ['0.0.0.0', ['any'], 'http://127.0.0.1:4000'],
    ['::', ['*'], 'http://[::1]:4000'],
  ])('is an address that the gateway answers to: on %s with %j', (host, allowedHosts, expected) => {
    const url = `http://${host.includes(':') ? `[${host}]` : host}:4000`
    expect(usableUrl(url, { host, allowedHosts })).toBe(expected)
  })

  it('has one address for all and one for each', () => {
    expect(
      addresses('http://127.0.0.1:4000', [{ name: 'notes' }, { name: 'a-server-with-a-long-name' }] as never),
    ).toBe(
      [
        'Parley listens on http://127.0.0.1:4000',
        '  all servers                http://127.0.0.1:4000/mcp',
        '  notes                      http://127.0.0.1:4000/servers/notes/mcp',
        '  a-server-with-a-long-name  http://127.0.0.1:4000/servers/a-server-with-a-long-name/mcp',
        '',
        '',
      ].join('\n'),
    )
  })

  it('says that there is none', () => {
    expect(addresses('http://127.0.0.1:4000', [])).toContain(
      '/mcp\n  no server is configured; the file is read again when it changes\n',
    )
  })

  it.each([
    ['The server "a" could not be started or reached: Cannot start "x"', [], '  a: not reached: Cannot start "x"\n'],
    [
      'The server "a" exited with code 1',
      ['at 1', "Error: Cannot find module 'x'", 'at 2'],
      `  a: not reached: exited with code 1: Error: Cannot find module 'x'\n`,
    ],
    [
      'The server "a" exited with code 1',
      ['no key was given', ''],
      '  a: not reached: exited with code 1: no key was given\n',
    ],
    [undefined, [], '  a: not reached: no reason known\n'],
  ])('says why a server was not reached (%s)', (lastError, lastStderr, line) => {
    expect(serverLine({ name: 'a', config: { lazy: false }, status: () => ({ lastError, lastStderr }) } as never)).toBe(
      line,
    )
  })

  it('leaves the reason to the log where that is read as well', () => {
    const upstream = {
      name: 'a',
      config: { lazy: false },
      status: () => ({ lastError: 'gone', lastStderr: [] }),
    } as never
    expect(serverLine(upstream, true)).toBe('  a: not reached; the log above says why\n')
  })

  it('calls servers from clients of the other era', () => {
    const printed = commandsToTry('http://127.0.0.1:4000', 'parley', [
      { name: 'old__a', args: { b: 1 }, era: 'handshake' },
      { name: 'new__c', args: {}, era: 'stateless' },
    ])
    expect(printed).toContain(`  parley call http://127.0.0.1:4000/mcp old__a '{"b":1}' --version 2026-07-28\n`)
    expect(printed).toContain(`  parley call http://127.0.0.1:4000/mcp new__c '{}' --version 2024-11-05\n`)
  })
})

describe('sample arguments', () => {
  const leaf = fc.oneof(
    fc.constant({ type: 'string' }),
    fc.constant({ type: 'boolean' }),
    fc.record({ type: fc.constantFrom('integer', 'number'), minimum: fc.integer() }),
    fc.uniqueArray(fc.string(), { minLength: 1 }).map((choices) => ({ enum: choices })),
    fc.string().map((only) => ({ const: only })),
    fc.string().map((example) => ({ type: 'string', examples: [example] })),
    fc.integer().map((usual) => ({ type: 'integer', default: usual })),
  )
  const { schema } = fc.letrec((tie) => ({
    schema: fc.oneof({ depthSize: 'small', maxDepth: 3 }, leaf, tie('list'), tie('object'), tie('either')),
    list: fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.constantFrom(0, 1) }),
    object: fc.dictionary(fc.constantFrom('a', 'b', 'constructor'), tie('schema')).map((properties) => ({
      type: 'object',
      properties: { ...properties },
      required: Object.keys(properties),
    })),
    either: fc.tuple(tie('schema'), tie('schema')).map((anyOf) => ({ anyOf })),
  }))

  it('fit the schema they are made from', () => {
    const ajv = new Ajv2020({ strict: false })
    fc.assert(fc.property(schema, (each) => ajv.validate(each as object, sampleOf(each))))
  })

  it.each([undefined, null, true, 'text', { type: 'nothing' }, { type: 'constructor' }, { $ref: '#' }])(
    'are nothing for %j',
    (each) => {
      expect(sampleOf(each)).toBeNull()
    },
  )

  it('come to an end where the schema does not', () => {
    const endless: Record<string, unknown> = { type: 'object', required: ['more'] }
    endless['properties'] = { more: endless }
    expect(JSON.stringify(sampleOf(endless))).toContain('null')
  })
})
