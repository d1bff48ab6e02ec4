/** Connecting: versions, time-outs, aborts, wrong targets, and what a connected client offers. */
import { describe, expect, it } from 'vitest'
import type { Body } from '../jsonrpc/index.ts'
import type { Clock } from '../session/index.ts'
import { handshakeVersions, versions } from '../versions/index.ts'
import { Client } from './client.ts'
import { connect } from './connect.ts'
import { rawServer } from './raw-server.fixtures.ts'

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 0))

describe('V3 versions', () => {
  it('asks for the newest handshake version', async () => {
    const server = rawServer()
    const client = await connect(server.link)
    expect(server.of('initialize')[0]?.params?.['protocolVersion']).toBe('2025-11-25')
    expect(client.version).toBe('2025-11-25')
  })

  it.each(handshakeVersions)('speaks %s alone when told so', async (version) => {
    const server = rawServer()
    expect((await connect(server.link, { version })).version).toBe(version)
    expect(server.of('initialize')[0]?.params?.['protocolVersion']).toBe(version)
  })

  it('follows a server to an older version it is willing to speak', async () => {
    expect((await connect(rawServer({ version: '2024-11-05' }).link)).version).toBe('2024-11-05')
  })

  it('disconnects with an error that names both sides', async () => {
    const server = rawServer({ version: '2024-11-05' })
    await expect(connect(server.link, { versions: ['2025-06-18', '2025-11-25'] })).rejects.toMatchObject({
      kind: 'unsupported_protocol_version',
      message: expect.stringMatching(/2024-11-05.*2025-06-18, 2025-11-25/),
    })
    await turn()
    expect(server.closed).toBe(true)
  })

  it.each(['2023-01-01', '9999-12-31', 'latest', 7, null, {}])(
    'disconnects from a server that answers %j',
    async (version) => {
      const server = rawServer({ version: version === null ? 'null' : version })
      await expect(connect(server.link)).rejects.toMatchObject({ kind: 'unsupported_protocol_version' })
      await turn()
      expect(server.closed).toBe(true)
    },
  )

  it('does not pretend to speak what it cannot', async () => {
    await expect(connect(rawServer().link, { version: '2026-07-28' })).rejects.toMatchObject({
      kind: 'unsupported_protocol_version',
      message: expect.stringContaining('handshake'),
    })
    await expect(connect(rawServer().link, { version: '2025-06-19' as never })).rejects.toMatchObject({
      kind: 'unsupported_protocol_version',
      message: `Unsupported protocol version: "2025-06-19"; supported: ${versions.join(', ')}`,
    })
    await expect(connect(rawServer().link, { versions: [] })).rejects.toMatchObject({
      kind: 'unsupported_protocol_version',
    })
  })
})

describe('L2 the handshake ends cleanly', () => {
  it('after 10 s without an answer', async () => {
    const timers: { ms: number; task: () => void }[] = []
    let now = 0
    const clock: Clock = {
      now: () => now,
      after: (ms, task) => {
        timers.push({ ms, task })
        return () => {}
      },
    }
    const server = rawServer({ answers: { initialize: () => undefined } })
    const connecting = connect(server.link, { clock })
    await turn()
    expect(timers.map((timer) => timer.ms)).toContain(10_000)
    now = 10_000
    for (const timer of timers) timer.task()
    await expect(connecting).rejects.toMatchObject({ kind: 'initialization_timeout' })
    await turn()
    expect(server.closed).toBe(true)
    expect(server.of('notifications/cancelled')).toEqual([])
  })

  it('when the server answers with an error', async () => {
    const server = rawServer({ answers: { initialize: () => ({ error: { code: -32602, message: 'go away' } }) } })
    await expect(connect(server.link)).rejects.toMatchObject({ code: -32602, message: 'go away' })
    await turn()
    expect(server.closed).toBe(true)
  })

  it('when the server answers nonsense', async () => {
    const server = rawServer({ answers: { initialize: () => ({ protocolVersion: '2025-11-25' }) } })
    await expect(connect(server.link)).rejects.toMatchObject({ kind: 'invalid_answer' })
  })

  it('when the server closes the connection', async () => {
    const server = rawServer({ answers: { initialize: () => undefined } })
    const connecting = connect(server.link)
    await turn()
    server.link.close()
    await expect(connecting).rejects.toMatchObject({ kind: 'connection_closed' })
  })

  it('when the caller aborts, before and meanwhile', async () => {
    await expect(connect(rawServer().link, { signal: AbortSignal.abort(new Error('early')) })).rejects.toMatchObject({
      kind: 'request_cancelled',
    })
    const server = rawServer({ answers: { initialize: () => undefined } })
    const abort = new AbortController()
    const connecting = connect(server.link, { signal: abort.signal })
    await turn()
    abort.abort()
    await expect(connecting).rejects.toMatchObject({ kind: 'request_cancelled' })
    await turn()
    expect(server.closed).toBe(true)
  })

  it('when a setting is wrong', async () => {
    const server = rawServer()
    await expect(connect(server.link, { timeout: 'soon' as never })).rejects.toThrow(/Not a duration: "soon"/)
    await turn()
    expect(server.closed).toBe(true)
  })

  it('a signal means nothing once connected', async () => {
    const abort = new AbortController()
    const client = await connect(rawServer().link, { signal: abort.signal })
    abort.abort()
    await client.ping()
  })
})

