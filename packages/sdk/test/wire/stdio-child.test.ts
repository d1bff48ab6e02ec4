import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Client, type ConnectOptions, connect, type SessionEvent } from '../../src/client.ts'
import { type ChildLink, type ChildSpec, childLink } from '../../src/node/index.ts'
import { type Bundled, bundled, misbehaving } from './children/programs.ts'
import { allGone, MARK, mark, marked } from './processes.ts'

const shutdown = { inputEnd: '300ms', terminate: '300ms' } as const

let current = mark()
const links: ChildLink[] = []
afterEach(async () => {
  for (const link of links.splice(0)) link.close()
  await allGone(current, 8000)
  current = mark()
})

async function started(mode: string, spec: Partial<ChildSpec> = {}): Promise<ChildLink> {
  const link = await childLink({
    command: process.execPath,
    args: [misbehaving, mode],
    env: { [MARK]: current },
    shutdown,
    ...spec,
  })
  links.push(link)
  return link
}

async function connected(
  mode: string,
  options: ConnectOptions = {},
  spec: Partial<ChildSpec> = {},
): Promise<{ client: Client; link: ChildLink }> {
  const link = await started(mode, spec)
  return { client: await connect(link, options), link }
}

describe('T a server as a child process', () => {
  it('talks to it, and when the client closes the process ends', async () => {
    const { client, link } = await connected('well')
    expect(marked(current)).toEqual([link.pid])
    expect((await client.call('act')).text).toBe('ok')
    await client.close()
    expect(await link.gone).toEqual({ code: 0, signal: null, told: null })
    expect(marked(current)).toEqual([])
  })

  it('reads answers that come in pieces, split inside characters, with CRLF', async () => {
    const { client } = await connected('answers in pieces')
    expect((await client.call('act')).text).toBe('Tromsø 🌲')
  })

  it('gives it a small environment and what is asked for, without a shell', async () => {
    process.env['PARLEY_SECRET'] = 'hidden'
    onTestFinished(() => {
      delete process.env['PARLEY_SECRET']
    })
    const print =
      'console.error(JSON.stringify({ env: process.env, args: process.argv.slice(1), cwd: process.cwd() })); process.exit(1)'
    const said = async (
      spec: Partial<ChildSpec>,
    ): Promise<{ env: Record<string, string>; args: string[]; cwd: string }> => {
      const link = await started('', { args: ['-e', print, '$HOME', 'a b; echo c'], ...spec })
      await link.gone
      return JSON.parse(link.stderr())
    }
    const usual = await said({ env: { [MARK]: current, OWN: 'x', HOME: undefined }, cwd: '/' })
    expect(usual).toMatchObject({
      args: ['$HOME', 'a b; echo c'],
      cwd: '/',
      env: { OWN: 'x', PATH: process.env['PATH'] },
    })
    expect(Object.keys(usual.env)).not.toContain('PARLEY_SECRET')
    expect(Object.keys(usual.env)).not.toContain('HOME')
    expect((await said({ inheritEnv: true })).env).toMatchObject({ PARLEY_SECRET: 'hidden' })
  })

  it('passes its standard error on to whoever wants it, and a listener that throws harms nobody', async () => {
    let heard = ''
    const link = await started('dies at once', {
      stderr: (text) => {
        heard += text
        throw new Error('on purpose')
      },
    })
    await link.gone
    expect(heard).toBe('cannot find settings.json\n')
  })

  it.each([
    [
      'a name that is not in PATH',
      { command: 'no-such-program' },
      /^Cannot start "no-such-program": there is no such command in PATH \(.+\); give its full path/,
    ],
    ['a path that is not there', { command: '/no/such/program' }, /there is no such file/],
    ['a file that cannot be run', { command: misbehaving }, /it is not an executable file/],
    [
      'a folder that is not there',
      { cwd: '/no/such/folder' },
      /the working folder "\/no\/such\/folder" does not exist/,
    ],
    ['an empty PATH', { command: 'node', env: { PATH: '' } }, /which is empty/],
    ['no command', { command: '' }, /"command" must be the name or path of a program/],
    ['arguments that are no strings', { args: [1] as never }, /"args" must be a list of strings/],
    ['a null character', { args: ['a\0b'] }, /Cannot start/],
  ])('says clearly why it cannot be started: %s', async (_, spec, message) => {
    await expect(started('', spec)).rejects.toMatchObject({
      name: 'ParleyError',
      kind: 'transport_error',
      message: expect.stringMatching(message),
    })
  })
})

