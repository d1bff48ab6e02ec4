/** L2: a client of all servers loses the conversation with one that it has not used for long, and nothing else. */
import type { Body } from 'parley-mcp/engine'
import { type FetchHandler, fetchHandler } from 'parley-mcp/server'
import { type FakeClock, fakeClock } from 'parley-mcp/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type ScriptedServer, scripted, text } from '../server/peers.fixtures.ts'
import { AggregateRig } from './aggregate.fixtures.ts'

let clock: FakeClock
let rig: AggregateRig
let handler: FetchHandler
beforeEach(() => {
  clock = fakeClock()
  rig = new AggregateRig(
    { small: { server: numbered(), config: { maxSessions: 2 } }, large: { server: numbered() } },
    { clock },
  )
  handler = fetchHandler(rig.aggregate, { clock })
})
afterEach(async () => {
  await handler.close({ drain: 0 })
  await rig.close()
})

/** Has one tool, which tells in which of its sessions it was called. */
function numbered(): ScriptedServer {
  const server: ScriptedServer = scripted({
    version: '2025-06-18',
    answer: ({ method, session }) =>
      method === 'tools/list'
        ? { tools: [{ name: 'where', inputSchema: { type: 'object' } }] }
        : text(String(server.sessions.indexOf(session))),
  })
  return server
}

/** A client over HTTP that opens no stream of its own. */
async function arrive(): Promise<(tool: string) => Promise<unknown>> {
  const post = async (message: Body, headers: Record<string, string> = {}): Promise<Response> =>
    handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    )
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'guest', version: '1' } }
  const opened = await post({ id: 1, method: 'initialize', params })
  const session = { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) }
  await post({ method: 'notifications/initialized' }, session)
  return async (tool) => {
    const answer = (await (
      await post({ id: 2, method: 'tools/call', params: { name: tool, arguments: {} } }, session)
    ).json()) as Body
    return answer['result']
  }
}

it('L2 the silent client gets another conversation with its next call, and keeps those with other servers', async () => {
  const first = await arrive()
  const [small, large] = [await first('small__where'), await first('large__where')]
  for (let count = 0; count < 2; count++) {
    await clock.advance(1000)
    await (await arrive())('small__where')
  }
  const again = await first('small__where')
  expect(again).toMatchObject({ content: [{ type: 'text' }] })
  expect(again).not.toEqual(small)
  expect(await first('large__where')).toEqual(large)
})

it('L2 a client that works with another server keeps its conversation', async () => {
  const busy = await arrive()
  const before = await busy('small__where')
  for (let count = 0; count < 5; count++) {
    await clock.advance(1000)
    await busy('large__where')
    await (await arrive())('small__where')
  }
  expect(await busy('small__where')).toEqual(before)
})
