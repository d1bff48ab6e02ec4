/**
 * Everything the suite asks for, on the official SDK of the second generation: the gateway has to please the suite with
 * somebody else's server behind it as well.
 */
import { randomBytes } from 'node:crypto'
import {
  completable,
  createRequestStateCodec,
  fromJsonSchema,
  inputRequired,
  inputResponse,
  McpServer,
  ResourceTemplate,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { PIXEL, SILENCE } from '../server/content.js'
import { CONDITIONAL_SCHEMA, EVERY_CHOICE, EVERY_DEFAULT, REGION, USER, words, yesOrNo } from '../server/forms.js'

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const text = (words) => ({ content: [{ type: 'text', text: words }] })
const picture = { type: 'image', data: PIXEL, mimeType: 'image/png' }
const embedded = (uri) => ({
  type: 'resource',
  resource: { uri, mimeType: 'text/plain', text: 'This is an embedded resource.' },
})

const states = createRequestStateCodec({ key: randomBytes(32) })

const form = (message, requestedSchema) => inputRequired.elicit({ message, requestedSchema })
const sample = (prompt) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: { type: 'text', text: prompt } }], maxTokens: 100 })

/** Asks until every question has an answer, and makes the result of them. */
async function asking({ mcpReq }, inputRequests, finish, state) {
  const answers = Object.fromEntries(
    Object.keys(inputRequests).map((key) => [key, inputResponse(mcpReq.inputResponses, key)]),
  )
  if (Object.values(answers).every(({ kind }) => kind !== 'missing')) return finish(answers)
  return inputRequired({ inputRequests, ...(state !== undefined && { requestState: await states.mint(state) }) })
}

const said = (answer) => text(JSON.stringify(answer))
const askName = { user_name: form('What is your name?', words('name')) }
const askModel = { greeting: sample('Generate a greeting') }
const confirmed = (_, ctx) => asking(ctx, { confirm: form('Please confirm', yesOrNo('ok')) }, said, 'the work')

async function twoRounds(_, ctx) {
  const step = ctx.mcpReq.requestState()
  const steps = {
    first: form('Step 1: What is your name?', words('name')),
    second: form('Step 2: What is your favourite colour?', words('color')),
  }
  const at = step ?? 'first'
  const answered = inputResponse(ctx.mcpReq.inputResponses, at).kind !== 'missing'
  if (at === 'second' && answered) return text('Thank you.')
  const next = answered ? 'second' : at
  return inputRequired({ inputRequests: { [next]: steps[next] }, requestState: await states.mint(next) })
}

/** In the stateless era each request says what its client can do; before, the handshake did. */
const canElicit = ({ mcpReq }, server) =>
  (mcpReq.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? server.server.getClientCapabilities())
    ?.elicitation !== undefined

async function reportProgress(_, { mcpReq }) {
  const { progressToken } = mcpReq._meta ?? {}
  for (const progress of [0, 50, 100]) {
    if (progressToken !== undefined)
      await mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    await pause(50)
  }
  return text('Done.')
}

async function logThrice(_, { mcpReq }) {
  for (const line of ['Started', 'Halfway', 'Finished']) {
    await mcpReq.log('info', line)
    await pause(50)
  }
  return text('Logged three lines.')
}

async function comeBack(_, { http }) {
  http?.closeSSE?.()
  await pause(100)
  return text('Answered after the stream had ended.')
}

/** Name → what it does with arguments, context and server, and its input if it has one. */
const tools = {
  test_simple_text: [() => text('This is a simple text response for testing.')],
  test_image_content: [() => ({ content: [picture] })],
  test_audio_content: [() => ({ content: [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] })],
  test_embedded_resource: [() => ({ content: [embedded('test://embedded-resource')] })],
  test_multiple_content_types: [
    () => ({ content: [...text('Several kinds of content:').content, picture, embedded('test://embedded-resource')] }),
  ],
  test_error_handling: [() => ({ ...text('This tool intentionally returns an error for testing'), isError: true })],
  test_tool_with_progress: [reportProgress],
  test_tool_with_logging: [logThrice],
  test_reconnection: [comeBack],
  json_schema_2020_12_tool: [said, CONDITIONAL_SCHEMA],
  test_sampling: [({ prompt }, ctx) => asking(ctx, { answer: sample(prompt) }, said), words('prompt')],
  test_elicitation: [({ message }, ctx) => asking(ctx, { user: form(message, USER) }, said), words('message')],
  test_elicitation_sep1034_defaults: [
    (_, ctx) => asking(ctx, { defaults: form('Please check these values', EVERY_DEFAULT) }, said),
  ],
  test_elicitation_sep1330_enums: [(_, ctx) => asking(ctx, { choices: form('Please choose', EVERY_CHOICE) }, said)],
  test_missing_capability: [(_, ctx) => asking(ctx, askModel, said)],
  test_streaming_elicitation: [(_, ctx) => asking(ctx, askName, said)],
  test_logging_tool: [
    async (_, { mcpReq }) => {
      await mcpReq.log('info', 'Working')
      return text('Logged one line.')
    },
  ],
  test_custom_header: [said, REGION],
  test_input_required_result_elicitation: [(_, ctx) => asking(ctx, askName, said)],
  test_input_required_result_sampling: [
    (_, ctx) => asking(ctx, { capital_question: sample('What is the capital of France?') }, said),
  ],
  test_input_required_result_list_roots: [(_, ctx) => asking(ctx, { client_roots: inputRequired.listRoots() }, said)],
  test_input_required_result_request_state: [confirmed],
  test_input_required_result_tampered_state: [confirmed],
  test_input_required_result_multiple_inputs: [
    (_, ctx) => asking(ctx, { ...askName, ...askModel, client_roots: inputRequired.listRoots() }, said, 'all of it'),
  ],
  test_input_required_result_multi_round: [twoRounds],
  test_input_required_result_capabilities: [
    (_, ctx, server) => asking(ctx, canElicit(ctx, server) ? askName : askModel, said),
  ],
}