describe('T children that misbehave', () => {
  it('prints garbage: it is counted and reported, and the conversation goes on', async () => {
    const events: SessionEvent[] = []
    const sent: string[] = []
    const { client } = await connected('garbage', {
      onEvent: (event) => events.push(event),
      tap: (direction, frame) => direction === 'sent' && sent.push(frame),
    })
    expect((await client.call('act')).text).toBe('found')
    expect((await client.call('ordinary')).text).toBe('ok')
    expect(client.session.stats().ignored).toEqual({ 'invalid message': 6 })
    // Answering what was no question could make it print more, for ever.
    expect(sent.filter((frame) => frame.includes('"error"'))).toEqual([])
    const details = events.flatMap((event) => (event.type === 'ignored' ? [event.detail] : []))
    expect(details).toEqual(
      expect.arrayContaining([
        'The message is not valid JSON',
        'The message is not valid UTF-8',
        'Member "jsonrpc" must be "2.0"',
      ]),
    )
  })

  it.each([
    ['2025-11-25', 'before initialize was answered'],
    ['2026-07-28', 'before server/discover was answered'],
    [undefined, 'when the server was asked for server/discover'],
  ] as const)('dies at once: connecting fails at once and quotes its last words (%s)', async (version, moment) => {
    const link = await started('dies at once')
    await expect(connect(link, version === undefined ? {} : { version })).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(
        new RegExp(
          `^The connection ended ${moment}: The server ".+" exited with code 3; its last words: cannot find settings\\.json$`,
        ),
      ),
      cause: { kind: 'connection_closed', data: { exitCode: 3, signal: null } },
    })
    expect(() => link.send('{}')).toThrow('The stdio link is closed')
  })

  it('is dead before anybody listens: the link says so when it is opened', async () => {
    const link = await started('dies at once')
    await link.gone
    await expect(connect(link)).rejects.toMatchObject({
      message: expect.stringContaining('exited with code 3; its last words'),
    })
  })

  it('dies mid-answer: what waits fails at once with the exit code and the last words', async () => {
    const { client } = await connected('dies mid-answer')
    const calls = await Promise.allSettled([client.call('act'), client.call('act')])
    for (const call of calls) {
      expect(call).toMatchObject({
        status: 'rejected',
        reason: {
          kind: 'connection_closed',
          message: expect.stringMatching(/exited with code 7; its last words: out of luck/),
        },
      })
    }
    expect(client.session.phase).toBe('closed')
    expect(client.session.stats().ignored).toEqual({ 'invalid message': 1 })
  })

  it('is killed: the signal is named', async () => {
    const { client } = await connected('is killed mid-answer')
    await expect(client.call('act')).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(/was ended by SIGKILL/),
    })
  })

  it('closes its output but stays: the link ends, and so does the process', async () => {
    const { client, link } = await connected('closes its output')
    await expect(client.call('act')).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(/closed its output/),
    })
    expect(await link.gone).toEqual({ code: null, signal: 'SIGTERM', told: 'SIGTERM' })
  })

  it('closes its input but stays: the same', async () => {
    let closed: () => void = () => {}
    const heard = new Promise<void>((resolve) => {
      closed = resolve
    })
    const link = await started('closes its input', { stderr: () => closed() })
    await heard
    await expect(connect(link)).rejects.toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(/closed its input/),
    })
    expect(await link.gone).toEqual({ code: null, signal: 'SIGTERM', told: 'SIGTERM' })
  })

  it('answers with a line of 300 MB: that request fails, memory stays flat, the next one works', async () => {
    const { client } = await connected('answers with 300 MB', { limits: { maxBytes: 4_194_304 } })
    const before = process.memoryUsage().rss
    let peak = 0
    const watch = setInterval(() => {
      peak = Math.max(peak, process.memoryUsage().rss - before)
    }, 5)
    onTestFinished(() => clearInterval(watch))
    await expect(client.call('act')).rejects.toMatchObject({
      kind: 'result_too_large',
      message: expect.stringMatching(/limited to 4194304 bytes/),
    })
    // Chunks that were read wait for the garbage collector, and that is all.
    expect(peak).toBeLessThan(120 * 1024 * 1024)
    expect((await client.call('ordinary')).text).toBe('ok')
  })

  it('does not read: what waits for it is bounded', async () => {
    const link = await started('', { args: ['-e', 'setInterval(() => {}, 60000)'], maxBuffered: 1_000_000 })
    const ended = new Promise<Error | undefined>((resolve) => link.open({ frame: () => {}, closed: resolve }))
    const frame = JSON.stringify({ pad: 'x'.repeat(100_000) })
    const flood = setInterval(() => {
      try {
        link.send(frame)
      } catch {
        clearInterval(flood)
      }
    }, 1)
    onTestFinished(() => clearInterval(flood))
    expect(await ended).toMatchObject({
      kind: 'connection_closed',
      message: expect.stringMatching(/does not read its input/),
    })
    await link.gone
  })
})

