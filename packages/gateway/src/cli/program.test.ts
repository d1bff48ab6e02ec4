import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parley, plainServer } from './cli.fixtures.ts'
import { terminalNotice } from './serve/bridge-command.ts'
import { bridgeStart } from './serve/bridge-start.ts'
import { gatewayStart } from './serve/gateway.ts'
import { processIo } from './terminal/io.ts'

describe('the command line', () => {
  it('tells its version and its commands', async () => {
    expect(await parley(['--version'])).toEqual({ code: 0, out: '9.8.7\n', err: '' })
    const { code, out } = await parley(['--help'])
    expect(code).toBe(0)
    for (const command of ['gateway', 'bridge', 'inspect', 'call', 'doctor', 'audit'])
      expect(out).toMatch(new RegExp(`^  ${command} +[a-z]`, 'm'))
  })

  it.each([
    [['inspct'], 'hint: --help shows the commands and options\n'],
    [['inspect', '--nope'], 'hint: --help shows the options; write a program'],
    [['inspect'], 'hint: give an address'],
  ])('ends errors of use with a hint (%j)', async (line, hint) => {
    expect((await parley(line)).err).toContain(`\n${hint}`)
  })

  it('knows a file where an address should be', async () => {
    const file = relative('.', plainServer)
    const { code, err } = await parley(['inspect', file])
    expect([code, err]).toEqual([
      2,
      `error: "${file}" is a file, not an address\nhint: to start it, write it after "--": -- node ${file}\n`,
    ])
  })

  it.each(['gateway', 'bridge', 'inspect', 'call', 'doctor', 'audit'])('explains %s', async (command) => {
    const { code, out, err } = await parley([command, '--help'])
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain(`Usage: parley ${command}`)
    expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
    expect(out).toMatch(/Examples:[\s\S]*Exit code: 0/)
  })

  it.each([
    [[], /Usage: parley/],
    [['inspct', 'http://x'], /unknown command 'inspct'[\s\S]*inspect/],
    [['inspect'], /No server was given/],
    [['inspect', '--'], /A command is expected after "--"/],
    [['inspect', 'localhost:3000/mcp'], /did you mean "http:\/\/localhost:3000\/mcp"\?/],
    [['inspect', 'server.js'], /write it after "--"|did you mean/],
    [['inspect', 'ftp://example.com'], /a scheme that Parley does not support/],
    [['inspect', 'http://x', '--', 'node'], /an address and a command/],
    [['inspect', '--server', 'a'], /--server names a server of a configuration, so it needs --config/],
    [['inspect', 'node', 'server.js'], /Write -- before the command\nhint: parley inspect -- node server.js\n/],
    [['inspect', 'npx', '-y', 'some-server'], /unknown option '-y'\n.*after "--"/],
    [['bridge', 'node', 'x.js'], /hint: parley bridge -- node x.js\n/],
    [['inspect', 'http://x', '--server', 'a'], /it needs --config/],
    [['inspect', 'http://x', '--header', 'no colon'], /not of the form NAME: VALUE/],
    [['inspect', 'tcp://x:1', '--header', 'a: b'], /no headers/],
    [['inspect', '--transport', 'sse', '--', 'node'], /need an address/],
    [['inspect', 'http://x', '--transport', 'pigeon'], /Allowed choices/],
    [['inspect', 'http://x', '--timeout', '30'], /with its unit/],
    [['inspect', 'http://x', '--version', '2025-01-01'], /The versions are 2024-11-05/],
    [['inspect', 'http://x', 'http://y'], /Too many arguments/],
    [['call', 'http://x'], /No tool was given/],
    [['call', 'forecast', '{"city":"Oslo"}'], /The address is missing\nhint: parley call URL TOOL \[JSON\]/],
    [['call', 'forecast', '--arg', 'city=Oslo'], /The address is missing/],
    [['call', 'http://x', 'tool', '{}', 'more'], /"more" follows the arguments/],
    [['call', 'http://x', 'tool', '--log', 'warn'], /no log level "warn"; did you mean "warning"/],
    [['call', 'http://x', 'tool', '--answer', 'yes'], /--answer "yes" is not of the form key=value/],
    [['gateway', '--port', '70000'], /from 0 to 65535/],
    [['gateway', '--', 'node'], /takes no command/],
    [['gateway', 'parley.json'], /did you mean --config parley.json\?/],
    [['bridge'], /No server was given/],
    [['audit'], /No file was given/],
    [['audit', 'a.jsonl', 'b.jsonl'], /One file at a time/],
    [['audit', '--', 'node'], /not a command/],
    [['audit', 'a.jsonl', '--hash', 'abc'], /--hash must be "sha256-" and 64 hexadecimal digits/],
    [['bridge', '--config', 'f'], /Which server/],
    [['bridge', '--server', 'a'], /--server names a server of a configuration, so it needs --config/],
  ])('refuses %j with 2', async (line, message) => {
    const { code, out, err } = await parley(line)
    expect([code, out]).toEqual([2, ''])
    expect(err).toMatch(message)
  })

  it('hints at commands as they are typed here', async () => {
    const { err } = await parley(['inspect', 'npx', '-y', 'some-server'], { program: 'npx parley-gateway' })
    expect(err).toContain('after "--": npx parley-gateway inspect -- npx -y some-server')
  })

  it('gives errors of use as JSON with --json', async () => {
    for (const line of [
      ['inspect', '--json'],
      ['inspect', '--json', '--nope'],
      ['inspect', 'x', 'y', '--json'],
    ]) {
      const { code, out, err } = await parley(line)
      expect([code, out]).toEqual([2, ''])
      expect(JSON.parse(err).error).toMatchObject({ kind: 'usage', message: expect.any(String) })
    }
  })

  it('never repeats what may be a secret', async () => {
    const { err } = await parley(['inspect', 'http://x', '--header', 'Authorization Bearer s3cret'])
    expect(err).not.toContain('s3cret')
    const doctor = await parley(['doctor', 'http://user:s3cret@127.0.0.1:1/mcp?key=s3cret'])
    expect(doctor.out).toContain('http://127.0.0.1:1/mcp?key=…')
    expect(doctor.out).not.toContain('s3cret')
  })
})

