/** `parley bridge` as a client starts it: what reaches its standard error, and how long it waits. */
import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it, onTestFinished } from 'vitest'
import { plain, plainServer } from '../src/cli/cli.fixtures.ts'
import { until } from './running.fixtures.ts'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'desktop', version: '1' } },
}

const running: ChildProcessByStdio<Writable, Readable, Readable>[] = []

afterEach(async () => {
  for (const bridge of running.splice(0)) {
    bridge.stdin.end()
    if (bridge.exitCode === null && bridge.signalCode === null) await once(bridge, 'exit')
  }
})

function bridged(...line: string[]) {
  return bridgedBy([], ...line)
}

/** `node`: options of Node. */
function bridgedBy(node: readonly string[], ...line: string[]) {
  const bridge = spawn(process.execPath, [...node, CLI, 'bridge', ...line], { stdio: ['pipe', 'pipe', 'pipe'] })
  running.push(bridge)
  const said = { out: '', err: '' }
  bridge.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text
  })
  bridge.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  bridge.stdin.write(`${JSON.stringify(HELLO)}\n`)
  const has = (stream: keyof typeof said, words: string) =>
    until(
      () => said[stream],
      (text) => text.includes(words),
    )
  return { bridge, has }
}

describe('parley bridge', () => {
  it('hands on what its server writes to standard error, and keeps its output for messages', async () => {
    const { has } = bridged(...plain('--log'))
    expect(JSON.parse(await has('out', '\n'))).toMatchObject({ id: 1, result: { serverInfo: { name: 'plain' } } })
    expect(await has('err', 'hard')).toBe('listening hard\n')
  })

  it('waits for a silent server as long as --timeout says', async () => {
    const { has } = bridged('--timeout', '300ms', ...plain('--mute'))
    expect(JSON.parse(await has('out', '\n'))).toMatchObject({
      id: 1,
      error: { message: expect.stringContaining('within 300 ms') },
    })
  })

  it('says at once that its server writes what is no message', async () => {
    const { has } = bridged('--timeout', '1s', ...plain('--mute', '--junk'))
    expect(await has('err', '\n')).toMatch(
      /plain-server\.js: writes to standard output what is no message: ".+"; it must log to standard error\n/,
    )
  })

  it.each(['the end of its input', 'SIGTERM', 'the end of its output'])(
    'L3 tells its server to end before it makes it, and ends with 0, on %s',
    async (cause) => {
      const { bridge, has } = bridged(...plain('--late'))
      await has('out', '\n')
      const ended = once(bridge, 'exit')
      if (cause === 'SIGTERM') bridge.kill('SIGTERM')
      else if (cause === 'the end of its input') bridge.stdin.end()
      else {
        bridge.stdout.destroy()
        bridge.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'ping' })}\n`)
      }
      expect(await has('err', '\n')).toBe('told to end\n')
      expect(await ended).toEqual([0, null])
    },
  )

  it('L3 tells its server to end when its client insists', async () => {
    const { bridge, has } = bridged(...plain('--late'))
    await has('out', '\n')
    const ended = once(bridge, 'exit')
    bridge.stdin.end()
    bridge.kill('SIGINT')
    expect(await has('err', '\n')).toBe('told to end\n')
    await ended
  })

  it('loads no package that a server over stdio does not need, since its client waits for it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bridge-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const loaded = join(folder, 'loaded.cjs')
    await writeFile(
      loaded,
      `process.on('exit', () => console.error('loaded ' + Object.keys(require.cache).join(' ') + ' in all'))`,
    )
    const { bridge, has } = bridgedBy(['--require', loaded], ...plain())
    await has('out', '\n')
    bridge.stdin.end()
    const text = await has('err', ' in all')
    expect(text).toContain('loaded.cjs')
    expect(text).not.toMatch(/node_modules/)
  })

  it('starts its server before its client has said anything', async () => {
    const started =
      'process.stdin.once("data", () => process.exit()); require("node:fs").writeFileSync(process.argv[1], "")'
    const folder = await mkdtemp(join(tmpdir(), 'parley-bridge-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'started')
    const bridge = spawn(process.execPath, [CLI, 'bridge', '--', process.execPath, '-e', started, file], {
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    running.push(bridge)
    expect(
      await until(
        () => existsSync(file),
        (there) => there,
      ),
    ).toBe(true)
  })

  it('takes the only server of a configuration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'parley-bridge-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const file = join(folder, 'parley.json')
    await writeFile(file, JSON.stringify({ mcpServers: { only: { command: process.execPath, args: [plainServer] } } }))
    const { has } = bridged('--config', file)
    expect(JSON.parse(await has('out', '\n'))).toMatchObject({ id: 1, result: { serverInfo: { name: 'plain' } } })
  })
})
