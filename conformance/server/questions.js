/** The tools that ask the client back: its model and its user. */
import { tool } from 'parley-mcp/server'
import { EVERY_CHOICE, EVERY_DEFAULT, said, USER, words } from './forms.js'

const report = ({ action, content }) => `The user answered: ${action} ${JSON.stringify(content ?? {})}`

export const questions = [
  tool(
    'test_sampling',
    { description: 'Asks the model of the client', input: words('prompt') },
    async ({ prompt }, ctx) => {
      const answer = await ctx.sample('answer', {
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      return `The model answered: ${said(answer)}`
    },
  ),
  tool('test_elicitation', { description: 'Asks the user', input: words('message') }, async ({ message }, ctx) =>
    report(await ctx.elicit('user', message, USER)),
  ),
  tool('test_elicitation_sep1034_defaults', { description: 'Asks the user, with answers filled in' }, async (_, ctx) =>
    report(await ctx.elicit('defaults', 'Please check these values', EVERY_DEFAULT)),
  ),
  tool(
    'test_elicitation_sep1330_enums',
    { description: 'Asks the user to choose, in every way there is' },
    async (_, ctx) => report(await ctx.elicit('choices', 'Please choose', EVERY_CHOICE)),
  ),
]
