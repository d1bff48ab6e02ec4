/** tmcp has no client of its own: requests are written and answers read by hand, which flatters it. */
import { ZodJsonSchemaAdapter } from '@tmcp/adapter-zod'
import { McpServer } from 'tmcp'
import {
  asText,
  clientIdentity,
  description,
  forecast,
  identity,
  input,
  outlook,
  output,
  withTextCopy,
} from '../subject.js'

function makeServer(tools) {
  const server = new McpServer(identity, { adapter: new ZodJsonSchemaAdapter(), capabilities: { tools: {} } })
  if (tools === undefined) {
    server.tool({ name: 'forecast', description, schema: input, outputSchema: output }, (given) =>
      withTextCopy(forecast(given)),
    )
    server.tool({ name: 'outlook', description, schema: input }, (given) => asText(outlook(given)))
  }
  for (const { name, description, input } of tools ?? [])
    server.tool({ name, description, schema: input }, () => ({ content: [] }))
  return server
}

/** One server value serves all sessions here, as it does in Parley. */
let shared

export const tmcp = {
  name: 'tmcp 1.20',
  package: 'tmcp',

  async open({ tools, tap } = {}) {
    shared ??= makeServer()
    const server = tools === undefined ? shared : makeServer(tools)
    let lastId = 0
    const sessionInfo = {}

    async function deliver(message) {
      const text = JSON.stringify(message)
      tap?.(text)
      const answer = await server.receive(JSON.parse(text), { sessionInfo })
      if (answer === undefined || answer === null) return undefined
      const answerText = JSON.stringify(answer)
      tap?.(answerText)
      return JSON.parse(answerText)
    }
    async function request(method, params) {
      const answer = await deliver({ jsonrpc: '2.0', id: ++lastId, method, params })
      if (answer.error !== undefined) throw new Error(answer.error.message)
      return answer.result
    }

    await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: clientIdentity })
    await deliver({ jsonrpc: '2.0', method: 'notifications/initialized' })
    return {
      call: (given) => request('tools/call', { name: 'forecast', arguments: given }),
      ask: (given) => request('tools/call', { name: 'outlook', arguments: given }),
      list: async () => (await request('tools/list', {})).tools,
      close: async () => {},
    }
  },
}
