import { expectTypeOf } from 'expect-type'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { handshakeVersions } from '../../versions/index.ts'
import { image, text } from '../content/blocks.ts'
import { rawClient } from '../raw-client.fixtures.ts'
import { resource } from '../resources/resource.ts'
import { createServer } from '../server.ts'
import { assistant, user } from './messages.ts'
import { prompt } from './prompt.ts'

const info = { name: 'test', version: '1.0.0' }

const review = prompt(
  'review',
  {
    title: 'Review',
    description: 'Reviews code',
    arguments: {
      code: { description: 'The code', required: true },
      style: { title: 'Style', complete: ['strict', 'kind', 'Stern'] },
    },
  },
  ({ code, style }) => `Review (${style ?? 'any'}): ${code}`,
)

describe('F3 prompts', () => {
  it('are listed with their arguments', async () => {
    const schema = z.object({ topic: z.string().describe('What about'), words: z.coerce.number().optional() })
    const client = await rawClient(
      createServer(info).add(
        review,
        prompt('write', { arguments: schema }, () => ''),
        prompt('bare', {}, () => ''),
      ),
    )
    expect(await client.result('prompts/list')).toEqual({
      prompts: [
        {
          name: 'review',
          title: 'Review',
          description: 'Reviews code',
          arguments: [
            { name: 'code', description: 'The code', required: true },
            { name: 'style', title: 'Style' },
          ],
        },
        {
          name: 'write',
          arguments: [
            { name: 'topic', description: 'What about', required: true },
            { name: 'words', required: false },
          ],
        },
        { name: 'bare' },
      ],
    })
  })

  it.each(handshakeVersions)('are filled in, in %s', async (version) => {
    const client = await rawClient(createServer(info).add(review), { version })
    expect(await client.result('prompts/get', { name: 'review', arguments: { code: 'x = 1' } })).toEqual({
      description: 'Reviews code',
      messages: [{ role: 'user', content: { type: 'text', text: 'Review (any): x = 1' } }],
    })
  })

  it('give what the schema makes of the arguments', async () => {
    const write = prompt('write', { arguments: z.object({ words: z.coerce.number().default(7) }) }, ({ words }) => {
      expectTypeOf(words).toEqualTypeOf<number>()
      return `${typeof words} ${words}`
    })
    const client = await rawClient(createServer(info).add(write))
    const said = async (args?: Record<string, string>) =>
      JSON.stringify(await client.result('prompts/get', { name: 'write', ...(args && { arguments: args }) }))
    expect(await said({ words: '12' })).toContain('number 12')
    expect(await said()).toContain('number 7')
  })

  it.each<[string, Record<string, unknown>, RegExp]>([
    ['an unknown prompt', { name: 'nope' }, /^Unknown prompt: nope$/],
    ['no name', {}, /"name" must be a string/],
    ['a missing argument', { name: 'review' }, /^Invalid arguments for prompt "review": .*code/],
    ['an unknown argument', { name: 'review', arguments: { code: '', evil: '' } }, /evil/],
    ['an argument that is no string', { name: 'review', arguments: { code: 3 } }, /code.*must be a string/],
    ['arguments that are no object', { name: 'review', arguments: 'x' }, /"arguments" must be an object/],
  ])('%s is -32602', async (_, params, message) => {
    const client = await rawClient(createServer(info).add(review))
    const error = await client.error('prompts/get', params)
    expect(error.code).toBe(-32602)
    expect(error.message).toMatch(message)
  })

  it.each<[string, unknown, unknown[]]>([
    ['a message', assistant('hi'), [{ role: 'assistant', content: { type: 'text', text: 'hi' } }]],
    [
      'a block',
      image('AA==', 'image/png'),
      [{ role: 'user', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } }],
    ],
    [
      'messages and strings',
      ['one', assistant(text('two')), user(['three', 'four'])],
      [
        { role: 'user', content: { type: 'text', text: 'one' } },
        { role: 'assistant', content: { type: 'text', text: 'two' } },
        { role: 'user', content: { type: 'text', text: 'three' } },
        { role: 'user', content: { type: 'text', text: 'four' } },
      ],
    ],
    [
      'a protocol result',
      { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }] },
      [{ role: 'user', content: { type: 'text', text: 'x' } }],
    ],
  ])('may return %s', async (_, value, messages) => {
    const client = await rawClient(createServer(info).add(prompt('p', {}, () => value as string)))
    expect(await client.result('prompts/get', { name: 'p' })).toEqual({ messages })
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['something else', () => ({ a: 1 })],
    [
      'an error',
      () => {
        throw new Error('secret')
      },
    ],
  ])('E2 %s is masked and reported', async (_, handler) => {
    const reported: unknown[] = []
    const server = createServer(info, { onError: (error, { name }) => reported.push([String(error), name]) }).add(
      prompt('p', {}, handler as () => string),
    )
    const client = await rawClient(server)
    expect(await client.error('prompts/get', { name: 'p' })).toEqual({ code: -32603, message: 'Internal error' })
    expect(reported).toEqual([[expect.any(String), 'p']])
  })

  it('refuses bad definitions', () => {
    expect(() => prompt('', {}, () => '')).toThrow('Invalid prompt name')
    expect(() => prompt('p', {}, 3 as never)).toThrow('has no handler')
  })
})

