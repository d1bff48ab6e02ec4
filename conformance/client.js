/** The client the official suite drives: `node conformance/client.js URL`, with the scenario's name in MCP_CONFORMANCE_SCENARIO. */
import { connect } from 'parley-mcp/node'

const scenarios = {
  async initialize(client) {
    // The suite's server declares nothing here, and what is not declared is not asked for.
    if (client.capabilities.tools !== undefined) await client.tools()
  },
  async tools_call(client) {
    await client.tools()
    await client.call('add_numbers', { a: 5, b: 3 })
  },
  async 'elicitation-sep1034-client-defaults'(client) {
    await client.tools()
    await client.call('test_client_elicitation_defaults')
  },
  async 'sse-retry'(client) {
    await client.tools()
    await client.call('test_reconnection')
  },
  async 'json-schema-2020-12-preservation'(client) {
    const listed = await client.tools()
    const { inputSchema } = listed.find(({ name }) => name === 'json_schema_2020_12_tool')
    await client.call('json_schema_echo', { schema: inputSchema })
  },
}

const name = process.env.MCP_CONFORMANCE_SCENARIO ?? 'initialize'
const url = process.argv[2]
const run = scenarios[name]
if (run === undefined || url === undefined) {
  console.error(run === undefined ? `No such scenario here: ${name}` : 'usage: node conformance/client.js URL')
  process.exit(2)
}

const client = await connect(url, {
  info: { name: 'parley-conformance-client', version: '1.0.0' },
  // Everything the server asks for is accepted with nothing filled in: defaults are the library's business.
  elicit: () => ({}),
  sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'ok' } }),
})
try {
  await run(client)
} finally {
  await client.close()
}
