/**
 * What a published server remembers between calls, through the configuration that a stranger would write: every kind of
 * client keeps one conversation.
 */
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { Client as SecondClient, StreamableHTTPClientTransport as SecondHttp } from '@modelcontextprotocol/client'
import { Client } from 'sdk-2025-11-25/client/index.js'
import { StdioClientTransport } from 'sdk-2025-11-25/client/stdio.js'
import { StreamableHTTPClientTransport } from 'sdk-2025-11-25/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allGone, Running, type RunningGateway, started, until } from './running.fixtures.ts'

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url))
const SERVER = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js')
const META = 'io.modelcontextprotocol'
const VERSION = '2026-07-28'
const ABILITIES = { elicitation: { form: {} }, sampling: {}, roots: {} }
const FOUR = [1, 2, 3, 4]

const thought = (at: number) => ({
  thought: `step ${at}`,
  thoughtNumber: at,
  totalThoughts: 4,
  nextThoughtNeeded: at < 4,
})

/** The length of the history that the server has seen, from the text of its answer. */
function lengthIn(result: unknown): number {
  const [{ text }] = (result as { content: [{ text: string }] }).content
  return (JSON.parse(text) as { thoughtHistoryLength: number }).thoughtHistoryLength
}

interface Caller {
  readonly url: string
  readonly tool?: string
  readonly capabilities?: object
  readonly headers?: Record<string, string>
}

/** One request of a client without a session, as it goes over the wire. */
async function ask(
  { url, tool = 'sequentialthinking', capabilities = {}, headers = {} }: Caller,
  at: number,
): Promise<number> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': tool,
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: at,
      method: 'tools/call',
      params: {
        name: tool,
        arguments: thought(at),
        _meta: {
          [`${META}/protocolVersion`]: VERSION,
          [`${META}/clientInfo`]: { name: 'raw', version: '1' },
          [`${META}/clientCapabilities`]: capabilities,
        },
      },
    }),
  })
  const body = await response.text()
  const line = body.startsWith('{')
    ? body
    : (body.split('\n').find((each) => each.startsWith('data: {')) ?? '').slice('data: '.length)
  const { result, error } = JSON.parse(line) as { result?: unknown; error?: unknown }
  if (result === undefined) throw new Error(`tools/call was refused: ${JSON.stringify(error)}`)
  return lengthIn(result)
}

async function askFour(caller: Caller): Promise<number[]> {
  const lengths: number[] = []
  for (const at of FOUR) lengths.push(await ask(caller, at))
  return lengths
}

/** Four calls of a client that has a session. */
async function callFour(
  call: (params: { name: string; arguments: Record<string, unknown> }) => Promise<unknown>,
  name: string,
): Promise<number[]> {
  const lengths: number[] = []
  for (const at of FOUR) lengths.push(lengthIn(await call({ name, arguments: thought(at) })))
  return lengths
}

const ENTRY = { args: [SERVER] }
const TOOL = 'sequentialthinking'

