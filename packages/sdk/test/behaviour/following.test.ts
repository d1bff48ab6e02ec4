/** Progress, cancellation, time-outs, logging, changes of lists and pages, in every version. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createServer, tool } from '../../src/server.ts'
import { connect, everyVersion, fakeClock, flush, leaks } from '../../src/testing.ts'
import { cancellations, everything } from './everything.ts'

const manyTools = (count: number, pageSize: number) =>
  createServer({ name: 's', version: '1' }, { pageSize }).add(
    ...Array.from({ length: count }, (_, n) => tool(`t${n}`, {}, () => 'x')),
  )

/** Declares a test only where it means something. */
const when = (holds: boolean): ((title: string, run: () => Promise<void>) => void) => (holds ? it : () => {})

everyVersion((version) => {
  const hasSessions = version < '2026-07-28'

  describe(`F7 progress and cancellation (${version})`, () => {
    it('progress reaches the caller who asks for it, and nobody else', async () => {
      await using client = await connect(everything(), { version })
      const seen: unknown[] = []
      await client.call('slow', { steps: 3 }, { onProgress: (progress) => seen.push(progress) })
      expect(seen).toEqual([1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })))
      client.transcript.clear()
      await client.call('slow')
      expect(String(client.transcript)).not.toContain('notifications/progress')
    })

    it('M2 aborting a call cancels it at the server, which sends no answer', async () => {
      await using client = await connect(everything(), { version })
      const abort = new AbortController()
      const tag = `abort ${version}`
      const calling = client.call('wait', { tag }, { signal: abort.signal })
      await flush()
      expect(client.serverSession.inFlight()).toHaveLength(1)
      abort.abort('enough')
      await expect(calling).rejects.toMatchObject({
        kind: 'request_cancelled',
        message: expect.stringContaining('enough'),
      })
      await flush()
      expect(cancellations).toContain(tag)
      expect(client.transcript.lines.filter((line) => line.startsWith('← error'))).toEqual([])
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('an aborted signal sends nothing at all', async () => {
      await using client = await connect(everything(), { version })
      client.transcript.clear()
      await expect(client.call('wait', { tag: 'never' }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
        kind: 'request_cancelled',
      })
      expect(client.transcript.lines).toEqual([])
    })

    it('M2 time-outs cancel, progress re-arms them, and there is a hard end', async () => {
      const clock = fakeClock()
      let step: (() => void) | undefined
      const stepping = tool('stepping', {}, (_, ctx) => {
        let count = 0
        step = () => ctx.progress(++count)
        return new Promise<string>(() => {})
      })
      const client = await connect(createServer({ name: 's', version: '1' }).add(stepping), { version, clock })
      const silent = client.call('stepping', {}, { timeout: '2s' }).catch((error: unknown) => error)
      await clock.advance(2000)
      expect(await silent).toMatchObject({ kind: 'request_timeout', recoverable: true })
      expect(client.serverSession.inFlight()).toEqual([])

      const busy = client
        .call('stepping', {}, { timeout: 1000, maxTimeout: '3s', onProgress: () => {} })
        .catch((error: unknown) => error)
      for (let n = 0; n < 4; n++) {
        await clock.advance(700)
        step?.()
        await flush()
      }
      expect(client.pending()).toHaveLength(1)
      await clock.advance(700)
      expect(await busy).toMatchObject({ kind: 'request_timeout', message: expect.stringContaining('hard maximum') })

      const stubborn = client
        .call('stepping', {}, { timeout: 1000, resetOnProgress: false, onProgress: () => {} })
        .catch((error: unknown) => error)
      await clock.advance(700)
      step?.()
      await clock.advance(300)
      expect(await stubborn).toMatchObject({ kind: 'request_timeout' })
      await client.close()
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('closing the client aborts what the server is doing for it', async () => {
      const client = await connect(everything(), { version })
      const tag = `close ${version}`
      const calling = client.call('wait', { tag }).catch((error: unknown) => error)
      await flush()
      await client.close()
      expect(await calling).toMatchObject({ kind: 'connection_closed' })
      await flush()
      expect(cancellations).toContain(tag)
      expect(leaks(client, client.serverSession)).toEqual([])
    })
  })

  describe(`F5 logging (${version})`, () => {
    it('sends what is at or above the level of the session', async () => {
      const heard: string[] = []
      await using client = await connect(everything(), { version, onLog: ({ level }) => heard.push(level) })
      await client.setLogLevel('warning')
      await client.call('chatty')
      expect(heard).toEqual(['warning', 'error'])
      await client.setLogLevel('debug')
      await client.call('chatty')
      expect(heard).toEqual(['warning', 'error', 'debug', 'info', 'warning', 'error'])
    })

    // D-28: since there are no sessions, a server logs only for a request, to whoever made it.
    when(hasSessions)('is per session', async () => {
      const server = everything()
      const heard: string[] = []
      await using quiet = await connect(server, { version, onLog: () => heard.push('quiet') })
      await using loud = await connect(server, { version, onLog: () => heard.push('loud') })
      await quiet.setLogLevel('emergency')
      await loud.setLogLevel('debug')
      server.log('error', 'to all')
      await flush()
      expect(heard).toEqual(['loud'])
    })

    when(!hasSessions)(
      'D-18 D-28 is per request: nobody else hears of it, and without a request there is no log',
      async () => {
        const server = everything()
        const heard: string[] = []
        await using quiet = await connect(server, { version, onLog: () => heard.push('quiet') })
        await using loud = await connect(server, { version, onLog: ({ level }) => heard.push(`loud ${level}`) })
        await quiet.setLogLevel('emergency')
        await loud.setLogLevel('error')
        await Promise.all([quiet.call('chatty'), loud.call('chatty')])
        server.log('error', 'to all')
        await flush()
        expect(heard).toEqual(['loud error'])
      },
    )

    it('refuses levels that are none', async () => {
      await using client = await connect(everything(), { version })
      await expect(client.setLogLevel('loud' as never)).rejects.toMatchObject({
        code: -32602,
        kind: 'invalid_log_level',
      })
    })
  })

  describe(`F7 lists (${version})`, () => {
    it('come in pages that together are the whole', async () => {
      await using client = await connect(manyTools(25, 10), { version })
      const first = await client.listTools()
      expect(first.tools).toHaveLength(10)
      expect((await client.tools()).map((each) => each.name)).toEqual(Array.from({ length: 25 }, (_, n) => `t${n}`))
      expect(client.transcript.lines.filter((line) => line.startsWith('→ tools/list'))).toHaveLength(4)
    })

    it.each(['', 'x', 'MTA=', '99999999', '{"a":1}'])('refuse a cursor nobody issued: %j', async (cursor) => {
      await using client = await connect(manyTools(25, 10), { version })
      await expect(client.listTools({ cursor })).rejects.toMatchObject({ code: -32602, kind: 'invalid_cursor' })
    })

    it('M6 changes are announced at once, then at most every 100 ms, and the last is never lost', async () => {
      const clock = fakeClock()
      const server = createServer({ name: 's', version: '1' }, { clock }).add(tool('first', {}, () => 'x'))
      await using client = await connect(server, { version, clock })
      let changes = 0
      client.onListChanged('tools', () => changes++)
      // D-29: newer servers are asked to tell first.
      await flush()
      for (let n = 0; n < 5; n++) server.add(tool(`more${n}`, {}, () => 'x'))
      await flush()
      expect(changes).toBe(1)
      await clock.advance(99)
      expect(changes).toBe(1)
      await clock.advance(1)
      expect(changes).toBe(2)
      await clock.advance(1000)
      expect(changes).toBe(2)
      expect(await client.tools()).toHaveLength(6)
      server.remove('tool', 'more0')
      await flush()
      expect(changes).toBe(3)
      expect(await client.tools()).toHaveLength(5)
      await expect(client.request('tools/call', { name: 'more0' })).rejects.toMatchObject({ kind: 'tool_not_found' })
    })
  })

  describe(`L5 L7 the session (${version})`, () => {
    it('is pinged both ways, where there is a session', async () => {
      await using client = await connect(everything(), { version })
      client.transcript.clear()
      await client.ping()
      if (hasSessions) await client.serverSession.ping()
      // D-17: the server cannot ask whether the client is there, and the client asks by another name.
      else await expect(client.serverSession.ping()).rejects.toMatchObject({ kind: 'not_initialized' })
      const asked = client.transcript.lines.flatMap((line) => /^. (ping|server\/discover) /.exec(`${line} `)?.[1] ?? [])
      expect(asked).toEqual(hasSessions ? ['ping', 'ping'] : ['server/discover'])
    })

    it('a paused server lets requests wait', async () => {
      await using client = await connect(everything(), { version })
      client.serverSession.pause()
      let answered = false
      const calling = client.call('forecast', { city: 'Oslo' }).then(() => {
        answered = true
      })
      await flush()
      expect(answered).toBe(false)
      client.serverSession.resume()
      await calling
    })

    it('L8 a server that closes lets running calls finish and takes no new ones', async () => {
      let finish: ((text: string) => void) | undefined
      const held = tool(
        'held',
        { input: z.object({}) },
        () =>
          new Promise<string>((resolve) => {
            finish = resolve
          }),
      )
      const client = await connect(createServer({ name: 's', version: '1' }).add(held), { version })
      const running = client.call('held')
      await flush()
      const closing = client.serverSession.close({ drain: '5s' })
      await expect(client.call('held')).rejects.toMatchObject({ kind: 'shutting_down' })
      finish?.('finished')
      expect((await running).value).toBe('finished')
      await closing
      await flush()
      await expect(client.call('held')).rejects.toMatchObject({ kind: 'session_closed' })
    })
  })
})