describe('F4 completion', () => {
  const cities = ['Oslo', 'Ottawa', 'Rome']
  const server = createServer(info).add(
    review,
    prompt(
      'travel',
      {
        arguments: { country: {}, city: {} },
        complete: { city: (prefix, { arguments: { country } }) => [`${prefix}-${country}`], country: () => cities },
      },
      () => '',
    ),
    prompt(
      'broken',
      {
        arguments: { x: {} },
        complete: {
          x: () => {
            throw new Error('secret')
          },
        },
      },
      () => '',
    ),
    resource('users://{id}{?tab}', { complete: { id: Array.from({ length: 250 }, (_, id) => `u${id}`) } }, () => ''),
    resource('x://fixed', {}, () => ''),
  )
  const complete = async (ref: unknown, argument: unknown, context?: unknown) => {
    const client = await rawClient(server)
    return client.request('completion/complete', { ref, argument, ...(context === undefined ? {} : { context }) })
  }
  const values = async (ref: unknown, name: string, value: string, context?: unknown) =>
    (await complete(ref, { name, value }, context)).result?.['completion']

  it('filters a list by what was typed, whatever the case', async () => {
    expect(await values({ type: 'ref/prompt', name: 'review' }, 'style', 's')).toEqual({
      values: ['strict', 'Stern'],
      total: 2,
      hasMore: false,
    })
  })

  it('filters what a function gives that does not look at the prefix', async () => {
    expect(await values({ type: 'ref/prompt', name: 'travel' }, 'country', 'O')).toEqual({
      values: ['Oslo', 'Ottawa'],
      total: 2,
      hasMore: false,
    })
  })

  it('hands prefix and other arguments to a function', async () => {
    const context = { arguments: { country: 'NO', bad: 3 } }
    expect(await values({ type: 'ref/prompt', name: 'travel' }, 'city', 'x', context)).toEqual({
      values: ['x-NO'],
      total: 1,
      hasMore: false,
    })
  })

  it('gives at most 100 values and says how many there are', async () => {
    const found = (await values({ type: 'ref/resource', uri: 'users://{id}{?tab}' }, 'id', 'u')) as { values: string[] }
    expect(found).toMatchObject({ total: 250, hasMore: true })
    expect(found.values).toHaveLength(100)
  })

  it('has no suggestions where none are defined', async () => {
    expect(await values({ type: 'ref/resource', uri: 'users://{id}{?tab}' }, 'tab', '')).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    })
    expect(await values({ type: 'ref/prompt', name: 'review' }, 'code', '')).toEqual({
      values: [],
      total: 0,
      hasMore: false,
    })
  })

  it.each<[string, unknown, unknown]>([
    ['an unknown prompt', { type: 'ref/prompt', name: 'nope' }, { name: 'a', value: '' }],
    ['an unknown template', { type: 'ref/resource', uri: 'nope://' }, { name: 'a', value: '' }],
    ['an unknown argument', { type: 'ref/prompt', name: 'review' }, { name: 'toString', value: '' }],
    ['an argument of a fixed resource', { type: 'ref/resource', uri: 'x://fixed' }, { name: 'a', value: '' }],
    ['an unknown reference', { type: 'ref/tool', name: 'x' }, { name: 'a', value: '' }],
    ['no reference', undefined, { name: 'a', value: '' }],
    ['no argument', { type: 'ref/prompt', name: 'review' }, undefined],
    ['a value that is no string', { type: 'ref/prompt', name: 'review' }, { name: 'style', value: 3 }],
  ])('%s is -32602', async (_, ref, argument) => {
    expect((await complete(ref, argument)).error).toMatchObject({ code: -32602 })
  })

  it('E2 masks a completer that fails', async () => {
    const reported: unknown[] = []
    const failing = createServer(info, { onError: (error) => reported.push(error) }).add(
      prompt(
        'broken',
        {
          arguments: {
            x: {
              complete: () => {
                throw new Error('secret')
              },
            },
          },
        },
        () => '',
      ),
    )
    const client = await rawClient(failing)
    const params = { ref: { type: 'ref/prompt', name: 'broken' }, argument: { name: 'x', value: '' } }
    expect(await client.error('completion/complete', params)).toEqual({ code: -32603, message: 'Internal error' })
    expect(reported).toHaveLength(1)
  })

  it('C1 is declared only when there is something to complete', async () => {
    expect((await rawClient(server)).initialized['capabilities']).toHaveProperty('completions')
    const without = await rawClient(createServer(info).add(prompt('p', {}, () => '')))
    expect(without.initialized['capabilities']).not.toHaveProperty('completions')
    expect(
      await without.error('completion/complete', {
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'a', value: '' },
      }),
    ).toMatchObject({
      code: -32601,
    })
  })
})
