/** What a configuration file says, and what holds where it says nothing. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: variables in texts are the subject.
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { ACCEPTED, ENV } from './accepted.fixtures.ts'
import {
  type GatewayConfig,
  type ParsedConfig,
  type ParseOptions,
  parseConfig,
  type ServerConfig,
  serverDefaults,
  settingsDefaults,
} from './index.ts'

const BASE = resolve('/srv/parley')

function parse(value: unknown, options: Partial<ParseOptions> = {}): ParsedConfig {
  return parseConfig(typeof value === 'string' ? value : JSON.stringify(value), {
    file: 'parley.json',
    env: ENV,
    baseFolder: BASE,
    ...options,
  })
}

function server(value: Readonly<Record<string, unknown>>): ServerConfig {
  const found = parse({ mcpServers: { one: value } }).config.servers.get('one')
  if (found === undefined) throw new Error('no such server')
  return found
}

function gateway(value: Readonly<Record<string, unknown>>): GatewayConfig['gateway'] {
  return parse({ mcpServers: { one: { command: 'x' } }, gateway: value }).config.gateway
}

describe('accepted configurations', () => {
  for (const { title, value } of ACCEPTED) {
    it(`G: ${title}, the same in JSON and YAML`, () => {
      const json = parse(value)
      const yaml = parse(stringify(value), { file: 'parley.yaml' })
      expect(yaml.config).toEqual(json.config)
      expect(yaml.warnings.map(({ path, message }) => [path, message]).sort()).toEqual(
        json.warnings.map(({ path, message }) => [path, message]).sort(),
      )
    })
  }

  it('comments, trailing commas and a byte order mark are read over', () => {
    const text =
      '\uFEFF// mine\n{ "mcpServers": { "b": { "command": "x", /* y */ "args": ["1",], }, "a": { "url": "http://a.example" }, }, }'
    expect([...parse(text).config.servers.keys()]).toEqual(['b', 'a'])
    expect([...parse(text, { file: 'parley.jsonc' }).config.servers.keys()]).toEqual(['b', 'a'])
  })

  it('the format given wins over the ending', () => {
    expect(
      parse('mcpServers: { a: { command: x } }', { file: 'noending', format: 'yaml' }).config.servers.has('a'),
    ).toBe(true)
  })

  it('YAML anchors and merge keys are followed', () => {
    const text =
      'x-common: &common\n  command: node\n  args: &args [a]\nmcpServers:\n  one:\n    <<: *common\n    args: [b]\n  two: *common\n  three: { <<: [*common], cwd: sub, args: *args }\n'
    const { servers } = parse(text, { file: 'parley.yml' }).config
    expect([...servers.values()].map(({ target }) => target)).toEqual([
      { kind: 'command', command: 'node', args: ['b'], env: {}, cwd: undefined },
      { kind: 'command', command: 'node', args: ['a'], env: {}, cwd: undefined },
      { kind: 'command', command: 'node', args: ['a'], env: {}, cwd: resolve(BASE, 'sub') },
    ])
  })
})

describe('defaults', () => {
  it('L2: 60 s to initialise, and the documented value for everything else', () => {
    expect(server({ command: 'npx' })).toEqual({
      name: 'one',
      target: { kind: 'command', command: 'npx', args: [], env: {}, cwd: undefined },
      versions: undefined,
      dialect: undefined,
      session: undefined,
      urlMode: 'ask',
      restart: { policy: 'permanent', maxRestarts: 5, within: 60_000 },
      lazy: false,
      idleStop: undefined,
      timeout: 600_000,
      initialiseTimeout: 60_000,
      maxConcurrent: 100,
      maxQueued: 1000,
      maxSessions: 200,
      maxRounds: 8,
      maxMessageSize: 67_108_864,
      tools: { allow: undefined, deny: [], rename: {}, pin: 'off' },
      cache: true,
      poll: 60_000,
    })
  })

  it('the longest message of a server is that of the gateway, unless it has its own', () => {
    const value = {
      mcpServers: { one: { command: 'a' }, two: { command: 'a', maxMessageSize: '1.5MiB' } },
      gateway: { maxMessageSize: '128MiB', maxRequestSize: 16_384 },
    }
    const { servers, gateway } = parse(value).config
    expect([...servers.values()].map(({ maxMessageSize }) => maxMessageSize)).toEqual([134_217_728, 1_572_864])
    expect(gateway).toMatchObject({ maxMessageSize: 134_217_728, maxRequestSize: 16_384 })
  })

  it('a server from no file is the same as one of which a file says nothing', () => {
    const { target, ...rest } = server({ command: 'npx' })
    expect(serverDefaults('one', target)).toEqual({ target, ...rest })
  })

  it('the gateway listens on this machine only, port 4000, and keeps sessions in memory', () => {
    const expected = {
      port: 4000,
      host: '127.0.0.1',
      store: 'memory',
      allowedHosts: undefined,
      allowedOrigins: undefined,
      metricsHosts: [],
      requiredServers: [],
      principalHeader: undefined,
      sessionIdle: 1_800_000,
      maxMessageSize: 67_108_864,
      maxRequestSize: 4_194_304,
      log: 'info',
      translation: 'lenient',
      pins: undefined,
      audit: undefined,
      crashReports: undefined,
    }
    expect(gateway({})).toEqual(expected)
    expect(parse({ mcpServers: {} }).config.gateway).toEqual(expected)
    expect(settingsDefaults).toEqual(expected)
  })

  it('the command line wins over the file', () => {
    const value = { mcpServers: {}, gateway: { port: 1, host: 'localhost' } }
    expect(parse(value, { override: { port: 2 } }).config.gateway).toMatchObject({ port: 2, host: 'localhost' })
  })
})

