/**
 * What the suite wants to see of requests that speak for themselves (2026-07-28): capabilities, logs, headers, and news
 * of changed lists.
 */
import { prompt, tool } from 'parley-mcp/server'
import { REGION, said, words } from './forms.js'

export const independent = [
  tool('test_missing_capability', { description: 'Needs a client with a model' }, async (_, ctx) =>
    said(await ctx.sample('greeting', 'Generate a greeting')),
  ),
  tool('test_streaming_elicitation', { description: 'Asks the user while it works' }, async (_, ctx) => {
    const { action } = await ctx.elicit('user_name', 'What is your name?', words('name'))
    return `The user answered: ${action}`
  }),
  tool('test_logging_tool', { description: 'Logs for those who want to hear it' }, (_, ctx) => {
    ctx.log('info', 'Working')
    return 'Logged one line.'
  }),
  tool(
    'test_custom_header',
    { description: 'Shows one of its arguments to what stands between client and server', input: REGION },
    ({ region }) => (region === undefined ? 'No region.' : `Region: ${region}`),
  ),
]

const passingTool = tool('test_passing_tool', { description: 'Comes and goes' }, () => 'Still here.')
const passingPrompt = prompt('test_passing_prompt', { description: 'Comes and goes' }, () => 'Still here.')

/** Tools that change what the server offers. */
export function changing(server) {
  const comeOrGo = (definition) => {
    const { kind, key } = definition
    if (!server.remove(kind, key)) server.add(definition)
    return 'Changed.'
  }
  return [
    tool('test_trigger_tool_change', { description: 'Adds or removes a tool' }, () => comeOrGo(passingTool)),
    tool('test_trigger_prompt_change', { description: 'Adds or removes a prompt' }, () => comeOrGo(passingPrompt)),
  ]
}