describe('T the end of a child process', () => {
  it('ignores the end of its input and SIGTERM: it is killed', async () => {
    const { client, link } = await connected('ignores everything')
    await client.close()
    expect(await link.gone).toEqual({ code: null, signal: 'SIGKILL', told: 'SIGKILL' })
    expect(marked(current)).toEqual([])
  })

  it.each(['leaves a grandchild', 'leaves a stubborn grandchild'])('%s: the whole group ends', async (mode) => {
    const { client, link } = await connected(mode)
    expect(marked(current)).toHaveLength(2)
    await client.close()
    await link.gone
    await allGone(current)
  })

  it('leaves a grandchild when it crashes: that ends, too', async () => {
    const { client, link } = await connected('leaves a grandchild')
    process.kill(link.pid, 'SIGKILL')
    await expect(client.call('act')).rejects.toMatchObject({
      kind: expect.stringMatching(/connection_closed|session_closed/),
    })
    await link.gone
    await allGone(current)
  })

  it('leaves no listener on this process behind', async () => {
    const counts = () => ['exit', 'SIGINT', 'SIGTERM', 'SIGHUP'].map((event) => process.listenerCount(event))
    const before = counts()
    const { client, link } = await connected('well')
    expect(counts()).not.toEqual(before)
    await client.close()
    await link.gone
    expect(counts()).toEqual(before)
  })
})

describe('T the end of the process that started it', () => {
  let parent: Bundled
  let served: Bundled
  beforeAll(async () => {
    ;[parent, served] = await Promise.all([bundled('parent'), bundled('served')])
  })
  afterAll(async () => {
    await Promise.all([parent.remove(), served.remove()])
  })

  /** Starts a parent that starts a server, and waits until both are up. */
  async function family(
    ending: string,
    server: readonly string[],
    signal?: NodeJS.Signals,
  ): Promise<{ code: number | null; signal: string | null }> {
    const { spawn } = await import('node:child_process')
    const child = spawn(process.execPath, [parent.path, ending, ...server], {
      env: { ...process.env, [MARK]: current },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) =>
      child.once('exit', (code, by) => resolve({ code, signal: by })),
    )
    await new Promise((resolve) => child.stdout.once('data', resolve))
    if (signal !== undefined) child.kill(signal)
    return ended
  }

  const stubborn = () => [process.execPath, misbehaving, 'ignores everything']

  it.each(['exits', 'throws'])('%s: a server that ignores everything goes with it', async (ending) => {
    expect((await family(ending, stubborn())).code).toBe(ending === 'exits' ? 0 : 1)
    await allGone(current)
  })

  it('has nothing more to do: it waits for the server to end', async () => {
    expect(await family('runs out', [process.execPath, served.path])).toMatchObject({ code: 0, signal: null })
    expect(marked(current)).toEqual([])
  })

  it.each(['leaves a grandchild', 'leaves a quiet grandchild'])(
    'waits for the whole group, and has nothing else to do: %s',
    async (mode) => {
      expect(await family('waits', [process.execPath, misbehaving, mode])).toMatchObject({ code: 0, signal: null })
      await allGone(current)
    },
  )

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    'ended by %s, which it does not handle: the server goes first',
    async (signal) => {
      expect(await family('stays', stubborn(), signal)).toEqual({ code: null, signal })
      await allGone(current)
    },
  )

  it('killed without warning: a server on this SDK sees its input end, whatever keeps it busy', async () => {
    expect(await family('stays', [process.execPath, served.path, 'busy'], 'SIGKILL')).toEqual({
      code: null,
      signal: 'SIGKILL',
    })
    await allGone(current)
  })
})