describe('values', () => {
  it('transport and its spellings in the field', () => {
    const spoken = (value: object) => {
      const { target } = server({ url: 'https://a.example', ...value })
      return target.kind === 'remote' ? target.transport : 'none'
    }
    for (const type of ['http', 'streamable-http', 'streamableHttp', 'streamable_http']) {
      expect([spoken({ type }), spoken({ transport: type })]).toEqual(['streamable-http', 'streamable-http'])
    }
    expect(spoken({ type: 'sse' })).toBe('sse')
    expect(spoken({ type: 'sse', transport: 'sse' })).toBe('sse')
    expect(spoken({ type: 'ws', url: 'ws://a.example' })).toBe('websocket')
    expect(spoken({ url: 'wss://a.example' })).toBe('websocket')
    expect(spoken({ url: 'tcp://a.example:1' })).toBe('tcp')
    expect(spoken({})).toBeUndefined()
  })

  it('durations as numbers and with units', () => {
    const read = (timeout: unknown) => server({ command: 'x', timeout }).timeout
    expect([1500, '1500ms', '1.5s', '2m', '1h', '${LIMIT}', '${PORT}'].map(read)).toEqual([
      1500, 1500, 1500, 120_000, 3_600_000, 45_000, 5000,
    ])
  })

  it('restart as a policy or with limits', () => {
    expect(server({ command: 'x', restart: 'transient' }).restart).toEqual({
      policy: 'transient',
      maxRestarts: 5,
      within: 60_000,
    })
    expect(server({ command: 'x', restart: { maxRestarts: 2 } }).restart).toEqual({
      policy: 'permanent',
      maxRestarts: 2,
      within: 60_000,
    })
  })

  it('relative cwd, pins, audit, crashReports and ./ commands start at the folder of the file; bare commands stay', () => {
    const target = (command: string, cwd?: string) => server({ command, ...(cwd === undefined ? {} : { cwd }) }).target
    expect(target('./bin/x', 'data')).toMatchObject({ command: resolve(BASE, 'bin/x'), cwd: resolve(BASE, 'data') })
    expect(target('../x', '/abs')).toMatchObject({ command: resolve(BASE, '../x'), cwd: resolve('/abs') })
    expect(target('npx')).toMatchObject({ command: 'npx', cwd: undefined })
    expect(gateway({ pins: 'p.json' }).pins).toBe(resolve(BASE, 'p.json'))
    expect(gateway({ audit: 'a.jsonl' }).audit).toBe(resolve(BASE, 'a.jsonl'))
    expect(gateway({ crashReports: 'crashes' }).crashReports).toBe(resolve(BASE, 'crashes'))
    expect(gateway({ crashReports: 'off' }).crashReports).toBe('off')
    const { config } = parseConfig('{"mcpServers":{"a":{"command":"./x"}}}', {
      file: resolve(BASE, 'deep/parley.json'),
      env: {},
    })
    expect(config.servers.get('a')?.target).toMatchObject({ command: resolve(BASE, 'deep/x') })
  })

  it('a server that is switched off is left out, and may lack its variables', () => {
    const { config, warnings } = parse({
      mcpServers: {
        off: { command: '${NOT_SET}', disabled: true },
        varied: { url: '${input:x}', disabled: '${OFF}' },
        on: { command: 'x' },
      },
    })
    expect([...config.servers.keys()]).toEqual(['on'])
    expect(warnings).toEqual([])
  })

  it('keys that are names of the prototype are plain keys', () => {
    const { target } =
      parse('{"mcpServers":{"constructor":{"command":"x","env":{"__proto__":"y"}}}}').config.servers.get(
        'constructor',
      ) ?? {}
    expect(target).toMatchObject({ kind: 'command' })
    expect(Object.getPrototypeOf((target as { env: object }).env)).toBe(Object.prototype)
    expect(Object.keys((target as { env: object }).env)).toEqual(['__proto__'])
  })
})

