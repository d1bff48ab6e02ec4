/**
 * The contract, on the official SDK of the second generation: `sdk-2-server.js POSTURE stdio|http`; which eras it
 * serves depends on the posture.
 */
import { randomBytes } from 'node:crypto'
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import {
  ECHO_INPUT,
  FAILURE,
  GREET,
  GROWN,
  LINE,
  MODEL_PROMPT,
  NAMES,
  NOTE,
  SUM_INPUT,
  SUM_OUTPUT,
  USER_FORM,
  USER_PROMPT,
  ZONE_INPUT,
} from '../contract.js'
import { ADDRESS, CHOOSE, choicesForm, NOTICED, POINTER, SOUND } from '../gateway/contract.js'
import { makePace } from '../pace.js'
import { serve } from './sdk-2-serve.js'

const text = (words) => ({ content: [{ type: 'text', text: String(words) }] })

/** What a question is, and what to make of its answer; undefined when it is not there yet. */
const user = {
  question: inputRequired.elicit({ message: USER_PROMPT, requestedSchema: USER_FORM }),
  answer(responses) {
    const given = inputResponse(responses, 'user')
    return given.kind === 'elicit' ? `${given.action} ${given.content?.yes}` : undefined
  },
}
const model = {
  question: inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: MODEL_PROMPT } }],
    maxTokens: 100,
  }),
  answer(responses) {
    const given = inputResponse(responses, 'model')
    return given.kind === 'sampling' ? [given.result.content].flat()[0].text : undefined
  },
}
const places = {
  question: inputRequired.listRoots(),
  answer(responses) {
    const given = inputResponse(responses, 'places')
    return given.kind === 'roots' ? given.roots.map(({ uri }) => uri).join(' ') : undefined
  },
}

const address = {
  question: inputRequired.elicitUrl(ADDRESS),
  answer(responses) {
    const given = inputResponse(responses, 'address')
    return given.kind === 'elicit' ? given.action : undefined
  },
}
const choices = {
  question: inputRequired.elicit({ message: CHOOSE, requestedSchema: choicesForm('2025-11-25') }),
  answer(responses) {
    const given = inputResponse(responses, 'choices')
    return given.kind === 'elicit' ? JSON.stringify({ action: given.action, content: given.content }) : undefined
  },
}

const states = createRequestStateCodec({ key: randomBytes(32) })

// Of stateless requests each has a server of its own, so what lasts is kept here.
const pace = makePace()
const subscribed = new Set()
let hasGrown = false
let reportCancelled
const cancelled = new Promise((resolve) => {
  reportCancelled = resolve
})

