/** Tools end to end, in every version. */
import { describe, expect, expectTypeOf, it } from 'vitest'
import { z } from 'zod'
import { ParleyError, ToolError } from '../../src/client.ts'
import { createServer, result, tool } from '../../src/server.ts'
import { connect, everyVersion, leaks } from '../../src/testing.ts'
import { everything } from './everything.ts'

everyVersion((version) => {
  const hasStructured = version >= '2025-06-18'

  describe(`F1 tools (${version})`, () => {
    it('are listed with what the version can show', async () => {
      await using client = await connect(everything(), { version })
      const tools = await client.tools()
      const forecast = tools.find((each) => each.name === 'forecast')
      expect(forecast).toMatchObject({
        description: 'Forecast for a city',
        inputSchema: { type: 'object', required: ['city'] },
      })
      expect(forecast?.outputSchema === undefined).toBe(!hasStructured)
      expect(tools).toHaveLength(11)
      expect(leaks(client, client.serverSession)).toEqual([])
    })

    it('are called with checked arguments and defaults, and give their value', async () => {
      await using client = await connect(everything(), { version })
      await client.tools()
      const { value, structured, text } = await client.call('forecast', { city: 'Oslo' })
      const expected = { city: 'Oslo', high: 21, days: 3 }
      expect(JSON.parse(text)).toEqual(expected)
      expect(structured).toEqual(hasStructured ? expected : undefined)
      expect(value).toEqual(expected)
    })

    it('report failures the model should read', async () => {
      await using client = await connect(everything(), { version })
      const failure = await client.call('forecast', { city: 'Atlantis' }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(ToolError)
      expect(failure).toMatchObject({ message: expect.stringContaining('Atlantis has sunk') })
      expect(await client.call('forecast', { city: 'Atlantis' }, { throwOnError: false })).toMatchObject({
        isError: true,
      })
    })

    it('report details with their failures, as text where the version has no structured content', async () => {
      const sink = tool('sink', {}, () => {
        throw new ToolError('sunk', { structured: { depth: 900 } })
      })
      await using client = await connect(createServer({ name: 's', version: '1' }).add(sink), { version })
      const failure = await client.call('sink').catch((error: unknown) => error)
      expect(failure).toMatchObject(
        hasStructured ? { message: 'sunk', structured: { depth: 900 } } : { message: 'sunk\n{"depth":900}' },
      )
    })

    it('C-29 tell the caller what is wrong with arguments, the way the version does', async () => {
      await using client = await connect(everything(), { version })
      const failure = await client.call('forecast', { city: 7 as never, days: 0 }).catch((error: unknown) => error)
      expect(failure).toBeInstanceOf(version >= '2025-11-25' ? ToolError : ParleyError)
      expect(failure).toMatchObject({ message: expect.stringMatching(/city.*days/s) })
      if (failure instanceof ParleyError) expect(failure.code).toBe(-32602)
    })

    it('unknown ones are refused with -32602', async () => {
      await using client = await connect(everything(), { version })
      await expect(client.request('tools/call', { name: 'nope' })).rejects.toMatchObject({
        code: -32602,
        kind: 'tool_not_found',
        message: expect.stringContaining('nope'),
      })
    })

    it('X3 carry content of every kind, converted where the version has no such kind, with the loss reported', async () => {
      await using client = await connect(everything(), { version })
      const { content } = await client.call('media')
      const types = content.map((block) => block.type)
      expect(types).toEqual(
        {
          '2024-11-05': ['text', 'image', 'text', 'resource', 'text'],
          '2025-03-26': ['text', 'image', 'audio', 'text'],
        }[version as string] ?? ['text', 'image', 'audio', 'resource_link'],
      )
      expect(JSON.stringify(content)).toContain('c291bmQ=')
      expect(JSON.stringify(content)).toContain('notes://today')
      const rules = client.serverSession.losses().map((loss) => loss.rule)
      expect(rules.includes('A-04')).toBe(version < '2025-03-26')
      expect(rules.includes('B-06')).toBe(version < '2025-06-18')
    })

    it('pass meta both ways', async () => {
      const echo = tool('echo', {}, (_, ctx) =>
        result({
          content: 'x',
          meta: { 'example.org/back': (ctx.request.params['_meta'] as never)['example.org/there'] },
        }),
      )
      await using client = await connect(createServer({ name: 's', version: '1' }).add(echo), { version })
      expect((await client.call('echo', {}, { meta: { 'example.org/there': 'x' } })).meta).toMatchObject({
        'example.org/back': 'x',
      })
    })

    it('a hundred calls at once each get their own answer', async () => {
      await using client = await connect(everything(), { version })
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, n) => client.call('forecast', { city: `c${n}` })),
      )
      expect(outcomes.map((outcome) => JSON.parse(outcome.text).city)).toEqual(
        Array.from({ length: 100 }, (_, n) => `c${n}`),
      )
    })
  })
})

describe('types from the server value', () => {
  it('give names, arguments and values', async () => {
    const add = tool(
      'add',
      { input: z.object({ a: z.number(), b: z.number().default(1) }), output: z.object({ sum: z.number() }) },
      ({ a, b }) => ({
        sum: a + b,
      }),
    )
    const hello = tool('hello', {}, () => 'hi')
    const server = createServer({ name: 's', version: '1' }).add(add, hello)
    await using client = await connect(server)
    const { value } = await client.call('add', { a: 2 })
    expectTypeOf(value).toEqualTypeOf<{ sum: number }>()
    expect(value.sum).toBe(3)
    const greeting = await client.call('hello')
    expectTypeOf(greeting.value).toEqualTypeOf<string>()
    // @ts-expect-error: there is no such tool
    await expect(client.call('subtract')).rejects.toThrow()
    // @ts-expect-error: an argument is missing
    await expect(client.call('add', {})).rejects.toThrow()
  })
})
