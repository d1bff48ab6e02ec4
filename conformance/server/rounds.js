/**
 * What the suite asks of questions that travel in results (2026-07-28): a call is answered with questions, and repeated
 * with their answers. Most handlers just ask and wait; those that return `inputRequired` are the raw form, in which the
 * handler is run again.
 */
import { inputRequired, prompt, tool, user } from 'parley-mcp/server'
import { said, words, yesOrNo } from './forms.js'

const form = (message, requestedSchema) => ({ method: 'elicitation/create', params: { message, requestedSchema } })

const greet = ({ action, content }) => (action === 'accept' ? `Hello, ${content.name}!` : 'Hello, whoever you are!')

/** Asks whether to go on, and remembers across the rounds what it was about to do. */
const confirmed = (name, description) =>
  tool(name, { description }, (_, { input }) => {
    const { confirm } = input.responses
    if (confirm === undefined)
      return inputRequired({
        requests: { confirm: form('Please confirm', yesOrNo('ok')) },
        state: { doing: 'the work' },
      })
    return confirm.action === 'accept' ? `Confirmed: ${input.state?.doing}` : 'Not confirmed.'
  })

export const rounds = [
  tool(
    'test_input_required_result_elicitation',
    { description: 'Asks for a name, in the raw form' },
    (_, { input }) => {
      const answer = input.responses['user_name']
      return answer === undefined
        ? inputRequired({ requests: { user_name: form('What is your name?', words('name')) } })
        : greet(answer)
    },
  ),
  tool('test_input_required_result_sampling', { description: 'Asks the model of the client' }, async (_, ctx) =>
    said(
      await ctx.sample('capital_question', {
        messages: [{ role: 'user', content: { type: 'text', text: 'What is the capital of France?' } }],
        maxTokens: 100,
      }),
    ),
  ),
  tool('test_input_required_result_list_roots', { description: 'Asks where it may work' }, async (_, ctx) => {
    const roots = await ctx.roots('client_roots')
    return `May work in: ${roots.map(({ uri }) => uri).join(', ')}`
  }),
  confirmed('test_input_required_result_request_state', 'Asks for a confirmation and remembers what for'),
  confirmed('test_input_required_result_tampered_state', 'Asks for a confirmation and takes no forged memory'),
  tool(
    'test_input_required_result_multiple_inputs',
    { description: 'Asks the user, the model and for the roots, all at once' },
    async (_, ctx) => {
      const [name, greeting, roots] = await Promise.all([
        ctx.elicit('user_name', 'What is your name?', words('name')),
        ctx.sample('greeting', {
          messages: [{ role: 'user', content: { type: 'text', text: 'Generate a greeting' } }],
          maxTokens: 50,
        }),
        ctx.roots('client_roots'),
      ])
      return `${said(greeting)} ${greet(name)} (${roots.length} roots)`
    },
  ),
  tool(
    'test_input_required_result_multi_round',
    { description: 'Asks two things, one after the other' },
    async (_, ctx) => {
      const name = await ctx.elicit('step1', 'Step 1: What is your name?', words('name'))
      const color = await ctx.elicit('step2', 'Step 2: What is your favourite colour?', words('color'))
      return `${greet(name)} You like ${color.content?.color ?? 'no colour'}.`
    },
  ),
  tool(
    'test_input_required_result_capabilities',
    { description: 'Asks the user where it can, else the model' },
    async (_, ctx) => {
      if (ctx.client.can('elicitation'))
        return greet(await ctx.elicit('user_name', 'What is your name?', words('name')))
      return said(await ctx.sample('greeting', 'Generate a greeting'))
    },
  ),
  prompt('test_input_required_result_prompt', { description: 'Asks for its context' }, async (_, ctx) => {
    const { content } = await ctx.elicit('user_context', 'What context should the prompt use?', words('context'))
    return user(`Use this context: ${content?.context ?? 'none'}`)
  }),
]
