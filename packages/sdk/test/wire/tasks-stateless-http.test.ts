/**
 * Tasks of the stateless era over HTTP: every request on its own, found by the id in its headers, and kept for whom the
 * server knows.
 */
import { afterEach, describe, expect, it } from 'vitest'
import { fetchHandler, type HttpOptions } from '../../src/serve/index.ts'
import { type Context, createServer, tool } from '../../src/server.ts'
import { flush } from '../../src/testing.ts'

type Body = Record<string, unknown>

const NAMES = 'io.modelcontextprotocol/'
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

function meet(options: HttpOptions = {}) {
  const calls: { ctx: Context; open: (text: string) => void }[] = []
  const job = tool(
    'job',
    { execution: { taskSupport: 'optional' } },
    (_, ctx) => new Promise<string>((open) => calls.push({ ctx, open })),
  )
  const handler = fetchHandler(createServer({ name: 's', version: '1' }).add(job), options)
  ends.push(() => handler.close({ drain: 0 }))
  const _meta = {
    [`${NAMES}protocolVersion`]: '2026-07-28',
    [`${NAMES}clientCapabilities`]: { roots: {}, extensions: { [`${NAMES}tasks`]: {} } },
  }
  /** `name` is what the header says; `null` for none. */
  const ask = async (
    method: string,
    params: Body,
    name: unknown = params['taskId'] ?? params['name'],
    more: Record<string, string> = {},
  ) => {
    const response = await handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2026-07-28',
          'mcp-method': method,
          ...(name === null ? {} : { 'mcp-name': String(name) }),
          ...more,
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
      }),
    )
    const { result, error } = (await response.json()) as { result?: Body; error?: Body }
    return { status: response.status, result, error }
  }
  const begin = async (more?: Record<string, string>) => {
    const { result } = await ask('tools/call', { name: 'job', arguments: {} }, 'job', more)
    await flush()
    return result as Body & { taskId: string }
  }
  return { ask, begin, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

describe('D7 tasks over HTTP, without any session', () => {
  it('is begun, asks, is answered and ends, each with a request of its own', async () => {
    const { ask, begin, last } = meet()
    const { taskId, resultType } = await begin()
    expect(resultType).toBe('task')
    const asking = last().ctx.roots('where')
    await flush()
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({
      status: 'input_required',
      inputRequests: { where: { method: 'roots/list' } },
    })
    expect(await ask('tasks/update', { taskId, inputResponses: { where: { roots: [] } } })).toMatchObject({
      status: 200,
      result: { resultType: 'complete' },
    })
    expect(await asking).toEqual([])
    last().open('done')
    await flush()
    expect((await ask('tasks/get', { taskId })).result).toMatchObject({
      status: 'completed',
      result: { content: [{ text: 'done' }] },
    })
  })

  it('D-60 headers that say otherwise are refused: -32020', async () => {
    const { ask, begin } = meet()
    const { taskId } = await begin()
    expect(await ask('tasks/get', { taskId }, 'other')).toMatchObject({ status: 400, error: { code: -32020 } })
    expect(await ask('tasks/get', { taskId }, taskId, { 'mcp-method': 'tools/list' })).toMatchObject({
      status: 400,
      error: { code: -32020 },
    })
    expect(await ask('tasks/cancel', { taskId }, null)).toMatchObject({ status: 400, error: { code: -32020 } })
    expect(await ask('tasks/cancel', { taskId })).toMatchObject({ status: 200 })
  })

  it('a task belongs to whom its request came from', async () => {
    const { ask, begin } = meet({ principal: ({ header }) => header('x-user') })
    const { taskId } = await begin({ 'x-user': 'ann' })
    expect(await ask('tasks/get', { taskId }, taskId, { 'x-user': 'ann' })).toMatchObject({
      result: { status: 'working' },
    })
    for (const other of [{ 'x-user': 'bob' }, {}] as Record<string, string>[])
      expect(await ask('tasks/get', { taskId }, taskId, other)).toMatchObject({ error: { code: -32602 } })
  })
})
