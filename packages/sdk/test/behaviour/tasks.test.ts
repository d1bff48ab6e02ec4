/**
 * Tasks end to end: the same program in every version, and every message of 2025-11-25 held against the official
 * schema.
 */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ProtocolVersion, ToolError } from '../../src/index.ts'
import { createServer, tool } from '../../src/server.ts'
import { connect, everyVersion, flush, leaks, type TestOptions } from '../../src/testing.ts'
import { haveSchemas, validate } from '../laws/schemas.ts'

const pack = tool(
  'pack',
  { description: 'Packs a box', input: z.object({ what: z.string() }), execution: { taskSupport: 'optional' } },
  async ({ what }, ctx) => {
    ctx.progress(1, 2, 'looking for a box')
    if (what === 'the moon') throw new ToolError('No box is big enough')
    if (!ctx.client.can('elicitation')) return `${what}, packed unasked`
    const answer = await ctx.elicit('bow', 'With a bow?', z.object({ bow: z.boolean() }))
    ctx.progress(2, 2, 'packing')
    return answer.action === 'accept' && answer.content.bow ? `${what} with a bow` : what
  },
)
const think = tool('think', { execution: { taskSupport: 'required' }, output: z.array(z.string()) }, async (_, ctx) => {
  const { content } = await ctx.sample('thought', 'Think!', { task: { ttl: '1h' } })
  return [JSON.stringify(content)]
})
const hang = tool(
  'hang',
  { execution: { taskSupport: 'optional' } },
  (_, ctx) => new Promise((_, reject) => ctx.signal.addEventListener('abort', reject)),
)

const server = () =>
  createServer({ name: 'tasks', version: '1' }, { onError: () => {}, tasks: { pollInterval: '100ms' } }).add(
    pack,
    think,
    hang,
  )

const HAS_TASKS: ReadonlySet<string> = new Set(['2025-11-25'])
/** Here the server decides, and nothing is sent for a task. */
const HAS_EXTENSION: ReadonlySet<string> = new Set(['2026-07-28'])
const HAS_ELICITATION: ReadonlySet<string> = new Set(['2025-06-18', '2025-11-25', '2026-07-28'])

