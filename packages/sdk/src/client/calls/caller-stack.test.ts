import { describe, expect, it } from 'vitest'
import { ToolError } from '../../errors/index.ts'
import { createServer, prompt, resource, tool } from '../../server/index.ts'
import { connect, testVersions } from '../../testing/index.ts'
import type { Client } from '../client.ts'

const server = createServer({ name: 'server', version: '1' }).add(
  tool('fail', {}, () => {
    throw new ToolError('the tool failed')
  }),
  tool('hang', {}, () => new Promise<string>(() => {})),
  tool('long', { execution: { taskSupport: 'required' } }, () => {
    throw new ToolError('the task failed')
  }),
  prompt('ask', {}, () => 'ask'),
  resource('x:/{id}', {}, () => 'text'),
)

/** What a program would do, by the method it fails in. */
const failing: Record<string, (client: Client) => Promise<unknown>> = {
  'a call the tool refuses': (client) => client.call('fail'),
  'a call of no tool': (client) => client.call('nothing'),
  'a call that is not answered': (client) => client.call('hang', {}, { timeout: '1ms' }),
  'a read': (client) => client.read('nowhere:/'),
  'a prompt': (client) => client.prompt('nothing'),
  'a page': (client) => client.listTools({ cursor: 'nonsense' }),
  'a completion': (client) => client.complete({ prompt: 'nothing' }, { name: 'x', value: '' }),
}

async function theCaller(client: Client, act: (client: Client) => Promise<unknown>): Promise<unknown> {
  try {
    return await act(client)
  } catch (error) {
    return error
  }
}

describe.each(testVersions)('E2 an error names the line that waits for it, in %s', (version) => {
  it.each(Object.entries(failing))('%s', async (_, act) => {
    await using client = (await connect(server, { version })) as unknown as Client
    const error = (await theCaller(client, act)) as Error
    expect(error).toBeInstanceOf(Error)
    expect(error.stack).toContain(`${error.name}: ${error.message}\n    at `)
    expect(error.stack).toMatch(/at (async )?theCaller \(.*caller-stack\.test\.ts/)
    expect(Object.keys(error)).not.toContain('stack')
  })
})

describe('E2 an error without a known caller', () => {
  it('keeps its stack if it is not awaited, or the runtime does not support it', async () => {
    await using client = (await connect(server)) as unknown as Client
    const unawaited = await new Promise<Error>((resolve) => void client.call('fail').catch(resolve))
    expect(unawaited.stack).toContain('the tool failed')
    const errors = Error as { captureStackTrace?: unknown }
    const own = errors.captureStackTrace
    try {
      errors.captureStackTrace = undefined
      expect(await theCaller(client, (each) => each.read('nowhere:/'))).toMatchObject({ name: 'ParleyError' })
    } finally {
      errors.captureStackTrace = own
    }
  })

  it('costs a program between two peers nothing: what it hands on has no stack', async () => {
    const endpoint = {
      introduce: () => ({ info: { name: 'between', version: '1' }, capabilities: {} }),
      answer: () => ({}),
    }
    await using client = (await connect(server, { endpoint })) as unknown as Client
    const error = (await theCaller(client, (each) => each.read('nowhere:/'))) as Error
    expect(error.stack).not.toContain('\n')
  })
})
