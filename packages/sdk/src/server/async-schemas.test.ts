import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { flush } from '../testing/clock.ts'
import { prompt } from './prompts/prompt.ts'
import { rawClient } from './raw-client.fixtures.ts'
import { createServer } from './server.ts'
import { tool } from './tools/tool.ts'

const info = { name: 'test', version: '1.0.0' }

/** A schema whose library takes its time, and may fail at it. */
function slow(validate: (value: unknown) => Promise<unknown>) {
  const standard = {
    version: 1,
    vendor: 'slow',
    validate,
    jsonSchema: { input: () => ({ type: 'object' }), output: () => ({ type: 'object' }) },
  }
  return { '~standard': standard } as unknown as z.ZodType
}

describe('F1 schemas that take their time', () => {
  it('are converted once for concurrent first listings', async () => {
    const server = createServer(info).add(
      tool('t', { input: v.object({ city: v.string() }), output: v.object({ n: v.number() }) }, ({ city }) => ({
        n: city.length,
      })),
      prompt('p', { arguments: v.object({ topic: v.pipe(v.string(), v.description('About')) }) }, ({ topic }) => topic),
    )
    const clients = [await rawClient(server), await rawClient(server)]
    const lists = await Promise.all(clients.map((client) => client.result('tools/list')))
    expect(lists[0]).toEqual(lists[1])
    expect(lists[0]).toMatchObject({
      tools: [{ name: 't', inputSchema: { type: 'object', required: ['city'] }, outputSchema: { type: 'object' } }],
    })
    expect(await clients[0]?.result('prompts/list')).toEqual({
      prompts: [{ name: 'p', arguments: [{ name: 'topic', description: 'About', required: true }] }],
    })
  })

  it('D-43 a first call knows the output schema before anything was listed', async () => {
    const server = createServer(info).add(tool('t', { output: v.array(v.number()) }, () => [1, 2]))
    const client = await rawClient(server)
    expect(await client.result('tools/call', { name: 't' })).toEqual({
      content: [{ type: 'text', text: '[1,2]' }],
      structuredContent: { result: [1, 2] },
    })
  })

  it('validate arguments, output and prompts', async () => {
    const odd = z.object({ n: z.number().refine(async (n) => n % 2 === 1, 'must be odd') })
    const server = createServer(info, { onError: () => {} }).add(
      tool('t', { input: odd, output: odd }, ({ n }) => ({ n: n === 3 ? 4 : n })),
      prompt(
        'p',
        { arguments: z.object({ n: z.string().refine(async (n) => n !== '', 'must not be empty') }) },
        ({ n }) => n,
      ),
    )
    const client = await rawClient(server)
    const call = (n: number) => client.request('tools/call', { name: 't', arguments: { n } })
    expect((await call(5)).result).toMatchObject({ structuredContent: { n: 5 } })
    expect((await call(2)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('must be odd') }],
    })
    expect((await call(3)).result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('Tool "t" failed') }],
    })
    expect(await client.result('prompts/get', { name: 'p', arguments: { n: 'x' } })).toMatchObject({
      messages: [{ content: { text: 'x' } }],
    })
    expect(await client.error('prompts/get', { name: 'p', arguments: { n: '' } })).toMatchObject({ code: -32602 })
  })

  it('E2 a validator that fails is masked and reported', async () => {
    const reported: unknown[] = []
    const failing = slow(() => Promise.reject(new TypeError('secret')))
    const server = createServer(info, { onError: (error) => reported.push(error) }).add(
      tool('in', { input: failing }, () => ''),
      tool('out', { output: failing }, () => ({})),
    )
    const client = await rawClient(server)
    for (const name of ['in', 'out'])
      expect(await client.result('tools/call', { name })).toMatchObject({ isError: true })
    expect(reported).toHaveLength(2)
    expect(client.frames.join()).not.toContain('secret')
  })

  it('F7 a call that is cancelled while its arguments are checked does not begin', async () => {
    let release = (_: unknown): void => {}
    let began = false
    const gate = slow((value) => new Promise((resolve) => (release = () => resolve({ value }))))
    const server = createServer(info).add(
      tool('t', { input: gate }, () => {
        began = true
      }),
    )
    const client = await rawClient(server)
    const id = client.nextId
    void client.request('tools/call', { name: 't' })
    client.notify('notifications/cancelled', { requestId: id })
    await client.result('ping')
    release(undefined)
    await flush()
    expect(began).toBe(false)
    expect(client.received.filter((message) => message.id === id)).toEqual([])
  })
})