everyVersion((version) => {
  const tasks = HAS_TASKS.has(version)
  const extension = HAS_EXTENSION.has(version)

  describe(`F8 C-24 tasks (${version})`, () => {
    it('one program for all versions: begin, follow, fetch', async () => {
      await using client = await connect(server(), { version, elicit: () => ({ bow: true }) })
      const steps: unknown[] = []
      const seen: string[] = []
      const task = await client.callAsTask(
        'pack',
        { what: 'tea' },
        { onProgress: ({ progress }) => steps.push(progress), onStatus: ({ status }) => seen.push(status) },
      )
      expect((await task.result()).value).toBe(HAS_ELICITATION.has(version) ? 'tea with a bow' : 'tea, packed unasked')
      expect(steps[0]).toBe(1)
      expect(seen[seen.length - 1]).toBe('completed')
      expect((await task.status()).status).toBe('completed')
      expect(client.transcript.lines.some((line) => line.includes('tasks/result'))).toBe(tasks)
      expect(client.transcript.lines.some((line) => line.includes('"task":'))).toBe(tasks)
      expect(client.transcript.lines.some((line) => line.includes('tasks/update'))).toBe(extension)
      expect(client.losses()).toEqual([])
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('failures are the same', async () => {
      await using client = await connect(server(), { version })
      const task = await client.callAsTask('pack', { what: 'the moon' })
      await expect(task.result()).rejects.toThrow(new ToolError('No box is big enough'))
      expect(await task.status()).toMatchObject({ status: 'failed', statusMessage: 'No box is big enough' })
    })

    it('so is cancelling', async () => {
      await using client = await connect(server(), { version })
      const task = await client.callAsTask('hang')
      const result = task.result().catch((error: unknown) => error)
      await flush()
      expect(await task.cancel()).toMatchObject({ status: 'cancelled' })
      expect(await result).toMatchObject({ kind: 'request_cancelled' })
      await expect(task.cancel()).rejects.toMatchObject({ code: -32602 })
      await flush()
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('a tool that is always a task is shown, and called like any other', async () => {
      await using client = await connect(server(), { version, sample: () => 'hm', tasks: true })
      const names = (await client.tools()).map(({ name }) => name)
      expect(names).toContain('think')
      expect((await client.call('think')).text).toContain('hm')
    })

    it('what has no tasks says so', async () => {
      await using client = await connect(server(), { version })
      if (tasks) expect(await client.tasks()).toEqual([])
      else await expect(client.tasks()).rejects.toMatchObject({ code: -32601 })
    })
  })
})

/** Frames of both sides, each with what it answers. */
async function conversation(
  options: TestOptions,
  talk: (client: Awaited<ReturnType<typeof connect<ReturnType<typeof server>>>>) => Promise<unknown>,
) {
  const frames: { from: 'Client' | 'Server'; message: Record<string, unknown> }[] = []
  const client = await connect(server(), {
    ...options,
    tap: (direction, frame) =>
      frames.push({
        from: direction === 'sent' ? 'Client' : 'Server',
        message: JSON.parse(frame) as Record<string, unknown>,
      }),
  })
  await talk(client)
  await client.close()
  return frames
}

const RESULTS: Readonly<Record<string, string>> = {
  'tasks/get': 'GetTaskResult',
  'tasks/list': 'ListTasksResult',
  'tasks/cancel': 'CancelTaskResult',
  'tools/call': 'CallToolResult',
  'sampling/createMessage': 'CreateMessageResult',
  'elicitation/create': 'ElicitResult',
  'tools/list': 'ListToolsResult',
  initialize: 'InitializeResult',
}

type Frames = Awaited<ReturnType<typeof conversation>>

/** Every message, and every result by itself, with the name of the definition it must fit. */
function* partsOf(frames: Frames): Generator<[definition: string, value: unknown]> {
  const asked = new Map<string, string>()
  for (const { from, message } of frames) {
    const { method, id, result } = message as { method?: string; id?: unknown; result?: Record<string, unknown> }
    yield ['JSONRPCMessage', message]
    if (method !== undefined) {
      asked.set(`${from} ${id}`, method)
      yield [`${from}${id === undefined ? 'Notification' : 'Request'}`, message]
    } else if (result !== undefined) {
      yield [`${from}Result`, result]
      yield [definitionOf(asked.get(`${from === 'Client' ? 'Server' : 'Client'} ${id}`), result), result]
    }
  }
}

function definitionOf(method: string | undefined, result: Record<string, unknown>): string {
  if (result['task'] !== undefined) return 'CreateTaskResult'
  if (method === 'tasks/result') return result['role'] === undefined ? 'CallToolResult' : 'CreateMessageResult'
  return RESULTS[method ?? ''] ?? 'Result'
}

describe.skipIf(!haveSchemas)('F8 the official schema of 2025-11-25', () => {
  const version: ProtocolVersion = '2025-11-25'

  it('accepts every message', async () => {
    const frames = await conversation(
      { version, tasks: true, elicit: () => ({ bow: true }), sample: () => 'hm' },
      async (client) => {
        await client.tools()
        const task = await client.callAsTask('pack', { what: 'tea' }, { ttl: '1m', onProgress: () => {} })
        await task.result()
        await task.status()
        await client.call('think')
        const hanging = await client.callAsTask('hang')
        await hanging.cancel()
        await hanging.result().catch(() => {})
        await (await client.callAsTask('pack', { what: 'the moon' })).result().catch(() => {})
        await client.tasks()
        await client
          .task('nope')
          .status()
          .catch(() => {})
      },
    )
    const parts = [...partsOf(frames)]
    const flaws = parts.flatMap(([definition, value]) => validate(version, definition, value) ?? [])
    expect(flaws).toEqual([])
    const judged = parts.map(([definition]) => definition)
    expect(judged).toEqual(
      expect.arrayContaining([
        'CreateTaskResult',
        'GetTaskResult',
        'ListTasksResult',
        'CancelTaskResult',
        'CreateMessageResult',
        'CallToolResult',
      ]),
    )
    const methods = frames.map(({ message }) => message['method'])
    expect(methods).toEqual(
      expect.arrayContaining([
        'notifications/tasks/status',
        'notifications/progress',
        'elicitation/create',
        'sampling/createMessage',
        'tasks/result',
      ]),
    )
  })
})
