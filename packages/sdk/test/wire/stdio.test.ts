import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { PassThrough, Writable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connect } from '../../src/client.ts'
import { childLink, serveStdio, stdioLink } from '../../src/node/index.ts'
import { createServer, tool } from '../../src/server.ts'
import { fakeClock } from '../../src/testing.ts'
import { type Bundled, bundled } from './children/programs.ts'
import { until } from './processes.ts'

const initialize = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const initialized = { method: 'notifications/initialized' }
const call = (id: number, name: string, args: object = {}) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const line = (message: object): string => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`

interface Answer {
  id?: number
  result?: { content: [{ text: string }] }
  error?: { code: number; message: string }
}

let served: Bundled
beforeAll(async () => {
  served = await bundled('served')
})
afterAll(() => served.remove())

const running: ChildProcessWithoutNullStreams[] = []
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** The served program, spoken to without the SDK. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [served.path, ...args])
  running.push(child)
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal })),
  )
  const said = { out: '', err: '' }
  child.stdin.on('error', () => {})
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text
  })
  const read = () =>
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said.out += text
    })
  const answers = (): Answer[] =>
    said.out
      .split('\n')
      .slice(0, -1)
      .map((each) => JSON.parse(each))
  const send = (...messages: object[]) => child.stdin.write(messages.map(line).join(''))
  return { child, ended, said, read, answers, send }
}

describe('T serveStdio: the end', () => {
  it('answers what was asked before its input ended, then exits with 0', async () => {
    const { child, ended, read, answers } = start()
    read()
    child.stdin.end(
      [initialize, initialized, call(1, 'later', { ms: 150 }), call(2, 'echo', { text: 'Tromsø' })].map(line).join(''),
    )
    expect(await ended).toMatchObject({ code: 0, signal: null })
    expect(answers().map(({ id }) => id)).toEqual([0, 2, 1])
    expect(answers().map(({ result }) => result?.content?.[0].text)).toEqual([undefined, 'Tromsø', 'at last'])
  })

  it('exits although something else keeps the process busy', async () => {
    const { child, ended } = start('busy')
    child.stdin.end(line(initialize))
    expect(await ended).toMatchObject({ code: 0, signal: null })
  })

  it('gives standard output back for what the program has to say afterwards', async () => {
    const { child, ended, read, said } = start('farewell')
    read()
    child.stdin.end(line(initialize))
    expect(await ended).toMatchObject({ code: 0, signal: null })
    expect(said.out.split('\n')).toEqual([expect.stringContaining('"serverInfo"'), 'after the end', ''])
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('%s: running requests finish, then it exits with 0', async (signal) => {
    const { child, ended, read, answers, send, said } = start()
    read()
    send(initialize, initialized, call(1, 'later', { ms: 150 }))
    await until(
      () => said.err,
      (text) => text.includes('begun'),
    )
    child.kill(signal)
    expect(await ended).toMatchObject({ code: 0, signal: null })
    expect(answers().at(-1)).toMatchObject({ id: 1, result: { content: [{ text: 'at last' }] } })
  })

  it('a second signal ends it at once', async () => {
    const { child, ended, send, said } = start()
    send(initialize, initialized, call(1, 'later', { ms: 60_000 }))
    await until(
      () => said.err,
      (text) => text.includes('begun'),
    )
    child.kill('SIGTERM')
    const killing = setInterval(() => child.kill('SIGTERM'), 50)
    expect(await ended).toMatchObject({ code: 1, signal: null })
    clearInterval(killing)
  })

  it('a signal after its input has ended shortens the wait for what still runs', async () => {
    const { child, ended, send, said } = start()
    send(initialize, initialized, call(1, 'later', { ms: 60_000 }))
    await until(
      () => said.err,
      (text) => text.includes('begun'),
    )
    const since = Date.now()
    child.stdin.end()
    child.stdin.once('close', () => child.kill('SIGTERM'))
    expect((await ended).signal).toBe(null)
    expect(Date.now() - since).toBeLessThan(4500)
  })

  it('a client that stops reading does not crash it', async () => {
    const { child, ended, send, said } = start()
    child.stdout.once('data', () => {
      child.stdout.destroy()
      for (let id = 1; id <= 50; id++) send(call(id, 'large', { length: 10_000 }))
    })
    send(initialize, initialized)
    expect(await ended).toMatchObject({ code: 0, signal: null })
    expect(said.err).not.toMatch(/EPIPE|Error/)
  })
})

describe('T serveStdio: the stream', () => {
  it('keeps everything but frames off standard output', async () => {
    const { child, ended, read, answers, said } = start()
    read()
    child.stdin.end([initialize, initialized, call(1, 'chatty')].map(line).join(''))
    await ended
    expect(answers().map(({ id }) => id)).toEqual([0, 1])
    for (const source of ['console.log', 'console.info', 'console.debug', 'stdout.write'])
      expect(said.err).toContain(`from ${source}\n`)
  })

  it('holds answers for a client that reads late, and loses none', async () => {
    const { child, ended, read, answers, send } = start()
    send(initialize, initialized, ...Array.from({ length: 200 }, (_, id) => call(id + 1, 'large', { length: 50_000 })))
    child.stdin.end()
    child.stdout.once('readable', () => setImmediate(read))
    expect(await ended).toMatchObject({ code: 0, signal: null })
    expect(answers().map(({ id }) => id)).toEqual(Array.from({ length: 201 }, (_, id) => id))
  })

  it('answers half frames, garbage, CRLF and split characters each in its way, and goes on', async () => {
    const { child, ended, read, answers } = start()
    read()
    const bytes = Buffer.from(line(call(1, 'echo', { text: 'blå 🌊' })).replace('\n', '\r\n'))
    const middle = bytes.indexOf('🌊') + 2
    const parts = [
      line(initialize),
      line(initialized),
      bytes.subarray(0, middle),
      bytes.subarray(middle),
      'garbage\n',
      line(call(2, 'echo', { text: 'b' })),
      '{"jsonrpc":"2.0","id":3,"meth',
    ]
    for (const part of parts) await new Promise((resolve) => child.stdin.write(part, () => setImmediate(resolve)))
    child.stdin.end()
    await ended
    expect(answers()).toMatchObject([
      { id: 0 },
      { id: 1, result: { content: [{ text: 'blå 🌊' }] } },
      { error: { code: -32700, message: 'The message is not valid JSON' } },
      { id: 2, result: { content: [{ text: 'b' }] } },
      { error: { code: -32700, message: 'The input ended in the middle of a message' } },
    ])
  })

  it('refuses a line of 300 MB by its id, without keeping it, and goes on', async () => {
    const { child, ended, read, answers, send } = start()
    read()
    send(initialize, initialized)
    await until(answers, ({ length }) => length === 1)
    const peakOf = (text: string) => Number(/VmHWM:\s+(\d+) kB/.exec(text)?.[1]) / 1024
    const { readFile } = await import('node:fs/promises')
    const status = async () => peakOf(await readFile(`/proc/${child.pid}/status`, 'utf8'))
    const before = await status()
    const piece = Buffer.alloc(1024 * 1024, 'x')
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"')
    for (let sent = 0; sent < 300; sent++) await new Promise((resolve) => child.stdin.write(piece, resolve))
    child.stdin.write('"}}}\n')
    send(call(2, 'echo', { text: 'still here' }))
    await until(answers, ({ length }) => length === 3)
    expect(answers().slice(1)).toMatchObject([
      { id: 1, error: { message: 'Messages are limited to 4194304 bytes' } },
      { id: 2, result: { content: [{ text: 'still here' }] } },
    ])
    // Chunks that were read wait for the garbage collector, and that is all.
    expect((await status()) - before).toBeLessThan(120)
    child.stdin.end()
    await ended
  })
})

describe('T serveStdio on streams of one’s own', () => {
  const server = createServer({ name: 's', version: '1' }).add(
    tool('now', { description: 'At once' }, () => 'now'),
    tool('soon', { description: 'A little later' }, async () => 'soon'),
  )

  it('writes the first answer to a burst of requests at once, and all others together, sync and async alike', async () => {
    const input = new PassThrough()
    const writes: string[] = []
    const output = new Writable({
      decodeStrings: false,
      write(chunk: string, _, done) {
        if (chunk !== '') writes.push(chunk)
        done()
      },
    })
    const handle = await serveStdio(server, { input, output })
    input.write(line(initialize) + line(initialized))
    await until(
      () => writes.length,
      (count) => count === 1,
    )
    await new Promise((resolve) => setImmediate(resolve))
    input.write(Array.from({ length: 64 }, (_, id) => line(call(id, id % 2 === 0 ? 'now' : 'soon'))).join(''))
    await until(
      () => writes.length,
      (count) => count > 2,
    )
    expect(writes[1]?.split('\n')).toHaveLength(2)
    expect(writes[2]?.split('\n')).toHaveLength(64)
    input.end()
    await handle.closed
    expect(writes).toHaveLength(3)
    expect(handle.session.phase).toBe('closed')
  })

  it('touches neither the signals nor the output of the process, and closes on demand', async () => {
    const before = { signals: process.listenerCount('SIGTERM'), write: process.stdout.write }
    const handle = await serveStdio(server, { input: new PassThrough(), output: new PassThrough() })
    expect({ signals: process.listenerCount('SIGTERM'), write: process.stdout.write }).toEqual(before)
    await handle.close()
    await handle.closed
    expect(handle.session.phase).toBe('closed')
  })

  it('an input that is destroyed or fails is an end like any other', async () => {
    for (const error of [undefined, new Error('cable cut')]) {
      const input = new PassThrough()
      const handle = await serveStdio(server, { input, output: new PassThrough() })
      const reason = new Promise((resolve) => handle.session.onClose(resolve))
      input.destroy(error)
      await handle.closed
      const failed = { kind: 'transport_error', message: 'The stdio link failed: cable cut' }
      if (error === undefined) expect(await reason).toBeUndefined()
      else expect(await reason).toMatchObject(failed)
    }
  })

  it('leaves everything as it was when the server cannot accept', async () => {
    const broken = {
      accept(): never {
        throw new Error('on purpose')
      },
    }
    const before = process.stdout.write
    const output = new PassThrough()
    await expect(serveStdio(broken, { input: new PassThrough(), output })).rejects.toThrow('on purpose')
    await expect(serveStdio(broken, { input: new PassThrough() })).rejects.toThrow('on purpose')
    await until(
      () => process.stdout.write,
      (write) => write === before,
    )
  })
})

describe('T stdioLink', () => {
  it('has the output of the process to itself until it is finished', async () => {
    const before = process.stdout.write
    const link = stdioLink({ input: new PassThrough() })
    expect(() => stdioLink({ input: new PassThrough() })).toThrow(
      'Standard input and output are already in use by another link',
    )
    expect(process.stdout.write).not.toBe(before)
    link.close()
    await link.finished
    expect(process.stdout.write).toBe(before)
    expect(() => link.send('{}')).toThrow('The stdio link is closed')
  })
})

describe('T the whole way', () => {
  it.each(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const)(
    'client and server on the SDK, %s',
    async (version) => {
      const link = await childLink({ command: process.execPath, args: [served.path] })
      const client = await connect(link, { version })
      expect(client.session.version).toBe(version)
      const texts = await Promise.all(
        Array.from({ length: 100 }, async (_, n) => (await client.call('echo', { text: `n${n} 🌲` })).text),
      )
      expect(texts).toEqual(Array.from({ length: 100 }, (_, n) => `n${n} 🌲`))
      expect((await client.call('large', { length: 1_000_000 })).text).toHaveLength(1_000_000)
      await client.close()
      expect(await link.gone).toMatchObject({ code: 0, signal: null })
    },
  )
})

describe('V4 a client that says nothing yet', () => {
  it.each([
    { what: 'is waited for where it may be of the stateless era', options: {}, open: true },
    { what: 'has 30 s where only a handshake can come', options: { versions: ['2025-11-25'] as const }, open: false },
    {
      what: 'has 30 s where a dialect is spoken, which has only a handshake',
      options: { dialect: 'erlmcp' as const },
      open: false,
    },
  ])('$what', async ({ options, open }) => {
    const clock = fakeClock()
    const server = createServer({ name: 'patient', version: '1.0.0' })
    const handle = await serveStdio(server, { input: new PassThrough(), output: new PassThrough(), clock, ...options })
    await clock.advance(24 * 60 * 60_000)
    expect(handle.session.phase !== 'closed').toBe(open)
    await handle.close({ drain: 0 })
  })

  it('a dialect that does not go with the versions is told at once, and no stream is taken', async () => {
    const input = new PassThrough()
    const server = createServer({ name: 'patient', version: '1.0.0' }, { versions: ['2026-07-28'] })
    await expect(serveStdio(server, { input, output: new PassThrough(), dialect: 'erlmcp' })).rejects.toThrow(
      'goes with protocol version 2025-11-25',
    )
    expect(input.listenerCount('data') + input.listenerCount('readable')).toBe(0)
  })
})
