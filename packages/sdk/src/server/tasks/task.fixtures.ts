/** A server whose one tool ends when the test says so, and a client that runs it as a task. */
import { vi } from 'vitest'
import type { Body } from '../../jsonrpc/index.ts'
import { fakeClock, flush } from '../../testing/clock.ts'
import type { Context } from '../context.ts'
import type { ServerOptions } from '../options.ts'
import { type RawClient, type RawClientOptions, rawClient } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { tool } from '../tools/tool.ts'

export const RELATED = 'io.modelcontextprotocol/related-task'
const BEGIN = Date.UTC(2026, 0, 1)
export const info = { name: 'tasks', version: '1' }
export const optional = { execution: { taskSupport: 'optional' } } as const

/** A tool that ends when the test says so. */
export function gate(name = 'gate') {
  const calls: { ctx: Context; open: (value: unknown) => void; fail: (error: unknown) => void }[] = []
  const definition = tool(
    name,
    optional,
    (_, ctx) => new Promise<unknown>((open, fail) => calls.push({ ctx, open, fail })),
  )
  return { definition, calls, last: () => calls[calls.length - 1] as (typeof calls)[number] }
}

export async function begin(
  client: RawClient,
  name: string,
  task: Body = {},
  more: Body = {},
): Promise<Body & { taskId: string }> {
  const { task: begun } = await client.result('tools/call', { name, arguments: {}, task, ...more })
  await flush()
  return begun as never
}

export async function setUp(options: ServerOptions = {}, raw: RawClientOptions = {}) {
  const clock = fakeClock(BEGIN)
  const held = gate()
  const onError = vi.fn()
  const server = createServer(info, { onError, ...options }).add(held.definition)
  const client = await rawClient(server, { ...raw, accept: { clock, ...raw.accept } })
  return { clock, held, server, client, onError }
}
