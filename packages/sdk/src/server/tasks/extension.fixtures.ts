/**
 * A server whose tools run as tasks, and a client of the stateless era, made of raw frames, that says with each request
 * whether it takes them.
 */
import { vi } from 'vitest'
import { ParleyError, ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { AcceptOptions, Acceptor } from '../../session/index.ts'
import { fakeClock, flush } from '../../testing/clock.ts'
import type { ServerOptions } from '../options.ts'
import { RawClient, type RawMessage } from '../raw-client.fixtures.ts'
import { createServer } from '../server.ts'
import { background } from '../tools/background.ts'
import { tool } from '../tools/tool.ts'
import { gate, info, optional } from './task.fixtures.ts'

const NAMES = 'io.modelcontextprotocol/'
export const TASKS = `${NAMES}tasks`

export interface StatelessOptions {
  capabilities?: Body
  /** Whether the extension is declared. Default true. */
  tasks?: boolean
  accept?: AcceptOptions
}

export class StatelessClient {
  readonly raw: RawClient
  readonly #meta: Body

  constructor(server: Acceptor, { capabilities = {}, tasks = true, accept = {} }: StatelessOptions = {}) {
    this.raw = new RawClient(server, { accept })
    this.#meta = {
      [`${NAMES}protocolVersion`]: '2026-07-28',
      [`${NAMES}clientCapabilities`]: tasks ? { ...capabilities, extensions: { [TASKS]: {} } } : capabilities,
    }
  }

  request(method: string, params: Body = {}, meta: Body = {}): Promise<RawMessage> {
    return this.raw.request(method, { ...params, _meta: { ...this.#meta, ...meta } })
  }

  /** Without what every result says of its server. */
  async result(method: string, params?: Body, meta?: Body): Promise<Body> {
    const { result, error } = await this.request(method, params, meta)
    if (result === undefined) throw new Error(`${method}: ${JSON.stringify(error)}`)
    const { [`${NAMES}serverInfo`]: _, ...rest } = (result['_meta'] ?? {}) as Body
    const { _meta, ...body } = result
    await flush()
    return Object.keys(rest).length === 0 ? body : { ...body, _meta: rest }
  }

  async error(method: string, params?: Body): Promise<NonNullable<RawMessage['error']>> {
    const { result, error } = await this.request(method, params)
    if (error === undefined) throw new Error(`${method} succeeded: ${JSON.stringify(result)}`)
    return error
  }

  /** Calls a tool and gives what it is answered with. */
  call(name: string, more: Body = {}, meta?: Body): Promise<Body> {
    return this.result('tools/call', { name, arguments: {}, ...more }, meta)
  }

  get(taskId: unknown): Promise<Body> {
    return this.result('tasks/get', { taskId })
  }

  update(taskId: unknown, inputResponses: unknown): Promise<Body> {
    return this.result('tasks/update', { taskId, inputResponses })
  }
}

const BEGIN = Date.UTC(2026, 0, 1)
const required = { execution: { taskSupport: 'required' } } as const
export const yesNo = { type: 'object', properties: { yes: { type: 'boolean' } }, required: ['yes'] } as const
export const named = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const
export const yes = { action: 'accept', content: { yes: true } }
export const ASKED = { elicitation: {}, sampling: {}, roots: {} }

const confirm = tool('confirm', optional, async (_, ctx) => {
  const { action, content } = await ctx.elicit('sure', 'Delete it?', yesNo)
  return action === 'accept' && content.yes ? 'deleted' : 'kept'
})
const both = tool('both', optional, async (_, ctx) => {
  const [name, roots] = await Promise.all([ctx.elicit('name', 'Your name?', named), ctx.roots('where')])
  return `${name.content?.name} in ${roots.length}`
})
const deferred = tool('deferred', { deferTask: true }, async (_, ctx) => {
  const { content } = await ctx.elicit('user_name', 'Your name?', named)
  return background(async (later) => {
    later.progress(1, 2, 'half of it')
    return `Hello, ${content?.name}!`
  })
})

/** A server with a tool for every way a call can go, and a client of its. */
export function setUp(options: StatelessOptions = {}, serverOptions: ServerOptions = {}) {
  const clock = fakeClock(BEGIN)
  const held = gate()
  const onError = vi.fn()
  const server = createServer(info, { onError, ...serverOptions }).add(
    held.definition,
    confirm,
    both,
    deferred,
    tool('greet', {}, () => 'Hello!'),
    tool('failing', required, () => {
      throw new ToolError('no paper')
    }),
    tool('broken', optional, () => {
      throw new ParleyError('invalid_params', { message: 'no such job', data: { job: 7 } })
    }),
  )
  const client = new StatelessClient(server, { ...options, accept: { clock, ...options.accept } })
  return { clock, held, server, client, onError }
}
