/**
 * The client the official suite drives: `node conformance/client.js URL`, with the scenario's name in
 * MCP_CONFORMANCE_SCENARIO.
 */
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
  async 'json-schema-ref-no-deref'(client) {
    await client.tools()
  },
  async 'request-metadata'(client) {
    if (client.capabilities.tools !== undefined) await client.tools()
  },
  async 'sep-2322-client-request-state'(client) {
    const [first] = await client.tools()
    await Promise.all([client.call(first.name), client.call('test_mrtr_unrelated')])
    await client.call('test_mrtr_no_state')
    await client.call('test_mrtr_no_result_type')
  },
  async 'http-standard-headers'(client) {
    for (const { name } of await client.tools()) await client.call(name)
    for (const { uri } of await client.resources()) await client.read(uri)
    for (const { name } of await client.prompts()) await client.prompt(name)
  },
  async 'http-custom-headers'(client, { toolCalls }) {
    await client.tools()
    for (const call of toolCalls) await client.call(call.name, call.arguments)
  },
  async 'http-invalid-tool-headers'(client) {
    for (const { name } of await client.tools()) await client.call(name, { region: 'eu' })
  },
  async 'sep-2640-client-no-prefetch'(client) {
    await client.skills()
  },
  'sep-2640-client-verify-digest': (client) => refuseSkills(client, 'digest'),
  'sep-2640-client-verify-size': (client) => refuseSkills(client, 'size'),
  'sep-2640-client-verify-frontmatter': (client) => refuseSkills(client, 'frontmatter'),
}

async function useSkills(client) {
  for (const entry of await client.skills()) {
    const skill = await client.skill(entry)
    for (const path of skill.files ?? []) await skill.read(path)
  }
}

/** The skills of these scenarios are not what their entries say. */
async function refuseSkills(client, check) {
  const refusal = await useSkills(client).catch((error) => error)
  if (refusal?.data?.check !== check)
    throw refusal ?? new Error(`A skill was used although its ${check} is not what its entry says`)
}

/**
 * What the user of a scenario says; where nothing is said, every form is accepted with nothing filled in: defaults are
 * the library's business.
 */
const answers = {
  'sep-2322-client-request-state': { confirmed: true },
}

const HANDSHAKE_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']

/** A version with a handshake is what is asked for, and servers may settle on an older one. */
function wire(version) {
  if (version === undefined) return {}
  const at = HANDSHAKE_VERSIONS.indexOf(version)
  return at === -1 ? { version } : { versions: HANDSHAKE_VERSIONS.slice(0, at + 1) }
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
  ...wire(process.env.MCP_CONFORMANCE_PROTOCOL_VERSION),
  elicit: () => answers[name] ?? {},
  sample: () => ({ role: 'assistant', model: 'none', content: { type: 'text', text: 'ok' } }),
  roots: ['file:///conformance'],
})
try {
  await run(client, JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}'))
} finally {
  await client.close()
}