const says = (content) => ({ messages: [{ role: 'user', content }] })

function addResources(server) {
  const fixed = (name, uri, contents) =>
    server.registerResource(name, uri, { mimeType: contents.mimeType }, () => ({ contents: [{ uri, ...contents }] }))
  fixed('Static text', 'test://static-text', {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  })
  fixed('Static binary', 'test://static-binary', { mimeType: 'image/png', blob: PIXEL })
  fixed('Watched resource', 'test://watched-resource', { mimeType: 'text/plain', text: 'Watched content.' })
  server.registerResource(
    'Data by id',
    new ResourceTemplate('test://template/{id}/data', { list: undefined }),
    {},
    ({ href }, { id }) => ({
      contents: [{ uri: href, mimeType: 'application/json', text: JSON.stringify({ id }) }],
    }),
  )
  for (const method of ['resources/subscribe', 'resources/unsubscribe'])
    server.server.setRequestHandler(method, () => ({}))
}

function addPrompts(server) {
  const complete = (value) => ['test value 1', 'test value 2', 'paris'].filter((word) => word.startsWith(value))
  server.registerPrompt('test_simple_prompt', { description: 'Without arguments' }, () =>
    says({ type: 'text', text: 'This is a simple prompt for testing.' }),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'With two arguments',
      argsSchema: z.object({ arg1: completable(z.string(), complete), arg2: z.string() }),
    },
    ({ arg1, arg2 }) => says({ type: 'text', text: `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'` }),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'With a resource inside', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) => says(embedded(resourceUri)),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'With an image inside' }, () => says(picture))
  server.registerPrompt('test_input_required_result_prompt', { description: 'Asks for its context' }, (ctx) =>
    asking(ctx, { user_context: form('What context should the prompt use?', words('context')) }, (answer) =>
      says(said(answer).content[0]),
    ),
  )
}

/** What comes and goes, in all servers of the program at once. */
const passing = { tool: false, prompt: false }
const live = new Set()

function turn(kind, news) {
  passing[kind] = !passing[kind]
  for (const parts of live) parts[kind][passing[kind] ? 'enable' : 'disable']()
  news?.[`${kind}sChanged`]()
  return text('Changed.')
}

/** `news`: how those who listen learn of changes, where the server itself does not reach them. */
export function makeServer(news) {
  const capabilities = {
    tools: { listChanged: true },
    resources: { subscribe: true },
    prompts: { listChanged: true },
    completions: {},
    logging: {},
  }
  const server = new McpServer(
    { name: 'official-conformance', version: '1.0.0' },
    { capabilities, requestState: { verify: states.verify } },
  )
  for (const [name, [run, input = { type: 'object' }]] of Object.entries(tools))
    server.registerTool(name, { description: `The tool ${name}`, inputSchema: fromJsonSchema(input) }, (args, ctx) =>
      run(args, ctx, server),
    )
  for (const kind of ['tool', 'prompt'])
    server.registerTool(`test_trigger_${kind}_change`, { description: `Adds or removes a ${kind}` }, () =>
      turn(kind, news),
    )
  addResources(server)
  addPrompts(server)
  const parts = {
    tool: server.registerTool('test_passing_tool', { description: 'Comes and goes' }, () => text('Still here.')),
    prompt: server.registerPrompt('test_passing_prompt', { description: 'Comes and goes' }, () =>
      says({ type: 'text', text: 'Still here.' }),
    ),
  }
  for (const kind of ['tool', 'prompt']) if (!passing[kind]) parts[kind].disable()
  if (news === undefined) live.add(parts)
  return { server, forget: () => live.delete(parts) }
}