describe('targets', () => {
  it.each([
    ['tcp://127.0.0.1:3000', 'the address tcp://127.0.0.1:3000'],
    [new URL('gopher://x/'), 'the address gopher://x/'],
    ['not an address', 'the address not an address'],
    [{ url: 'file:///etc/passwd' }, 'the address file:///etc/passwd'],
    [{ command: 'node', args: [] }, 'an object with command, args'],
    [undefined, 'undefined'],
    [{}, 'an object with no members'],
  ])('%j is refused with the name of the entry that will take it', async (target, shown) => {
    await expect(connect(target as never)).rejects.toMatchObject({
      kind: 'transport_error',
      message: expect.stringContaining(`Cannot connect to ${shown}`),
    })
    await expect(connect(target as never)).rejects.toThrow('parley-mcp/node')
  })

  it.each([
    ['node stdio.mjs --port 1', 'pass { command: "node", args: ["stdio.mjs","--port","1"] }'],
    ['./server.mjs', 'pass { command: "node", args: ["./server.mjs"] }'],
    ['server.py', 'pass { command: "python3", args: ["server.py"] }'],
    ['localhost:3917/mcp', 'did you mean "http://localhost:3917/mcp"?'],
    ['example.com', 'did you mean "http://example.com"?'],
    ['box:80', 'did you mean "http://box:80"?'],
  ])('%j is refused with what was probably meant', async (target, hint) => {
    await expect(connect(target)).rejects.toThrow(hint)
  })

  it.each(['', '/mcp', 'ftp://example.com/a.js', 'mailto:x', 'x'.repeat(300)])(
    'nothing is made up about %j',
    async (target) => {
      await expect(connect(target)).rejects.toThrow(
        /^Cannot connect to the address [^ ]*: connect\(\) of parley-mcp\/client takes/,
      )
    },
  )
})

