/** What every transport must do in every version: the same tests for all of them. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Client, type ConnectOptions, ParleyError, ToolError } from '../../src/client.ts'
import { eraOf, type ProtocolVersion } from '../../src/index.ts'
import { testVersions } from '../../src/testing.ts'
import { EXTRA_TOOLS, MAX_BYTES, PAGE } from './suite-server.ts'

/** A client and a server of its own at the other end. */
export interface Opened {
  readonly client: Client
  /** Resolves when the server has noticed that the client is gone. */
  gone(): Promise<unknown>
  /** The server ends, as it does when it is told to. */
  stop(): Promise<unknown>
  /** The wire breaks, or the server dies. */
  cut(): unknown
  /** Leaves nothing behind. */
  release(): unknown
}

export interface Wire {
  /** As the server sees it. */
  readonly transport: string
  /** False where what belongs to a call may come after its answer. */
  readonly ordered?: boolean
  /** False where a client that is sent too much has to hang up. */
  readonly skips?: boolean
  open(options: ConnectOptions): Promise<Opened>
}

/** Machines can be busy. */
export const SOON = { timeout: 10_000 }

const WITH_ELICITATION: readonly ProtocolVersion[] = ['2025-06-18', '2025-11-25', '2026-07-28']

/** Waits for what a handler is told, without looking at a clock. */
class Mailbox<T> {
  readonly all: T[] = []
  readonly #takers: ((item: T) => void)[] = []

  readonly put = (item: T): void => {
    const taker = this.#takers.shift()
    if (taker === undefined) this.all.push(item)
    else taker(item)
  }

