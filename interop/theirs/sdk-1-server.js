/** The contract, on a release of the official SDK: `sdk-1-server.js RELEASE stdio|http|sse`. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { createServer as createHttpServer } from 'node:http'
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
  TOOLS,
  USER_FORM,
  USER_PROMPT,
  ZONE_INPUT,
} from '../contract.js'
import { ADDRESS, CHOOSE, choicesForm, MORE_TOOLS, NOTICED, POINTER, SOUND } from '../gateway/contract.js'
import { makePace } from '../pace.js'
import { load, RELEASES } from './sdk-1.js'

const [release, transport] = process.argv.slice(2)
const { version, lacks } = RELEASES[release]
const hasTasks = !('tasks' in lacks)
const sdk = await load(release, 'server', 'types', `${transport}Server`, ...(hasTasks ? ['tasks'] : []))

const text = (words) => ({ content: [{ type: 'text', text: String(words) }] })

async function askModel(ask) {
  const messages = [{ role: 'user', content: { type: 'text', text: MODEL_PROMPT } }]
  const { content } = await ask(
    { method: 'sampling/createMessage', params: { messages, maxTokens: 100 } },
    sdk.CreateMessageResultSchema,
  )
  return [content].flat()[0].text
}

const elicit = (ask, params) => ask({ method: 'elicitation/create', params }, sdk.ElicitResultSchema)

async function askUser(ask) {
  const { action, content } = await elicit(ask, { message: USER_PROMPT, requestedSchema: USER_FORM })
  return `${action} ${content?.yes}`
}

async function askPlaces(ask) {
  const { roots } = await ask({ method: 'roots/list' }, sdk.ListRootsResultSchema)
  return roots.map(({ uri }) => uri).join(' ')
}

/** Tools that a release cannot have yet, and what it lacks. */
const PROVED_BY = {
  'ask-user': 'elicitation',
  'ask-both': 'elicitation',
  'ask-twice': 'elicitation',
  'ask-choices': 'elicitation',
  job: 'tasks',
  'long-job': 'tasks',
}
const SINCE = { sound: '2025-03-26', pointer: '2025-06-18', 'ask-address': '2025-11-25', 'sign-in': '2025-11-25' }
const isOffered = (name) => !(PROVED_BY[name] in lacks) && (SINCE[name] ?? '') <= version