describe('state between calls, in the default configuration', () => {
  const running = new Running()
  let gateway: RunningGateway

  beforeAll(async () => {
    gateway = await running.gateway({ one: ENTRY, two: ENTRY })
    await started(running, 2)
  }, 60_000)

  afterAll(async () => {
    gateway.child.kill('SIGTERM')
    expect(await gateway.ended).toBe(0)
    await allGone(running.mark)
    await running.clear()
  }, 60_000)

  /** How many processes of servers have come since. */
  async function begun(work: () => Promise<unknown>): Promise<number> {
    const before = new Set(running.children())
    await work()
    return running.children().filter((pid) => !before.has(pid)).length
  }

  /** A client that has left leaves no process, a moment later. */
  async function fewerThan(count: number): Promise<void> {
    await until(
      () => running.children().length,
      (left) => left < count,
    )
  }

  const at = (name: string) => `${gateway.url}/servers/${name}/mcp`

  it('a client of 2026-07-28 has the conversation of the gateway itself, at the address of the server', async () => {
    expect(await begun(async () => expect(await askFour({ url: at('one') })).toEqual(FOUR))).toBe(0)
  }, 60_000)

  it('a client of 2026-07-28 that can be asked has one process for all its calls', async () => {
    expect(
      await begun(async () => expect(await askFour({ url: at('one'), capabilities: ABILITIES })).toEqual(FOUR)),
    ).toBe(1)
    // Also when calls are under way at once.
    const more = await Promise.all(FOUR.map((each) => ask({ url: at('one'), capabilities: ABILITIES }, each)))
    expect(more.sort((a, b) => a - b)).toEqual([5, 6, 7, 8])
  }, 60_000)

  it('the same at the address of all servers', async () => {
    const url = () => `${gateway.url}/mcp`
    const tool = `two__${TOOL}`
    expect(await begun(async () => expect(await askFour({ url: url(), tool })).toEqual(FOUR))).toBe(0)
    expect(
      await begun(async () => expect(await askFour({ url: url(), tool, capabilities: ABILITIES })).toEqual(FOUR)),
    ).toBe(1)
  }, 60_000)

  it('a client of SDK 1.x has a session of its own through parley bridge', async () => {
    const before = running.children().length
    const client = new Client({ name: 'bridged', version: '1' }, { capabilities: { roots: {} } })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [CLI, 'bridge', `${gateway.url}/mcp`],
      stderr: 'ignore',
    })
    await client.connect(transport)
    try {
      expect(
        await begun(async () =>
          expect(await callFour((params) => client.callTool(params), `one__${TOOL}`)).toEqual(FOUR),
        ),
      ).toBe(1)
    } finally {
      await client.close()
    }
    await fewerThan(before + 1)
  }, 60_000)

  it('two clients of SDK 1.x do not share what the server remembers, and leave no process', async () => {
    const before = running.children().length
    const clients = await Promise.all(
      ['first', 'second'].map(async (name) => {
        const client = new Client({ name, version: '1' })
        const transport = new StreamableHTTPClientTransport(new URL(at('one')))
        await client.connect(transport as never)
        return { client, transport }
      }),
    )
    const processes = await begun(async () => {
      for (const { client } of clients) expect(await callFour((params) => client.callTool(params), TOOL)).toEqual(FOUR)
    })
    // They began with the handshakes.
    expect(processes).toBe(0)
    expect(running.children().length).toBe(before + 2)
    for (const { client, transport } of clients) {
      await transport.terminateSession()
      await client.close()
    }
    await fewerThan(before + 1)
  }, 60_000)

  it.each(['legacy', 'auto'] as const)(
    'a client of SDK 2.x keeps its conversation (%s)',
    async (mode) => {
      const client = new SecondClient({ name: 'second', version: '1' }, { versionNegotiation: { mode } })
      await client.connect(new SecondHttp(new URL(at('two'))))
      const lengths = await callFour((params) => client.callTool(params), TOOL)
      await client.close()
      // Without a session it is the local user, whose calls at the address of all servers came before.
      expect(lengths).toEqual(mode === 'legacy' ? FOUR : [5, 6, 7, 8])
    },
    60_000,
  )
})

describe('state where the principal is known', () => {
  it('two principals do not share what the server remembers', async () => {
    const running = new Running()
    const gateway = await running.gateway({ one: ENTRY }, { principalHeader: 'X-User' })
    const url = `${gateway.url}/servers/one/mcp`
    try {
      for (const user of ['ann', 'bob']) expect(await askFour({ url, headers: { 'X-User': user } })).toEqual(FOUR)
      // Nobody knows who these are, so they share nothing.
      expect([await ask({ url }, 1), await ask({ url }, 2)]).toEqual([1, 1])
    } finally {
      gateway.child.kill('SIGTERM')
      await gateway.ended
      await allGone(running.mark)
      await running.clear()
    }
  }, 60_000)
})