  next(): Promise<T> {
    if (this.all.length === 0) return new Promise((resolve) => this.#takers.push(resolve))
    return Promise.resolve(this.all.shift() as T)
  }
}

export function describeTransport(name: string, wire: Wire): void {
  describe.each(testVersions)(`T ${name}, %s`, (version) => {
    const hasSessions = eraOf(version) === 'handshake'
    /**
     * Where a call is answered with one piece of JSON, and there is no other way to the client, nothing can be told
     * before.
     */
    const tellsDuring = hasSessions || wire.ordered !== false
    const opened: Opened[] = []
    const questions = new Mailbox<{ text: string; signal: AbortSignal }>()
    let client: Client

    const open = async (options: ConnectOptions = {}): Promise<Opened> => {
      const made = await wire.open({
        version,
        info: { name: 'suite-client', version: '1.0.0' },
        keepAlive: false,
        timeout: '20s',
        sample: async ({ messages, signal }) => {
          const { content } = messages[0] as (typeof messages)[number]
          const asked = Array.isArray(content) ? '' : content.type === 'text' ? content.text : ''
          questions.put({ text: asked, signal })
          if (asked.startsWith('never')) return new Promise(() => {})
          return `You said ${asked}`
        },
        elicit: () => ({ sure: true }),
        roots: ['file:///here', 'file:///there'],
        ...options,
      })
      opened.push(made)
      return made
    }
    /** Until what belongs to no request arrives: some transports open a way for it after the handshake. */
    const hears = async (one: Client): Promise<void> => {
      const updates = new Mailbox<string>()
      await one.subscribe('notes://today', updates.put)
      await one.call('touch', { text: 'notes://today' } as never)
      await updates.next()
    }
    const say = async (tool: string, args: object = {}): Promise<string> =>
      (await client.call(tool, args as never)).text

    beforeAll(async () => {
      client = (await open()).client
    })
    afterEach(() => {
      questions.all.length = 0
    })
    afterAll(async () => {
      for (const one of opened.splice(0)) {
        await one.client.close()
        await one.release()
      }
    })

    it('V2 both sides speak that version', async () => {
      expect(client.version).toBe(version)
      expect(client.server.name).toBe('suite')
      expect(JSON.parse(await say('about'))).toEqual({ version, client: 'suite-client', transport: wire.transport })
    })

    it('F7 lists page by page, everything once and in order', async () => {
      const first = await client.listTools()
      expect(first.tools).toHaveLength(PAGE)
      expect(first.nextCursor).toEqual(expect.any(String))
      const names = (await client.tools()).map((each) => each.name).filter((each) => each.startsWith('extra-'))
      expect(names).toEqual(
        Array.from({ length: EXTRA_TOOLS }, (_, index) => `extra-${String(index).padStart(3, '0')}`),
      )
    })

    it('F1 calls, and tells every kind of failure apart', async () => {
      expect(await say('echo', { text: 'hello' })).toBe('hello')
      await expect(say('fail')).rejects.toThrow(new ToolError('on purpose'))
      await expect(say('nobody')).rejects.toMatchObject({ name: 'ParleyError', kind: 'tool_not_found' })
      await expect(client.request('no/such/method')).rejects.toBeInstanceOf(ParleyError)
      await client.ping()
    })

    it('F1 structured results', async () => {
      const outcome = await client.call('sum', { a: 2, b: 3 } as never)
      expect(JSON.parse(outcome.text)).toEqual({ sum: 5 })
      expect(outcome.structured).toEqual(WITH_ELICITATION.includes(version) ? { sum: 5 } : undefined)
    })

    it.runIf(tellsDuring)('F7 progress comes in order, while the call still runs', async () => {
      const steps = new Mailbox<number>()
      const call = client.call('steps', { count: 5, tag: 'progress' } as never, {
        onProgress: ({ progress }) => steps.put(progress),
      })
      const seen: number[] = []
      while (seen.length < 5) seen.push(await steps.next())
      expect(seen).toEqual([1, 2, 3, 4, 5])
      expect(await say('release', { tag: 'progress' })).toBe('true')
      expect((await call).text).toBe('done')
    })

    it.runIf(wire.ordered !== false)('F7 no progress comes after the answer, none is lost before it', async () => {
      const seen: number[] = []
      await client.call('steps', { count: 20 } as never, { onProgress: ({ progress }) => seen.push(progress) })
      expect(seen).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    })

    it.runIf(tellsDuring)('F5 log messages of the level that was asked for', async () => {
      const heard = new Mailbox<unknown>()
      const stop = client.onLog(({ level, data }) => heard.put([level, data]))
      await client.setLogLevel('warning')
      await say('say')
      expect([await heard.next(), await heard.next()]).toEqual([
        ['warning', 'warning'],
        ['error', 'error'],
      ])
      expect(heard.all).toEqual([])
      stop()
    })

    it('F7 a call that the client cancels stops at the server', async () => {
      const controller = new AbortController()
      const call = client.call('wait', { tag: 'cancel' } as never, { signal: controller.signal })
      call.catch(() => {})
      await expect.poll(() => say('fate', { tag: 'cancel' }), SOON).toBe('running')
      controller.abort()
      await expect(call).rejects.toMatchObject({ kind: 'request_cancelled' })
      await expect.poll(() => say('fate', { tag: 'cancel' }), SOON).toBe('aborted')
    })

    // D-31: a question inside a result cannot be taken back.
    it.runIf(hasSessions)('F7 a question that the server cancels stops at the client', async () => {
      const call = say('impatient', { tag: 'never mind' })
      const { signal } = await questions.next()
      const aborted = new Promise((resolve) => signal.addEventListener('abort', resolve))
      expect(await say('release', { tag: 'never mind' })).toBe('true')
      await aborted
      expect(await call).toBe('request_cancelled')
    })

    it('F6 the server asks for a model, a user and places during a call', async () => {
      expect(JSON.parse(await say('ask', { text: 'hi' }))).toMatchObject({ text: 'You said hi' })
      expect(await say('places')).toBe('file:///here file:///there')
      if (WITH_ELICITATION.includes(version))
        expect(JSON.parse(await say('confirm'))).toEqual({ action: 'accept', content: { sure: true } })
      else await expect(say('confirm')).rejects.toThrow(/elicitation/)
    })

    it('F6 questions of many calls at once find their way back', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => say('ask', { text: `q${index}` })))
      expect(answers.map((answer) => JSON.parse(answer).text)).toEqual(
        Array.from({ length: 20 }, (_, index) => `You said q${index}`),
      )
    })