function makeServer() {
  const capabilities = { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, logging: {} }
  if (version !== '2024-11-05') capabilities.completions = {}
  const tasks = hasTasks && {
    taskStore: new sdk.InMemoryTaskStore(),
    taskMessageQueue: new sdk.InMemoryTaskMessageQueue(),
  }
  if (hasTasks) capabilities.tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
  const server = new sdk.Server(
    { name: release, version: '1.0.0' },
    { capabilities, instructions: 'Follow the contract', ...tasks },
  )
  const names = [...TOOLS, ...MORE_TOOLS].filter(isOffered)
  const pace = makePace()
  const subscribed = new Set()
  let reportCancelled
  const cancelled = new Promise((resolve) => {
    reportCancelled = resolve
  })

  const inputs = { echo: ECHO_INPUT, sum: SUM_INPUT, zone: ZONE_INPUT }
  const describe = (name) => ({
    name,
    description: `The tool ${name}`,
    inputSchema: inputs[name] ?? { type: 'object' },
    ...(name === 'sum' && !('structured' in lacks) && { outputSchema: SUM_OUTPUT }),
    ...(name === 'job' && { execution: { taskSupport: 'optional' } }),
    ...(name === 'long-job' && { execution: { taskSupport: 'required' } }),
  })

  const calls = {
    echo: ({ text: words }) => text(words),
    sum: ({ a, b }) => ({
      ...text(JSON.stringify({ sum: a + b })),
      ...(!('structured' in lacks) && { structuredContent: { sum: a + b } }),
    }),
    fail: () => ({ ...text(FAILURE), isError: true }),
    async steps(_, { progress }) {
      for (const done of [1, 2, 3]) await progress(done, 3)
      return text('done')
    },
    async wait(_, { progress, signal }) {
      await progress(1)
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => {
          reportCancelled()
          resolve(text('cancelled'))
        })
      })
    },
    async cancelled() {
      await cancelled
      return text('yes')
    },
    async touch() {
      if (subscribed.has(NOTE.uri)) await server.sendResourceUpdated({ uri: NOTE.uri })
      return text('touched')
    },
    async grow() {
      names.push(GROWN)
      await server.sendToolListChanged()
      return text('grown')
    },
    async log(_, { notify }) {
      await notify({ method: 'notifications/message', params: { level: 'info', data: LINE } })
      return text('logged')
    },
    'ask-model': async (_, { ask }) => text(await askModel(ask)),
    'ask-user': async (_, { ask }) => text(await askUser(ask)),
    'ask-both': async (_, { ask }) => text((await Promise.all([askUser(ask), askModel(ask)])).join(' ')),
    'ask-twice': async (_, { ask }) => text(`${await askUser(ask)} ${await askModel(ask)}`),
    zone: ({ zone }) => text(zone),
    job: async (_, { task }) => (task === undefined ? text('done') : await asTask(task)),
    'long-job': (_, { task }) => {
      if (task === undefined) throw new sdk.McpError(sdk.ErrorCode.MethodNotFound, 'This tool runs as a task only')
      return asTask(task)
    },
    places: async (_, { ask }) => text(await askPlaces(ask)),
    sound: () => ({ content: [SOUND] }),
    pointer: () => ({ content: [POINTER] }),
    async paced(_, { progress }) {
      for (const done of [1, 2, 3]) await pace.step(() => progress(done, 3))
      return text('done')
    },
    'ask-in-turn': async (_, { ask }) => text(`${await askModel(ask)} ${await askPlaces(ask)}`),
    'ask-address': async (_, { ask }) =>
      text((await elicit(ask, { mode: 'url', ...ADDRESS, elicitationId: randomUUID() })).action),
    'sign-in': ({ account }) => {
      if (existsSync(account)) return text('signed in')
      throw new sdk.UrlElicitationRequiredError([{ mode: 'url', ...ADDRESS, elicitationId: randomUUID() }])
    },
    async 'ask-choices'(_, { ask }) {
      const { action, content } = await elicit(ask, { message: CHOOSE, requestedSchema: choicesForm(version) })
      return text(JSON.stringify({ action, content }))
    },
  }

  async function asTask({ store, ttl }) {
    const begun = await store.createTask({ ttl, pollInterval: 20 })
    await store.storeTaskResult(begun.taskId, 'completed', text('done'))
    return { task: begun }
  }

  /** Older releases send everything through the server; newer ones know which request it belongs to. */
  function contextOf({ params }, extra) {
    const notify = extra.sendNotification ?? ((notification) => server.notification(notification))
    const progressToken = params._meta?.progressToken
    return {
      signal: extra.signal,
      notify,
      task: params.task && { store: extra.taskStore, ttl: extra.taskRequestedTtl },
      ask: extra.sendRequest ?? ((request, schema) => server.request(request, schema)),
      progress: async (progress, total) => {
        if (progressToken !== undefined)
          await notify({
            method: 'notifications/progress',
            params: { progressToken, progress, ...(total && { total }) },
          })
      },
    }
  }

  server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: names.map(describe) }))
  server.setRequestHandler(sdk.CallToolRequestSchema, (request, extra) => {
    const { name, arguments: args = {} } = request.params
    if (!Object.hasOwn(calls, name)) throw new sdk.McpError(sdk.ErrorCode.InvalidParams, `Unknown tool: ${name}`)
    return calls[name](args, contextOf(request, extra))
  })
  server.setRequestHandler(sdk.ListResourcesRequestSchema, () => ({
    resources: [{ uri: NOTE.uri, name: NOTE.name, mimeType: 'text/plain' }],
  }))
  server.setRequestHandler(sdk.ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (uri !== NOTE.uri) throw new sdk.McpError(-32002, `Resource not found: ${uri}`)
    return { contents: [{ uri, mimeType: 'text/plain', text: NOTE.text }] }
  })
  server.setRequestHandler(sdk.SubscribeRequestSchema, ({ params }) => {
    subscribed.add(params.uri)
    return {}
  })
  server.setRequestHandler(sdk.UnsubscribeRequestSchema, ({ params }) => {
    subscribed.delete(params.uri)
    return {}
  })
  server.setRequestHandler(sdk.ListPromptsRequestSchema, () => ({
    prompts: [{ name: GREET.name, arguments: [{ name: GREET.argument, required: true }] }],
  }))
  server.setRequestHandler(sdk.GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: GREET.say(params.arguments[GREET.argument]) } }],
  }))
  server.setRequestHandler(sdk.CompleteRequestSchema, ({ params: { argument } }) => {
    if (argument.value === NOTICED) pace.next()
    return { completion: { values: NAMES.filter((name) => name.startsWith(argument.value)) } }
  })
  server.setRequestHandler(sdk.SetLevelRequestSchema, () => ({}))
  return server
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}

const sessions = new Map()

/** One server and one transport for each session, as the SDK wants it. */
async function onHttp(request, response) {
  const id = request.headers['mcp-session-id']
  const body = await bodyOf(request)
  if (id !== undefined && !sessions.has(id)) return response.writeHead(404).end()
  if (id !== undefined) return sessions.get(id).handleRequest(request, response, body)
  const fresh = new sdk.StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (made) => sessions.set(made, fresh),
  })
  fresh.onclose = () => sessions.delete(fresh.sessionId)
  await makeServer().connect(fresh)
  return fresh.handleRequest(request, response, body)
}

async function onSse(request, response) {
  const url = new URL(request.url, 'http://localhost')
  if (request.method === 'POST')
    return sessions.get(url.searchParams.get('sessionId')).handlePostMessage(request, response, await bodyOf(request))
  // A client that tries Streamable HTTP first must be told that this is older.
  if (request.method !== 'GET') return response.writeHead(405).end()
  const fresh = new sdk.SSEServerTransport('/messages', response)
  sessions.set(fresh.sessionId, fresh)
  return makeServer().connect(fresh)
}

if (transport === 'stdio') {
  await makeServer().connect(new sdk.StdioServerTransport())
} else {
  const handler = transport === 'http' ? onHttp : onSse
  const http = createHttpServer((request, response) => {
    if (transport === 'sse' && request.method === 'POST' && !request.url.startsWith('/messages'))
      return response.writeHead(405).end()
    handler(request, response).catch((error) => {
      console.error(error)
      if (!response.headersSent) response.writeHead(500).end()
    })
  })
  http.listen(0, '127.0.0.1', () =>
    console.log(`Listening at http://127.0.0.1:${http.address().port}/${transport === 'http' ? 'mcp' : 'sse'}`),
  )
}