/** `news`: how those who listen learn of changes, where the server itself does not reach them. */
function makeServer(news) {
  const server = new McpServer(
    { name: 'sdk-2', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        resources: { subscribe: true },
        prompts: {},
        completions: {},
        logging: {},
      },
      instructions: 'Follow the contract',
      requestState: { verify: states.verify },
    },
  )

  const notifyProgress = async ({ mcpReq }, progress, total) => {
    const progressToken = mcpReq._meta?.progressToken
    if (progressToken !== undefined)
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, ...(total && { total }) },
      })
  }

  const calls = {
    echo: ({ text: words }) => text(words),
    sum: ({ a, b }) => ({ ...text(JSON.stringify({ sum: a + b })), structuredContent: { sum: a + b } }),
    fail: () => ({ ...text(FAILURE), isError: true }),
    async steps(_, ctx) {
      for (const done of [1, 2, 3]) await notifyProgress(ctx, done, 3)
      return text('done')
    },
    async wait(_, ctx) {
      await notifyProgress(ctx, 1)
      return new Promise((resolve) => {
        ctx.mcpReq.signal.addEventListener('abort', () => {
          reportCancelled()
          resolve(text('cancelled'))
        })
      })
    },
    async cancelled() {
      await cancelled
      return text('yes')
    },
    async touch(_, { mcpReq }) {
      if (news !== undefined) news.resourceUpdated(NOTE.uri)
      // Who listens to what is the SDK's business in the stateless era, and the program's before.
      else if (mcpReq.envelope !== undefined || subscribed.has(NOTE.uri))
        await server.server.sendResourceUpdated({ uri: NOTE.uri })
      return text('touched')
    },
    grow() {
      hasGrown = true
      addGrown()
      news?.toolsChanged()
      return text('grown')
    },
    async log(_, { mcpReq }) {
      await mcpReq.log('info', LINE)
      return text('logged')
    },
    'ask-model': (_, { mcpReq }) => asking(mcpReq, { model }),
    'ask-user': (_, { mcpReq }) => asking(mcpReq, { user }),
    places: (_, { mcpReq }) => asking(mcpReq, { places }),
    'ask-both': (_, { mcpReq }) => asking(mcpReq, { user, model }),
    'ask-twice': (_, { mcpReq }) => askingInTurn(mcpReq, { user }, { model }),
    'ask-in-turn': (_, { mcpReq }) => askingInTurn(mcpReq, { model }, { places }),
    'ask-address': (_, { mcpReq }) => asking(mcpReq, { address }),
    'ask-choices': (_, { mcpReq }) => asking(mcpReq, { choices }),
    sound: () => ({ content: [SOUND] }),
    pointer: () => ({ content: [POINTER] }),
    async paced(_, ctx) {
      for (const done of [1, 2, 3]) await pace.step(() => notifyProgress(ctx, done, 3))
      return text('done')
    },
    zone: ({ zone }) => text(zone),
    job: () => text('done'),
  }

  function asking({ inputResponses }, asked) {
    const answers = Object.values(asked).map(({ answer }) => answer(inputResponses))
    if (answers.every((answer) => answer !== undefined)) return text(answers.join(' '))
    return inputRequired({
      inputRequests: Object.fromEntries(Object.entries(asked).map(([key, { question }]) => [key, question])),
    })
  }

  async function askingInTurn({ inputResponses, requestState }, first, second) {
    const said = requestState()
    const [[key, { question, answer }]] = Object.entries(said === undefined ? first : second)
    const given = answer(inputResponses)
    if (said !== undefined) return text(`${said} ${given}`)
    if (given === undefined) return inputRequired({ inputRequests: { [key]: question } })
    const [[next, { question: nextQuestion }]] = Object.entries(second)
    return inputRequired({ inputRequests: { [next]: nextQuestion }, requestState: await states.mint(given) })
  }

  function addGrown() {
    server.registerTool(GROWN, { description: 'Was not there before' }, () => text('here'))
  }

  const inputs = { echo: ECHO_INPUT, sum: SUM_INPUT, zone: ZONE_INPUT }
  for (const [name, run] of Object.entries(calls)) {
    server.registerTool(
      name,
      {
        description: `The tool ${name}`,
        inputSchema: fromJsonSchema(inputs[name] ?? { type: 'object' }),
        ...(name === 'sum' && { outputSchema: fromJsonSchema(SUM_OUTPUT) }),
      },
      run,
    )
  }
  if (hasGrown) addGrown()

  server.registerResource(NOTE.name, NOTE.uri, { mimeType: 'text/plain' }, () => ({
    contents: [{ uri: NOTE.uri, mimeType: 'text/plain', text: NOTE.text }],
  }))
  server.server.setRequestHandler('resources/subscribe', ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.server.setRequestHandler('resources/unsubscribe', ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })

  const suggest = (value) => {
    if (value === NOTICED) pace.next()
    return NAMES.filter((name) => name.startsWith(value))
  }
  server.registerPrompt(
    GREET.name,
    { argsSchema: z.object({ [GREET.argument]: completable(z.string(), suggest) }) },
    (args) => ({
      messages: [{ role: 'user', content: { type: 'text', text: GREET.say(args[GREET.argument]) } }],
    }),
  )
  return server
}

await serve(makeServer, ...process.argv.slice(2))
