/** The tools of the tasks extension: calls that outlive their request. */
import { background, ParleyError, ToolError, tool } from 'parley-mcp/server'
import { words, yesOrNo } from './forms.js'

const MAY_BE_TASK = { taskSupport: 'optional' }
const MUST_BE_TASK = { taskSupport: 'required' }

/** Ends early when the call is cancelled. */
const pause = (ms, signal) =>
  new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })

const COMPUTATION = {
  type: 'object',
  properties: { seconds: { type: 'number', minimum: 0, maximum: 120 }, label: { type: 'string' } },
  required: ['seconds'],
}

export const tasks = [
  tool('greet', { description: 'Says hello, at once', input: words('name') }, ({ name }) => `Hello, ${name}!`),
  tool(
    'slow_compute',
    { description: 'Takes as long as it is told', input: COMPUTATION, execution: MAY_BE_TASK },
    async ({ seconds, label }, { signal }) => {
      await pause(seconds * 1000, signal)
      return `Computed ${label ?? 'something'} in ${seconds} s.`
    },
  ),
  tool('failing_job', { description: 'Fails after a second', execution: MUST_BE_TASK }, async (_, { signal }) => {
    await pause(1000, signal)
    throw new ToolError('This job always fails')
  }),
  tool('protocol_error_job', { description: 'Ends with a protocol error', execution: MAY_BE_TASK }, () => {
    throw new ParleyError('internal_error', { message: 'This job cannot be done at all' })
  }),
  tool(
    'confirm_delete',
    { description: 'Asks before it deletes', input: words('filename'), execution: MAY_BE_TASK },
    async ({ filename }, ctx) => {
      const { action, content } = await ctx.elicit('confirm', `Delete ${filename}?`, yesOrNo('confirm'))
      return action === 'accept' && content.confirm ? `Deleted ${filename}.` : `Kept ${filename}.`
    },
  ),
  tool('multi_input', { description: 'Asks two things at once', execution: MAY_BE_TASK }, async (_, ctx) => {
    const [name, confirmation] = await Promise.all([
      ctx.elicit('name', 'What is your name?', words('name')),
      ctx.elicit('confirm', 'Shall it be done?', yesOrNo('confirm')),
    ])
    return `${name.content?.name ?? 'Nobody'} said ${confirmation.content?.confirm ? 'yes' : 'no'}.`
  }),
  tool(
    'test_tool_with_task',
    { description: 'Asks first, then works in the background', execution: MUST_BE_TASK, deferTask: true },
    async (_, ctx) => {
      const { content } = await ctx.elicit('user_name', 'What is your name?', words('name'))
      return background(async ({ signal }) => {
        await pause(100, signal)
        return `Done for ${content?.name ?? 'nobody'}.`
      })
    },
  ),
]
