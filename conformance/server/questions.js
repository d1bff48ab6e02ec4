/** The tools that ask the client back: its model and its user. */
import { tool } from 'parley-mcp/server'
import { said, words } from './forms.js'

const EVERY_DEFAULT = {
  type: 'object',
  properties: {
    name: { type: 'string', description: 'Your name', default: 'John Doe' },
    age: { type: 'integer', description: 'Your age', default: 30 },
    score: { type: 'number', description: 'Your score', default: 95.5 },
    status: { type: 'string', description: 'Your status', enum: ['active', 'inactive', 'pending'], default: 'active' },
    verified: { type: 'boolean', description: 'Whether you are verified', default: true },
  },
  required: [],
}

const titled = (count) => Array.from({ length: count }, (_, at) => ({ const: `value${at + 1}`, title: `Option ${at + 1}` }))

const EVERY_CHOICE = {
  type: 'object',
  properties: {
    untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
    titledSingle: { type: 'string', oneOf: titled(3) },
    legacyEnum: { type: 'string', enum: ['opt1', 'opt2', 'opt3'], enumNames: ['Option One', 'Option Two', 'Option Three'] },
    untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
    titledMulti: { type: 'array', items: { anyOf: titled(3) } },
  },
  required: [],
}

const USER = {
  type: 'object',
  properties: { username: { type: 'string', description: 'Your name' }, email: { type: 'string', description: 'Your address' } },
  required: ['username', 'email'],
}

const report = ({ action, content }) => `The user answered: ${action} ${JSON.stringify(content ?? {})}`

export const questions = [
  tool('test_sampling', { description: 'Asks the model of the client', input: words('prompt') }, async ({ prompt }, ctx) => {
    const answer = await ctx.sample('answer', { messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 })
    return `The model answered: ${said(answer)}`
  }),
  tool('test_elicitation', { description: 'Asks the user', input: words('message') }, async ({ message }, ctx) =>
    report(await ctx.elicit('user', message, USER)),
  ),
  tool('test_elicitation_sep1034_defaults', { description: 'Asks the user, with answers filled in' }, async (_, ctx) =>
    report(await ctx.elicit('defaults', 'Please check these values', EVERY_DEFAULT)),
  ),
  tool('test_elicitation_sep1330_enums', { description: 'Asks the user to choose, in every way there is' }, async (_, ctx) =>
    report(await ctx.elicit('choices', 'Please choose', EVERY_CHOICE)),
  ),
]
