/** The contract, on fastmcp: `fastmcp-server.js stdio|http`. */
import { FastMCP, UserError } from 'fastmcp'
import { z } from 'zod'
import {
  FAILURE,
  GREET,
  GROWN,
  GROWN_NOTE,
  LINE,
  MODEL_PROMPT,
  NAMES,
  NOTE,
  USER_FORM,
  USER_PROMPT,
} from '../contract.js'
import { freePort } from './free-port.js'

const [transport] = process.argv.slice(2)

// Its own logger writes to the standard output, which belongs to the protocol.
const silent = { debug() {}, error() {}, info() {}, log() {}, warn() {} }
const server = new FastMCP({ name: 'fastmcp-interop', version: '1.0.0', logger: silent })
const session = () => server.sessions[0]

let reportCancelled
const cancelled = new Promise((resolve) => {
  reportCancelled = resolve
})

async function askModel() {
  const { content } = await session().requestSampling({
    messages: [{ role: 'user', content: { type: 'text', text: MODEL_PROMPT } }],
    maxTokens: 100,
  })
  return content.text
}

async function askUser(_, { elicit }) {
  const { action, content } = await elicit({ message: USER_PROMPT, requestedSchema: USER_FORM })
  return `${action} ${content?.yes}`
}

const tools = {
  async steps(_, { reportProgress }) {
    for (const done of [1, 2, 3]) await reportProgress({ progress: done, total: 3 })
    return 'done'
  },
  async wait(_, { reportProgress, signal }) {
    await reportProgress({ progress: 1 })
    return new Promise((resolve) => {
      signal.addEventListener('abort', () => {
        reportCancelled()
        resolve('cancelled')
      })
    })
  },
  async cancelled() {
    await cancelled
    return 'yes'
  },
  async fail() {
    throw new UserError(FAILURE)
  },
  async touch() {
    // It answers requests of a session some time before it counts the session among its own.
    while (session() === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
    await server.sendResourceUpdated(NOTE.uri)
    return 'touched'
  },
  async grow() {
    server.addTool({ name: GROWN, description: 'Was not there before', execute: async () => 'here' })
    server.addResource({ uri: GROWN_NOTE.uri, name: GROWN_NOTE.name, load: async () => ({ text: 'here' }) })
    return 'grown'
  },
  async log(_, { log }) {
    log.info(LINE)
    return 'logged'
  },
  'ask-model': askModel,
  'ask-user': askUser,
  'ask-both': async (_, context) => (await Promise.all([askUser(_, context), askModel()])).join(' '),
  'ask-twice': async (_, context) => `${await askUser(_, context)} ${await askModel()}`,
  async places() {
    if (session().roots.length === 0) await new Promise((resolve) => session().once('rootsChanged', resolve))
    return session()
      .roots.map(({ uri }) => uri)
      .join(' ')
  },
}

for (const [name, execute] of Object.entries(tools)) server.addTool({ name, description: `The tool ${name}`, execute })
server.addTool({
  name: 'echo',
  description: 'Says it back',
  parameters: z.object({ text: z.string() }),
  execute: async ({ text }) => text,
})
server.addTool({
  name: 'zone',
  description: 'Says where it is',
  parameters: z.object({ zone: z.string() }),
  execute: async ({ zone }) => zone,
})
server.addTool({
  name: 'sum',
  description: 'Adds',
  parameters: z.object({ a: z.number(), b: z.number() }),
  outputSchema: z.object({ sum: z.number() }),
  execute: async ({ a, b }) => ({ sum: a + b }),
})
server.addResource({ uri: NOTE.uri, name: NOTE.name, mimeType: 'text/plain', load: async () => ({ text: NOTE.text }) })
server.addPrompt({
  name: GREET.name,
  arguments: [
    {
      name: GREET.argument,
      required: true,
      complete: async (value) => ({ values: NAMES.filter((name) => name.startsWith(value)) }),
    },
  ],
  load: async (args) => GREET.say(args[GREET.argument]),
})

if (transport === 'stdio') {
  await server.start({ transportType: 'stdio' })
} else {
  const port = await freePort()
  await server.start({ transportType: 'httpStream', httpStream: { port, host: '127.0.0.1' } })
  console.log(`Listening at http://127.0.0.1:${port}/mcp`)
}