describe('a connected client', () => {
  it('knows who it talks to', async () => {
    const client = await connect(rawServer({ instructions: 'be brief' }).link)
    expect(client.server).toMatchObject({ name: 'raw', version: '9' })
    expect(client.capabilities.tools).toEqual({ listChanged: true })
    expect(client.instructions).toBe('be brief')
    expect(Object.isFrozen(client.capabilities)).toBe(true)
    expect(client.health()).toMatchObject({ alive: true, pending: 0 })
  })

  it('introduces itself', async () => {
    const server = rawServer()
    await connect(server.link, { info: { name: 'me', version: '2', title: 'Me' }, experimental: { 'x/y': {} } })
    expect(server.of('initialize')[0]?.params).toMatchObject({
      clientInfo: { name: 'me', version: '2', title: 'Me' },
      capabilities: { experimental: { 'x/y': {} } },
    })
  })

  it('closes once, also by disposal, and refuses to work afterwards', async () => {
    const server = rawServer()
    const client = await connect(server.link)
    await client[Symbol.asyncDispose]()
    await client.close()
    await turn()
    expect(server.closed).toBe(true)
    await expect(client.call('x')).rejects.toMatchObject({ kind: 'session_closed' })
    await expect(client.tools()).rejects.toMatchObject({ kind: 'session_closed' })
    expect(client.notify('notifications/roots/list_changed')).toBe(false)
  })

  it('does not ask for what the server did not declare', async () => {
    const server = rawServer({ capabilities: {} })
    const client = await connect(server.link)
    const refusals: Promise<unknown>[] = [
      client.tools(),
      client.read('a:b'),
      client.prompts(),
      client.setLogLevel('info'),
      client.subscribe('a:b', () => {}),
    ]
    for (const refused of refusals) await expect(refused).rejects.toMatchObject({ kind: 'capability_not_supported' })
    expect(server.received.map((message) => message.method)).toEqual(['initialize', 'notifications/initialized'])
  })

  it('reads, prompts, completes and sets the level with the right parameters', async () => {
    const server = rawServer({
      answers: {
        'resources/read': () => ({ contents: [{ uri: 'a:b', text: 't' }] }),
        'prompts/get': () => ({ messages: [] }),
        'completion/complete': () => ({ completion: { values: ['x'], hasMore: false } }),
        'logging/setLevel': () => ({}),
        'vendor/thing': (params) => params,
      },
    })
    const client = await connect(server.link)
    expect((await client.read('a:b')).contents).toEqual([{ uri: 'a:b', text: 't' }])
    await client.prompt('p', { a: '1' })
    await client.prompt('p')
    expect(await client.complete({ prompt: 'p' }, { name: 'a', value: 'x' }, { b: '2' })).toEqual({
      values: ['x'],
      hasMore: false,
    })
    await client.complete({ resource: 'a:{b}' }, { name: 'b', value: '' })
    await client.complete({ type: 'ref/prompt', name: 'q' }, { name: 'a', value: '' })
    await client.setLogLevel('warning')
    expect(await client.request('vendor/thing', { n: 1 })).toEqual({ n: 1 })
    const sent = (method: string): (Body | undefined)[] => server.of(method).map((message) => message.params)
    expect(sent('prompts/get')).toEqual([{ name: 'p', arguments: { a: '1' } }, { name: 'p' }])
    expect(sent('completion/complete')).toEqual([
      {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: 'x' },
        context: { arguments: { b: '2' } },
      },
      { ref: { type: 'ref/resource', uri: 'a:{b}' }, argument: { name: 'b', value: '' } },
      { ref: { type: 'ref/prompt', name: 'q' }, argument: { name: 'a', value: '' } },
    ])
    expect(sent('logging/setLevel')).toEqual([{ level: 'warning' }])
  })

  it('refuses a completion that is none', async () => {
    const client = await connect(rawServer({ answers: { 'completion/complete': () => ({}) } }).link)
    await expect(client.complete({ prompt: 'p' }, { name: 'a', value: '' })).rejects.toMatchObject({
      kind: 'invalid_answer',
    })
  })

  it('M4 hands out notifications, and takes handlers back', async () => {
    const server = rawServer()
    const heard: string[] = []
    const client = await connect(server.link, { onLog: ({ level }) => heard.push(`option ${level}`) })
    const stop = client.onLog(({ data }) => heard.push(`log ${String(data)}`))
    client.onListChanged('prompts', () => heard.push('prompts'))
    client.onNotification('*', (_, method) => heard.push(method))
    server.notify('notifications/message', { level: 'info', data: 'x' })
    server.notify('notifications/prompts/list_changed')
    await client.ping()
    stop()
    server.notify('notifications/message', { level: 'error', data: 'y' })
    await client.ping()
    expect(heard).toEqual([
      'option info',
      'log x',
      'notifications/message',
      'prompts',
      'notifications/prompts/list_changed',
      'option error',
      'notifications/message',
    ])
  })

  it('fails what waits when the connection is lost, and lists it before', async () => {
    const server = rawServer()
    const client = await connect(server.link)
    const calling = client.call('slow')
    expect(client.pending()).toEqual([expect.objectContaining({ method: 'tools/call' })])
    server.link.close()
    await expect(calling).rejects.toMatchObject({ kind: 'connection_closed', advice: 'reconnect' })
    expect(client.pending()).toEqual([])
    expect(client.losses()).toEqual([])
  })

  it('is an instance of Client', async () => {
    expect(await connect(rawServer().link)).toBeInstanceOf(Client)
  })
})
