/** The contract, on Parley. */
import { prompt, resource, ToolError, tool } from 'parley-mcp/server'
import {
  ECHO_INPUT,
  FAILURE,
  GREET,
  GROWN,
  LINE,
  MODEL_PROMPT,
  NAMES,
  NEXT,
  NOTE,
  SUM_INPUT,
  SUM_OUTPUT,
  USER_FORM,
  USER_PROMPT,
  ZONE_INPUT,
} from '../contract.js'
import { makePace } from '../pace.js'

const textOf = (content) => [content].flat().find(({ type }) => type === 'text')?.text

const askModel = async (ctx) => textOf((await ctx.sample('answer', MODEL_PROMPT)).content)

async function askUser(ctx) {
  const { action, content } = await ctx.elicit('confirm', USER_PROMPT, USER_FORM)
  return `${action} ${content?.yes}`
}

/** `server` is a function because tools are there before it is. */
export function definitions(server) {
  const pace = makePace()
  let reportCancelled
  const cancelled = new Promise((resolve) => {
    reportCancelled = resolve
  })
  return [
    tool('echo', { description: 'Says it back', input: ECHO_INPUT }, ({ text }) => text),
    tool('sum', { description: 'Adds', input: SUM_INPUT, output: SUM_OUTPUT }, ({ a, b }) => ({ sum: a + b })),
    tool('fail', { description: 'Fails' }, () => {
      throw new ToolError(FAILURE)
    }),
    tool('steps', { description: 'Takes three steps' }, async (_, ctx) => {
      for (const done of [1, 2, 3]) await pace.step(() => ctx.progress(done, 3))
      return 'done'
    }),
    tool('wait', { description: 'Waits until it is cancelled' }, (_, ctx) => {
      ctx.progress(1)
      return new Promise((resolve) => {
        ctx.signal.addEventListener('abort', () => {
          reportCancelled()
          resolve('cancelled')
        })
      })
    }),
    tool('cancelled', { description: 'Waits for another call to be cancelled' }, async () => {
      await cancelled
      return 'yes'
    }),
    tool('touch', { description: 'Changes the note' }, () => {
      server().updated(NOTE.uri)
      return 'touched'
    }),
    tool('grow', { description: 'Adds a tool' }, () => {
      server().add(tool(GROWN, { description: 'Was not there before' }, () => 'here'))
      return 'grown'
    }),
    tool('log', { description: 'Writes to the log' }, (_, ctx) => {
      ctx.log('info', LINE)
      return 'logged'
    }),
    tool('ask-model', { description: 'Asks the model' }, (_, ctx) => askModel(ctx)),
    tool('ask-user', { description: 'Asks the user' }, (_, ctx) => askUser(ctx)),
    tool('places', { description: 'Asks for the roots' }, async (_, ctx) =>
      (await ctx.roots()).map(({ uri }) => uri).join(' '),
    ),
    tool('ask-both', { description: 'Asks user and model' }, async (_, ctx) =>
      (await Promise.all([askUser(ctx), askModel(ctx)])).join(' '),
    ),
    tool(
      'ask-twice',
      { description: 'Asks the user and then the model' },
      async (_, ctx) => `${await askUser(ctx)} ${await askModel(ctx)}`,
    ),
    tool('zone', { description: 'Says where it is', input: ZONE_INPUT }, ({ zone }) => zone),
    tool('job', { description: 'Takes its time', execution: { taskSupport: 'optional' } }, () => 'done'),
    tool(NEXT, { description: 'The last step was noticed' }, () => {
      pace.next()
      return 'next'
    }),
    resource(NOTE.uri, { name: NOTE.name, mimeType: 'text/plain' }, () => NOTE.text),
    prompt(
      GREET.name,
      {
        description: 'Greets',
        arguments: { [GREET.argument]: { required: true } },
        complete: { [GREET.argument]: NAMES },
      },
      (args) => GREET.say(args[GREET.argument]),
    ),
  ]
}