    it('F2 a resource that is subscribed to tells of its updates, until it is not', async () => {
      const updates = new Mailbox<string>()
      expect((await client.read('notes://today')).contents).toMatchObject([{ text: 'buy milk' }])
      const subscription = await client.subscribe('notes://today', (uri) => updates.put(uri))
      await say('touch', { text: 'notes://today' })
      expect(await updates.next()).toBe('notes://today')
      await subscription.unsubscribe()
      await say('touch', { text: 'notes://today' })
      expect(updates.all).toEqual([])
    })

    it('F1 a list that changes is told, and then shows it', async () => {
      const changes = new Mailbox<void>()
      const stop = client.onListChanged('tools', () => changes.put())
      // D-30: where one has to ask for news, a subscription is acknowledged together with all else that is wanted.
      const subscription = await client.subscribe('notes://today', () => {})
      const added = await say('grow')
      await changes.next()
      stop()
      await subscription.unsubscribe()
      expect((await client.tools()).map((each) => each.name)).toContain(added)
    })

    it('M5 a megabyte each way', async () => {
      expect(await say('measure', { text: 'x'.repeat(1_000_000) })).toBe('1000000')
      expect(await say('large', { count: 1_000_000 })).toHaveLength(1_000_000)
    })

    it('M1 text of all kinds arrives as it was', async () => {
      const awkward = 'Tromsø 🌲 日本語 e\u0301 \u2028\u2029 \u0000\u001f \ufeff "\\\r\n\tdata: x\n\n \ud800'
      expect(await say('echo', { text: awkward })).toBe(awkward)
      const many = '🌲ø'.repeat(100_000)
      expect(await say('echo', { text: many })).toBe(many)
    })

    it('M3 a hundred calls at once, each with its own answer', async () => {
      const texts = Array.from({ length: 100 }, (_, index) => `call ${index}`)
      expect(await Promise.all(texts.map((each) => say('echo', { text: each })))).toEqual(texts)
    })

    it('M5 what is too long for the server is refused by name, and nothing else suffers', async () => {
      const quick = say('echo', { text: 'meanwhile' })
      await expect(say('measure', { text: 'x'.repeat(MAX_BYTES) })).rejects.toMatchObject({ kind: 'message_too_large' })
      expect(await quick).toBe('meanwhile')
      expect(await say('echo', { text: 'after' })).toBe('after')
    })

    it(`M5 what is too long for the client fails that call${wire.skips === false ? ' and ends the session' : ' only'}`, async () => {
      const small = await open({ limits: { maxBytes: 100_000 } })
      const failure = await small.client.call('large', { count: 150_000 } as never).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        name: 'ParleyError',
        message: expect.stringMatching(/10\d{4} (bytes|characters)/),
      })
      if (wire.skips !== false) expect((await small.client.call('echo', { text: 'after' } as never)).text).toBe('after')
      else
        await expect(small.client.call('echo', { text: 'after' } as never)).rejects.toMatchObject({
          kind: 'session_closed',
        })
    })

    it('L8 the client leaves: the server notices', async () => {
      const { client: leaving, gone } = await open()
      await hears(leaving)
      await leaving.close()
      await gone()
      await expect(leaving.call('echo', { text: 'late' } as never)).rejects.toBeInstanceOf(ParleyError)
    })

    it('L8 the server leaves: the client notices', async () => {
      const { client: left, stop } = await open()
      const ended = new Promise<void>((resolve) => left.session.onClose(() => resolve()))
      await hears(left)
      await stop()
      // D-61: where each request travels by itself, the next one tells.
      if (hasSessions || wire.transport !== 'http') await ended
      await expect(left.call('echo', { text: 'late' } as never)).rejects.toBeInstanceOf(ParleyError)
    })

    it('L7 the server dies in the middle of a call: one typed error, and no waiting', async () => {
      const { client: bereft, cut } = await open()
      const call = bereft.call('wait', { tag: 'cut' } as never)
      call.catch(() => {})
      await expect.poll(async () => (await bereft.call('fate', { tag: 'cut' } as never)).text, SOON).toBe('running')
      await cut()
      const failure = (await call.catch((error: unknown) => error)) as ParleyError
      expect(failure).toBeInstanceOf(ParleyError)
      expect(['connection_closed', 'transport_error']).toContain(failure.kind)
    })
  })
}