describe('variables', () => {
  const arg = (text: string) => (server({ command: 'x', args: [text] }).target as { args: readonly string[] }).args[0]

  it('are put in, with defaults for those missing or empty', () => {
    expect(arg('--token=${TOKEN}')).toBe(`--token=${ENV.TOKEN}`)
    expect(arg('${NOT_SET:-a}/${EMPTY:-b}/${EMPTY}/${PORT:-c}')).toBe('a/b//5000')
    expect(arg('${NOT_SET:-${PORT}}/${EMPTY:-<${NEITHER:-b}>}/${PORT:-${NEITHER}}/${NOT_SET:-$${PORT}}')).toBe(
      '5000/<b>/5000/${PORT}',
    )
    expect(arg('${NOT_SET:-}')).toBe('')
    expect(arg('${env:PORT}')).toBe('5000')
  })

  it('$${ stays a ${, and a lone $ stays itself', () => {
    expect(arg('$${TOKEN} $HOME $ {x} $$')).toBe('${TOKEN} $HOME $ {x} $$')
  })

  it('what a variable holds is not expanded again', () => {
    const { config } = parse({ mcpServers: { one: { command: '${A}' } } }, { env: { A: '${B}', B: 'no' } })
    expect(config.servers.get('one')?.target).toMatchObject({ command: '${B}' })
  })

  it('keys are left alone', () => {
    expect(server({ command: 'x', env: { '${PORT}': 'y' } }).target).toMatchObject({ env: { '${PORT}': 'y' } })
  })

  it('stand for numbers and switches as well', () => {
    expect(gateway({ port: '${PORT}' }).port).toBe(5000)
    expect(server({ command: 'x', lazy: '${OFF}' }).lazy).toBe(true)
  })
})

describe('warnings', () => {
  const warnings = (value: object) =>
    parse({ mcpServers: { one: value } }).warnings.map(({ path, message }) => `${path}: ${message}`)

  it('keys of other clients have no effect, and their values are not shown', () => {
    const { warnings: found } = parse({
      mcpServers: { one: { command: 'x', autoApprove: ['hidden'], disabledTools: ['hidden'] } },
    })
    expect(found.map(({ path }) => path)).toEqual(['mcpServers.one.autoApprove', 'mcpServers.one.disabledTools'])
    expect(found[1]?.hint).toContain('"deny"')
    expect(JSON.stringify(found)).not.toContain('hidden')
  })

  it('a bare number that looks like seconds', () => {
    expect(warnings({ command: 'x', timeout: 60 })).toEqual([
      'mcpServers.one.timeout: A number without a unit is in milliseconds, so this is 60 ms.',
    ])
    expect(warnings({ command: 'x', timeout: 60_000 })).toEqual([])
  })

  it('arguments inside of the command, and keys without effect', () => {
    expect(warnings({ command: 'npx -y server' })).toEqual([
      'mcpServers.one.command: The command contains spaces. The gateway does not split it.',
    ])
    expect(warnings({ command: '/Program Files/node' })).toEqual([])
    expect(warnings({ url: 'http://a.example', env: { A: 'b' }, args: [] })).toEqual([
      'mcpServers.one.env: Has no effect without "command".',
    ])
    expect(warnings({ command: 'x', headers: { A: 'b' } })).toEqual([
      'mcpServers.one.headers: Has no effect without "url".',
    ])
  })

  it('no server switched on, and a gateway open to other machines', () => {
    expect(parse({ mcpServers: {} }).warnings.map(({ path }) => path)).toEqual(['mcpServers'])
    const open = { mcpServers: { one: { command: 'x' } }, gateway: { host: '0.0.0.0' } }
    expect(parse(open).warnings.map(({ path }) => path)).toEqual(['gateway.host'])
    expect(parse(open, { override: { host: '127.0.0.1' } }).warnings).toEqual([])
  })
})
