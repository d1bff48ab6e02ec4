/** The contract, on tmcp: `tmcp-server.js stdio|http`. */
import { serve } from '@hono/node-server'
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { HttpTransport } from '@tmcp/transport-http'
import { StdioTransport } from '@tmcp/transport-stdio'
import { McpServer } from 'tmcp'
import { z } from 'zod'
import { FAILURE, GREET, GROWN, LINE, MODEL_PROMPT, NAMES, NOTE, USER_PROMPT } from '../contract.js'

const [transport] = process.argv.slice(2)

const server = new McpServer(
  { name: 'tmcp-interop', version: '1.0.0' },
  {
    adapter: new ZodJsonSchemaAdapter(),
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      completions: {},
      logging: {},
    },
  },
)

const text = (words) => ({ content: [{ type: 'text', text: String(words) }] })

async function askModel() {
  const { content } = await server.message({
    messages: [{ role: 'user', content: { type: 'text', text: MODEL_PROMPT } }],
    maxTokens: 100,
  })
  return [content].flat()[0].text
}

async function askUser() {
  const { action, content } = await server.elicitation(USER_PROMPT, z.object({ yes: z.boolean() }))
  return `${action} ${content?.yes}`
}

const tools = {
  fail: () => ({ ...text(FAILURE), isError: true }),
  steps() {
    for (const done of [1, 2, 3]) server.progress(done, 3)
    return text('done')
  },
  touch() {
    server.changed('resource', NOTE.uri)
    return text('touched')
  },
  grow() {
    server.tool({ name: GROWN, description: 'Was not there before' }, () => text('here'))
    return text('grown')
  },
  log() {
    server.log('info', LINE)
    return text('logged')
  },
  'ask-model': async () => text(await askModel()),
  'ask-user': async () => text(await askUser()),
  'ask-both': async () => text((await Promise.all([askUser(), askModel()])).join(' ')),
  'ask-twice': async () => text(`${await askUser()} ${await askModel()}`),
  async places() {
    await server.refreshRoots()
    return text(server.roots.map(({ uri }) => uri).join(' '))
  },
}

// Since there are no sessions, whoever asks is run again with the answer, if that does no harm.
for (const [name, run] of Object.entries(tools))
  server.tool({ name, description: `The tool ${name}`, replayable: name.startsWith('ask') }, run)
server.tool({ name: 'echo', description: 'Says it back', schema: z.object({ text: z.string() }) }, ({ text: words }) =>
  text(words),
)
server.tool({ name: 'zone', description: 'Says where it is', schema: z.object({ zone: z.string() }) }, ({ zone }) =>
  text(zone),
)
server.tool(
  {
    name: 'sum',
    description: 'Adds',
    schema: z.object({ a: z.number(), b: z.number() }),
    outputSchema: z.object({ sum: z.number() }),
  },
  ({ a, b }) => ({
    ...text(JSON.stringify({ sum: a + b })),
    structuredContent: { sum: a + b },
  }),
)
server.resource({ uri: NOTE.uri, name: NOTE.name, description: 'A note', mimeType: 'text/plain' }, (uri) => ({
  contents: [{ uri, mimeType: 'text/plain', text: NOTE.text }],
}))
server.prompt(
  {
    name: GREET.name,
    description: 'Greets',
    schema: z.object({ [GREET.argument]: z.string() }),
    complete: {
      [GREET.argument]: (value) => ({ completion: { values: NAMES.filter((name) => name.startsWith(value)) } }),
    },
  },
  (args) => ({ messages: [{ role: 'user', content: { type: 'text', text: GREET.say(args[GREET.argument]) } }] }),
)

if (transport === 'stdio') {
  new StdioTransport(server).listen()
} else {
  const http = new HttpTransport(server, { path: '/mcp' })
  const fetch = async (request) => (await http.respond(request)) ?? new Response(null, { status: 404 })
  serve({ fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) =>
    console.log(`Listening at http://127.0.0.1:${port}/mcp`),
  )
}
