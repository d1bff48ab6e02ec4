/** One server with something of everything, for the behaviour tests. */
import { z } from 'zod'
import { audio, createServer, image, link, prompt, resource, result, ToolError, text, tool } from '../../src/server.ts'

export const choices = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 1, title: 'Name' },
    mail: { type: 'string', format: 'email', default: 'me@example.org' },
    count: { type: 'integer', minimum: 0, maximum: 9, default: 3 },
    share: { type: 'number', default: 0.5 },
    sure: { type: 'boolean', default: true },
    colour: { type: 'string', enum: ['red', 'green'], default: 'green' },
    size: {
      type: 'string',
      oneOf: [
        { const: 's', title: 'Small' },
        { const: 'l', title: 'Large' },
      ],
      default: 'l',
    },
    days: {
      type: 'array',
      items: { type: 'string', enum: ['mon', 'tue', 'wed'] },
      minItems: 1,
      maxItems: 2,
      default: ['mon'],
    },
    extras: {
      type: 'array',
      items: {
        anyOf: [
          { const: 'a', title: 'Alpha' },
          { const: 'b', title: 'Beta' },
        ],
      },
      default: ['a', 'b'],
    },
  },
  required: ['name'],
} as const

const forecast = tool(
  'forecast',
  {
    title: 'Forecast',
    description: 'Forecast for a city',
    input: z.object({ city: z.string(), days: z.number().int().min(1).default(3) }),
    output: z.object({ city: z.string(), high: z.number(), days: z.number() }),
    annotations: { readOnlyHint: true },
    icons: [{ src: 'https://example.org/sun.png' }],
  },
  ({ city, days }) => {
    if (city === 'Atlantis') throw new ToolError('Atlantis has sunk')
    return { city, high: 21, days }
  },
)

const media = tool('media', { description: 'Blocks of every kind' }, () => [
  text('see and hear'),
  image('aW1hZ2U=', 'image/png'),
  audio('c291bmQ=', 'audio/wav'),
  link({ uri: 'notes://today', name: 'today', title: 'Today', mimeType: 'text/plain' }),
])

const slow = tool('slow', { input: z.object({ steps: z.number().default(3) }) }, ({ steps }, ctx) => {
  for (let step = 1; step <= steps; step++) ctx.progress(step, steps, `step ${step}`)
  return 'done'
})

/** Waits until it is cancelled; what happened is kept here by call. */
export const cancellations: string[] = []

const wait = tool(
  'wait',
  { input: z.object({ tag: z.string() }) },
  ({ tag }, ctx) =>
    new Promise<string>((_, reject) => {
      ctx.signal.addEventListener('abort', () => {
        cancellations.push(tag)
        reject(ctx.signal.reason)
      })
    }),
)

const confirm = tool('confirm', { input: z.object({ env: z.string() }) }, async ({ env }, ctx) => {
  const answer = await ctx.elicit('confirm', `Deploy to ${env}?`, z.object({ yes: z.boolean() }))
  return answer.action === 'accept' && answer.content.yes ? `deployed to ${env}` : `not deployed: ${answer.action}`
})

const survey = tool('survey', {}, async (_, ctx) => {
  const answer = await ctx.elicit('survey', 'Tell us', choices)
  return result({ structured: { ...answer } })
})

const visit = tool('visit', {}, async (_, ctx) => {
  const answer = await ctx.elicitUrl('visit', 'Please sign in', 'https://example.org/sign-in')
  answer.complete()
  return answer.action
})

const ask = tool('ask', { input: z.object({ question: z.string() }) }, async ({ question }, ctx) => {
  const answer = await ctx.sample('ask', question)
  return JSON.stringify(answer.content)
})

const agent = tool('agent', {}, async (_, ctx) => {
  const weather = { name: 'weather', inputSchema: { type: 'object' as const } }
  const messages = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Weather?' } }]
  const first = await ctx.sample('first', { messages, maxTokens: 100, tools: [weather], toolChoice: { mode: 'auto' } })
  const blocks = Array.isArray(first.content) ? first.content : [first.content]
  const uses = blocks.flatMap((block) => (block.type === 'tool_use' ? [block] : []))
  const outcomes = uses.map((use) => ({
    type: 'tool_result' as const,
    toolUseId: use.id,
    content: [{ type: 'text' as const, text: 'sunny' }],
  }))
  const turn = [
    ...messages,
    { role: 'assistant' as const, content: blocks },
    { role: 'user' as const, content: outcomes },
  ]
  const second = await ctx.sample('second', { messages: turn, maxTokens: 100, tools: [weather] })
  return JSON.stringify(second.content)
})

const places = tool('places', {}, async (_, ctx) => (await ctx.roots()).map((root) => root.uri).join(' '))

const chatty = tool('chatty', {}, (_, ctx) => {
  for (const level of ['debug', 'info', 'warning', 'error'] as const) ctx.log(level, { said: level }, 'chatty')
  return 'logged'
})

const notes = resource('notes://today', { title: 'Today', mimeType: 'text/plain' }, () => 'buy milk')
const picture = resource('notes://picture', { mimeType: 'image/png' }, () => new Uint8Array([1, 2, 3]))
const user = resource(
  'users://{id}/profile',
  { complete: { id: ['ann', 'anton', 'bob'] }, list: () => [{ uri: 'users://ann/profile' }] },
  ({ id }) => (id === 'nobody' ? undefined : { json: { id } }),
)

const greet = prompt(
  'greet',
  {
    title: 'Greet',
    arguments: { name: { required: true, complete: ['Ann', 'Anton', 'Bob'] }, tone: {} },
    complete: { tone: (_, { arguments: given }) => (given['name'] === 'Bob' ? ['gruff'] : ['kind']) },
  },
  ({ name, tone }) => `Greet ${name} in a ${tone ?? 'neutral'} tone`,
)

const listen = prompt('listen', {}, () => [{ role: 'user', content: audio('c291bmQ=', 'audio/wav') }])

/** A new one for each test that changes it. */
export function everything(options: Parameters<typeof createServer>[1] = {}) {
  return createServer(
    { name: 'everything', version: '1.0.0', title: 'Everything', instructions: 'Use it all' },
    options,
  )
    .add(forecast, media, slow, wait, confirm, survey, visit, ask, agent, places, chatty)
    .add(notes, picture, user)
    .add(greet, listen)
}

export type Everything = ReturnType<typeof everything>
