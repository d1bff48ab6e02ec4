import { describe, expect, it } from 'vitest'
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import { flush } from '../testing/index.ts'
import { type Dial, type WebSocketOptions, webSocketLink, webSocketTo } from './index.ts'

type Listener = (event: never) => void

/** A socket that does what it is told and remembers what was asked of it. */
class FakeSocket {
  readyState = 1
  bufferedAmount = 0
  sent: string[] = []
  closes: (readonly [number | undefined, string | undefined])[] = []
  terminated = 0
  /** Browsers let programs use 1000 and 3000 to 4999 only. */
  likeBrowsers = false
  readonly #listeners = new Map<string, Listener[]>()

  addEventListener(type: string, listener: Listener): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener])
  }

  fire(type: string, event: object = {}): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never)
  }

  end(code: number, reason = ''): void {
    this.readyState = 3
    this.fire('close', { code, reason })
  }

  send(text: string): void {
    this.sent.push(text)
  }

  close(code?: number, reason?: string): void {
    if (this.likeBrowsers && code !== undefined && code !== 1000 && code < 3000) throw new Error('InvalidAccessError')
    this.closes.push([code, reason])
  }

  terminate(): void {
    this.terminated++
  }
}

interface Heard {
  frames: string[]
  ends: (Error | undefined)[]
}

function listen(link: Link): Heard {
  const heard: Heard = { frames: [], ends: [] }
  link.open({ frame: (text) => void heard.frames.push(text), closed: (reason) => void heard.ends.push(reason) })
  return heard
}

describe('T WebSocket: frames', () => {
  it('are text messages, both ways', () => {
    const socket = new FakeSocket()
    const link = webSocketLink(socket)
    const { frames } = listen(link)
    socket.fire('message', { data: '{"a":1}' })
    link.send('{"b":2}')
    expect({ frames, sent: socket.sent, transport: link.transport }).toEqual({
      frames: ['{"a":1}'],
      sent: ['{"b":2}'],
      transport: 'websocket',
    })
  })

  it('that come before anybody listens are kept in order, and the end behind them', async () => {
    const socket = new FakeSocket()
    const link = webSocketLink(socket)
    socket.fire('message', { data: '1' })
    const heard = listen(link)
    socket.fire('message', { data: '2' })
    socket.end(1000)
    await flush()
    expect(heard).toEqual({ frames: ['1', '2'], ends: [undefined] })
  })

  it('too many before the link is opened: disconnected', async () => {
    const socket = new FakeSocket()
    const link = webSocketLink(socket)
    for (let i = 0; i < 2000; i++) socket.fire('message', { data: String(i) })
    const { ends } = listen(link)
    await flush()
    expect(socket.closes).toEqual([[1008, 'Too much at once']])
    expect(ends).toEqual([expect.objectContaining({ kind: 'transport_error' })])
  })

  it('binary ones are refused with 1003, and by a code of their own where programs have no other', async () => {
    for (const [likeBrowsers, code] of [
      [false, 1003],
      [true, 4003],
    ] as const) {
      const socket = Object.assign(new FakeSocket(), { likeBrowsers })
      const heard = listen(webSocketLink(socket))
      socket.fire('message', { data: new ArrayBuffer(2) })
      socket.fire('message', { data: 'after' })
      await flush()
      expect(socket.closes).toEqual([[code, 'Messages are text']])
      expect(heard).toEqual({
        frames: [],
        ends: [expect.objectContaining({ kind: 'transport_error', message: expect.stringContaining('binary') })],
      })
    }
  })

  it('for a peer that does not read end the link, and do not fill the memory', async () => {
    const socket = Object.assign(new FakeSocket(), { bufferedAmount: 1001 })
    const link = webSocketLink(socket, { maxBuffered: 1000 })
    const { ends } = listen(link)
    expect(() => link.send('x')).toThrow(/does not read: 1001 bytes/)
    await flush()
    expect({ sent: socket.sent, terminated: socket.terminated, ends: ends.length }).toEqual({
      sent: [],
      terminated: 1,
      ends: 1,
    })
  })

  it('that the socket does not take are an error of the link', () => {
    const socket = Object.assign(new FakeSocket(), {
      send() {
        throw new Error('not now')
      },
    })
    const link = webSocketLink(socket)
    listen(link)
    expect(() => link.send('x')).toThrow(
      expect.objectContaining({ kind: 'transport_error', message: expect.stringContaining('not now') }),
    )
  })
})

