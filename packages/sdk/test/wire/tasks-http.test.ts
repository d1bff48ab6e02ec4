/** Tasks over HTTP, for a client that keeps no stream open: everything of a task reaches it on a request of its own. */
import { afterEach, describe, expect, it } from 'vitest'
import { fetchHandler } from '../../src/serve/index.ts'
import { type Context, createServer, tool } from '../../src/server.ts'
import { flush } from '../../src/testing.ts'

type Message = Record<string, unknown> & { params?: Record<string, unknown>; result?: Record<string, unknown> }

const RELATED = 'io.modelcontextprotocol/related-task'
const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0)) await end()
})

async function meet() {
  const calls: { ctx: Context; open: (text: string) => void }[] = []
  const job = tool(
    'job',
    { execution: { taskSupport: 'optional' } },
    (_, ctx) => new Promise<string>((open) => calls.push({ ctx, open })),
  )
  const handler = fetchHandler(createServer({ name: 's', version: '1' }).add(job))
  ends.push(() => handler.close({ drain: 0 }))
  let session: string | null = null
  const post = async (message: object): Promise<Response> => {
    const headers: Record<string, string> = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    }
    if (session !== null) Object.assign(headers, { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' })
    return handler(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers,
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      }),
    )
  }
  const begun = await post({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: '2025-11-25',
      capabilities: { elicitation: {} },
      clientInfo: { name: 'c', version: '1' },
    },
  })
  session = begun.headers.get('mcp-session-id')
  await post({ method: 'notifications/initialized' })
  const ask = async (id: number, method: string, params: object) =>
    ((await (await post({ id, method, params })).json()) as { result: Record<string, unknown> }).result
  const { task } = (await ask(2, 'tools/call', { name: 'job', arguments: {}, task: {} })) as {
    task: { taskId: string }
  }
  await flush()
  return { post, ask, taskId: task.taskId, call: calls[0] as (typeof calls)[number] }
}

/** The messages of an event stream, as they come. */
async function* messages(response: Response): AsyncGenerator<Message> {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true })
    const events = text.split('\n\n')
    text = events.pop() ?? ''
    for (const event of events) {
      const data = /^data: ?(\{.*)$/m.exec(event)?.[1]
      if (data !== undefined) yield JSON.parse(data) as Message
    }
  }
}

describe('F8 tasks over HTTP without a stream', () => {
  it('a question waits until the result is asked for, and comes on that stream before it', async () => {
    const { post, ask, taskId, call } = await meet()
    const asking = call.ctx.elicit('go', 'Go on?', { type: 'object', properties: {} } as const)
    await flush()
    expect(await ask(3, 'tasks/get', { taskId })).toMatchObject({ status: 'input_required' })
    const stream = messages(await post({ id: 4, method: 'tasks/result', params: { taskId } }))
    const question = (await stream.next()).value as Message
    expect(question).toMatchObject({
      method: 'elicitation/create',
      params: { message: 'Go on?', _meta: { [RELATED]: { taskId } } },
    })
    expect((await post({ id: question['id'], result: { action: 'accept', content: {} } })).status).toBe(202)
    expect((await asking).action).toBe('accept')
    call.open('done')
    const rest: Message[] = []
    for await (const message of stream) rest.push(message)
    expect(rest.map(({ method, params }) => [method, params?.['status']])).toEqual([
      ['notifications/tasks/status', 'working'],
      ['notifications/tasks/status', 'completed'],
      [undefined, undefined],
    ])
    expect(rest[2]).toMatchObject({ id: 4, result: { content: [{ text: 'done' }], _meta: { [RELATED]: { taskId } } } })
  })

  it('tasks/get is answered plainly, without a stream', async () => {
    const { post, taskId } = await meet()
    const response = await post({ id: 3, method: 'tasks/get', params: { taskId } })
    expect(response.headers.get('content-type')).toContain('application/json')
    await response.text()
  })
})
