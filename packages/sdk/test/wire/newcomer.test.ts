/** What a newcomer gets wrong when connecting, and what the error says about it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { connect as connectAnywhere, type ParleyError } from '../../src/client.ts'
import type { ProtocolVersion } from '../../src/index.ts'
import { connect, type NodeConnectOptions } from '../../src/node/index.ts'
import { createServer, fetchHandler, tool } from '../../src/server.ts'
import { fakeClock } from '../../src/testing.ts'

const failure = (target: unknown, options?: NodeConnectOptions): Promise<ParleyError> =>
  connect(target as string, options).then(
    () => Promise.reject(new Error('was connected')),
    (error) => error,
  )
const program = (source: string) => ({
  command: process.execPath,
  args: ['-e', source],
  shutdown: { inputEnd: '100ms', terminate: '100ms' },
})

describe('E1 targets of connect() of parley-mcp/node', () => {
  it.each([
    ['node stdio.mjs', 'to start a program, pass { command: "node", args: ["stdio.mjs"] }'],
    ['localhost:3917/mcp', 'did you mean "http://localhost:3917/mcp"?'],
    [undefined, 'Cannot connect to undefined: connect() of parley-mcp/node takes { command, args }'],
    [null, 'Cannot connect to null'],
    [{}, 'Cannot connect to an object with no members'],
    [{ url: 'gopher://x/' }, 'Cannot connect to the address gopher://x/'],
  ])('%j', async (target, hint) => {
    const { kind, message } = (await failure(target)) as ParleyError
    expect(kind).toBe('transport_error')
    expect(message).toContain(hint)
    expect(message).toContain('parley-mcp/node')
    expect(message).not.toContain('parley-mcp/client')
  })

  it('arguments within the command', async () => {
    const { message } = await failure({ command: 'no-such-node stdio.mjs' })
    expect(message).toContain('there is no such command')
    expect(message).toContain('arguments belong in "args": { command: "no-such-node", args: ["stdio.mjs"] }')
    expect((await failure({ command: 'no-such-node' })).message).not.toContain('arguments belong')
  })
})

describe('E1 L2 programs that are no servers', () => {
  it('writes something else and never answers: the first of it and its last words are quoted', async () => {
    const source = `console.log('Listening on 3000'); console.log('more'); console.error('warming up'); setInterval(() => {}, 60000)`
    const error = await failure(program(source), { initialiseTimeout: '2s' })
    expect(error).toMatchObject({ kind: 'initialization_timeout', advice: expect.any(String) })
    expect(error.message).toMatch(
      /answered neither server\/discover nor initialize within 2000 ms; ".+" wrote to its standard output what is no message: "Listening on 3000"; .+ last words: warming up$/,
    )
  })

  it('echoes', async () => {
    const error = await failure(program('process.stdin.pipe(process.stdout)'), { initialiseTimeout: '5s' })
    expect(error.message).toMatch(/" echoes its input; is it an MCP server\?$/)
  })

  it.each([false, true])(
    'crashes at once: its words are in the message, and not again in the cause (with crash reports: %s)',
    async (reporting) => {
      const directory = await mkdtemp(join(tmpdir(), 'parley-newcomer-'))
      onTestFinished(() => rm(directory, { recursive: true, force: true }))
      const error = await failure(
        program(`throw new Error('no ' + 'settings')`),
        reporting ? { crashReports: directory } : {},
      )
      expect(error).toMatchObject({
        kind: 'connection_closed',
        cause: { kind: 'connection_closed', data: { exitCode: 1 } },
      })
      expect(error.message).toContain('Error: no settings')
      expect((error.cause as Error).message).toMatch(/exited with code 1$/)
    },
  )
})

describe('L6 a POST that found nobody was not seen by the server', () => {
  type Trouble = 'refused' | 'not found' | 'every address refused' | 'reset' | 'refused when resumed'
  const withCode = (code: string) => Object.assign(new Error(code), { code })
  const causes: Record<Trouble, Error> = {
    refused: withCode('ECONNREFUSED'),
    'not found': withCode('ENOTFOUND'),
    'every address refused': new AggregateError([withCode('ECONNREFUSED'), withCode('ECONNREFUSED')]),
    reset: withCode('ECONNRESET'),
    'refused when resumed': withCode('ECONNREFUSED'),
  }

  /**
   * One call of a tool that must not be called twice; the trouble begins with it and lasts until the first attempt to
   * reconnect.
   */
  async function callInto(
    trouble: Trouble,
    version: ProtocolVersion,
  ): Promise<{ outcome: string | undefined; ran: number }> {
    const clock = fakeClock()
    let ran = 0
    const server = createServer({ name: 's', version: '1' }).add(
      tool('once', {}, () => {
        ran++
        return 'done'
      }),
    )
    const handle = fetchHandler(server, { allowedHosts: ['test'] })
    let down = false
    let troubled = false
    const fetch = async (url: URL, init: RequestInit): Promise<Response> => {
      const body = String(init.body)
      if (/"(initialize|server\/discover)"/.test(body)) down = false
      if (body.includes('"once"') && trouble === 'refused when resumed') {
        down = true
        await handle(new Request(url, init))
        // It began to answer, and broke off.
        return new Response('id: 1\nretry: 1\ndata:\n\n', { headers: { 'content-type': 'text/event-stream' } })
      }
      if (body.includes('"once"') && !troubled) {
        troubled = true
        down = true
      }
      if (down) throw new TypeError('fetch failed', { cause: causes[trouble] })
      return handle(new Request(url, init))
    }
    const client = await connectAnywhere(
      { url: 'http://test/mcp', transport: 'streamable-http', fetch, listen: false },
      { version, clock, keepAlive: false, reconnect: { delays: [1] }, timeout: '1h' },
    )
    try {
      let outcome: string | undefined
      client.call('once').then(
        ({ text }) => {
          outcome = text
        },
        (error: ParleyError) => {
          outcome = error.kind
        },
      )
      // Bodies of responses come in turns of their own.
      for (let second = 0; second < 600 && outcome === undefined; second++) {
        await clock.advance(1000)
        await new Promise(setImmediate)
      }
      return { outcome, ran }
    } finally {
      await client.close()
      await server.close()
    }
  }

  describe.each(['2025-11-25', '2026-07-28'] as const)('in %s', (version) => {
    it.each(['refused', 'not found', 'every address refused'] as const)(
      '%s: made again on the next session, whatever it does',
      async (trouble) => {
        expect(await callInto(trouble, version)).toEqual({ outcome: 'done', ran: 1 })
      },
    )

    it('reset: nobody knows, so it fails', async () => {
      expect(await callInto('reset', version)).toEqual({ outcome: 'transport_error', ran: 0 })
    })
  })

  // D-62: only sessions have answers that can be asked for again.
  it('refused when the answer is asked for again: it was seen, so it fails', async () => {
    expect(await callInto('refused when resumed', '2025-11-25')).toEqual({ outcome: 'transport_error', ran: 1 })
  })
})