describe('T WebSocket: the end', () => {
  it.each([1000, 1001, 1005])('code %i is clean', (code) => {
    const socket = new FakeSocket()
    const { ends } = listen(webSocketLink(socket))
    socket.end(code)
    expect(ends).toEqual([undefined])
  })

  it.each([
    [1006, 'connection_closed', /broke off/],
    [1009, 'message_too_large', /too large/],
    [1011, 'connection_closed', /failed/],
    [4003, 'connection_closed', /only text/],
    [4999, 'connection_closed', /code 4999$/],
  ] as const)('code %i is %s, in words', (code, kind, words) => {
    const socket = new FakeSocket()
    const { ends } = listen(webSocketLink(socket))
    socket.end(code)
    expect(ends).toEqual([expect.objectContaining({ kind, message: expect.stringMatching(words) })])
  })

  it('names the trouble an implementation had, and what the peer said', () => {
    const socket = new FakeSocket()
    const { ends } = listen(webSocketLink(socket))
    const trouble = new Error('bad frame')
    socket.fire('error', { error: trouble })
    socket.end(1002, 'reserved bit')
    expect(ends).toEqual([
      expect.objectContaining({ message: expect.stringMatching(/1002.*reserved bit.*bad frame/), cause: trouble }),
    ])
  })

  it('from this side: says goodbye once, tells once, and waits for the other side', async () => {
    const socket = new FakeSocket()
    const link = webSocketLink(socket)
    const { ends } = listen(link)
    let gone = false
    void Promise.resolve(link.close()).then(() => {
      gone = true
    })
    void link.close()
    await flush()
    expect({ closes: socket.closes, ends, gone }).toEqual({ closes: [[1000, '']], ends: [undefined], gone: false })
    expect(() => link.send('x')).toThrow(expect.objectContaining({ kind: 'transport_error' }))
    socket.end(1000)
    await flush()
    expect({ ends, gone }).toEqual({ ends: [undefined], gone: true })
  })

  it('is not waited for without end', async () => {
    const timers: (() => void)[] = []
    const socket = new FakeSocket()
    const after = (_: number, task: () => void): (() => void) => {
      timers.push(task)
      return () => {}
    }
    const link = webSocketLink(socket, { closeTimeout: 5, clock: { after } })
    listen(link)
    const closing = link.close()
    timers[0]?.()
    await closing
    expect(socket.terminated).toBe(1)
  })

  it('a socket that is not open any more gives a link that is over', async () => {
    const link = webSocketLink(Object.assign(new FakeSocket(), { readyState: 3 }))
    const { ends } = listen(link)
    await flush()
    expect(ends).toHaveLength(1)
    expect(() => link.open({ frame() {}, closed() {} })).toThrow(/already in use/)
  })
})

describe('T WebSocket: connecting', () => {
  const connecting = (readyState = 0) => Object.assign(new FakeSocket(), { readyState })
  const attempt = (
    socket: FakeSocket,
    options: WebSocketOptions = {},
    url = 'ws://user:secret@example.org/mcp?token=secret#part',
  ) => {
    const calls: unknown[] = []
    const dial: Dial = (...args) => {
      calls.push(args)
      return socket
    }
    const link = webSocketTo(url, { ...options, dial })
    return { link, calls }
  }

  it('asks for the subprotocol, with headers and limits, and gives a link once it is open', async () => {
    const socket = connecting()
    const { link, calls } = attempt(socket, { headers: { authorization: 'x' }, maxMessage: 9 })
    await flush()
    socket.readyState = 1
    socket.fire('open')
    expect((await link).transport).toBe('websocket')
    expect(calls).toEqual([
      [
        'ws://user:secret@example.org/mcp?token=secret',
        { protocol: 'mcp', headers: { authorization: 'x' }, maxMessage: 9 },
      ],
    ])
  })

  it.each([
    ['nothing', {}, /no server answers/, 'transport_error'],
    ['words', { message: 'no route' }, /no route/, 'transport_error'],
    ['an error', { error: new Error('Unexpected server response: 403') }, /it answered 403/, 'forbidden'],
    ['an error', { error: new Error('Unexpected server response: 401') }, /it answered 401/, 'unauthorized'],
  ] as const)('a failure that the implementation explains by %s', async (_, event, words, kind) => {
    const socket = connecting()
    const { link } = attempt(socket)
    const failed = link.catch((error: unknown) => error as ParleyError)
    await flush()
    socket.fire('error', event)
    socket.end(1006)
    const error = (await failed) as ParleyError
    expect(error).toMatchObject({ kind, message: expect.stringMatching(words) })
    expect(error.message).not.toContain('secret')
  })

  it('is over at once where it was before anybody could listen', async () => {
    await expect(attempt(connecting(3)).link).rejects.toThrow(/no server answers/)
    expect((await attempt(connecting(1)).link).transport).toBe('websocket')
  })

  it('is given up after a while', async () => {
    const socket = connecting()
    await expect(attempt(socket, { connectTimeout: 1 }).link).rejects.toThrow(/no answer within 1 ms/)
    expect(socket.terminated).toBe(1)
  })

  it.each(['http://example.org', 'example.org', 'tcp://example.org:1', ''])(
    '%j is no address of a WebSocket',
    async (url) => {
      await expect(webSocketTo(url)).rejects.toThrow(/Not a WebSocket address/)
    },
  )

  it('what a constructor throws is one clear error', async () => {
    const dial = () => {
      throw new Error('Invalid URL')
    }
    const error = await webSocketTo('ws://example.org', { dial }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ParleyError)
    expect(error).toMatchObject({ message: expect.stringContaining('Invalid URL') })
  })

  it('without a global WebSocket says so', async () => {
    const { WebSocket } = globalThis
    Reflect.deleteProperty(globalThis, 'WebSocket')
    try {
      await expect(webSocketTo('ws://example.org')).rejects.toThrow(/has no WebSocket/)
    } finally {
      if (WebSocket !== undefined) globalThis.WebSocket = WebSocket
    }
  })
})