describe('commands that serve hand on', () => {
  it('what the gateway needs', () => {
    expect(gatewayStart({ config: 'a.json', port: 1 }, 'parley')).toEqual({
      config: 'a.json',
      port: 1,
      host: undefined,
    })
    expect(gatewayStart({}, 'parley', () => true)).toMatchObject({ config: 'parley.json' })
    expect(() => gatewayStart({}, 'parley', () => false)).toThrow('There is no parley.json in this folder')
  })

  it('what a bridge needs', () => {
    expect(bridgeStart({ config: 'a.json', server: 'b', command: [] }).upstream).toEqual({
      kind: 'configured',
      config: 'a.json',
      server: 'b',
    })
    expect(bridgeStart({ command: ['node', 'x.js'], timeout: '2m' })).toEqual({
      upstream: { kind: 'command', command: 'node', args: ['x.js'], env: {}, cwd: undefined },
      timeout: '2m',
    })
    expect(bridgeStart({ url: 'https://x/mcp', header: ['A: b:c'], command: [] }).upstream).toEqual({
      kind: 'remote',
      url: 'https://x/mcp',
      transport: undefined,
      headers: { A: 'b:c' },
    })
  })
})

describe('commands that name a server', () => {
  it('say when a configuration has none', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-none-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'parley.json')
    await writeFile(file, '{ "mcpServers": {} }')
    for (const command of ['inspect', 'bridge']) {
      expect(await parley([command, '--config', file])).toEqual({
        code: 2,
        out: '',
        err: `error: There is no server in ${file}\n`,
      })
    }
  })

  it.each([
    [{ url: 'http://127.0.0.1:1/mcp', command: [] }, 'http://127.0.0.1:1/mcp'],
    [{ url: 'http://127.0.0.1:1/mcp?key=s3cret', command: [] }, 'with the same address'],
    [{ command: ['node', 'my server.js'] }, "-- node 'my server.js'"],
    [{ config: 'a.json', server: 'b', command: [] }, '--config a.json --server b'],
  ])('tell whoever types what a client should start (%j)', (given, same) => {
    expect(terminalNotice(bridgeStart(given), 'parley')).toBe(
      `The bridge speaks MCP on standard input; a client starts it. To look at the server: parley inspect ${same}. Ctrl-C ends it.\n`,
    )
  })
})

describe('L8 the first interruption', () => {
  it('is heard once, and its listener stays until the command has ended', () => {
    const before = process.listenerCount('SIGINT')
    let heard = 0
    const stop = processIo().onInterrupt(() => {
      heard++
    })
    process.listeners('SIGINT').at(-1)?.('SIGINT')
    expect([heard, process.listenerCount('SIGINT')]).toEqual([1, before + 1])
    stop()
    expect(process.listenerCount('SIGINT')).toBe(before)
  })
})
