/**
 * A client of any server: shows what it offers, or calls one of its tools.
 *
 *     node examples/client.js http://127.0.0.1:3000/mcp
 *     node examples/client.js http://127.0.0.1:3000/mcp find_notes '{"words":"milk"}'
 *     node examples/client.js -- node examples/notes-server.js
 */
import { createInterface } from 'node:readline/promises'
import { connect } from 'parley-mcp/node'

const USAGE = `usage: node examples/client.js <url> [tool] [arguments as JSON]
       node examples/client.js -- <command> [arguments of the command]`

/** What to connect to, and what to call there. */
function wishes([first, ...rest]) {
  if (first === undefined) return undefined
  if (first !== '--') return { target: first, tool: rest[0], args: parsed(rest[1] ?? '{}') }
  const [command, ...args] = rest
  return command === undefined ? undefined : { target: { command, args } }
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`The arguments are not JSON: ${error.message}`)
  }
}

/** Asks whoever sits at the terminal; where nobody does, the answer is no. */
async function elicit({ message, schema }) {
  if (!process.stdin.isTTY) return { action: 'decline' }
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  try {
    const content = {}
    for (const [name, { type }] of Object.entries(schema?.properties ?? {})) {
      const answer = await terminal.question(`${message} (${name}: ${type}) `)
      content[name] =
        type === 'boolean'
          ? /^(y|yes|true)$/i.test(answer)
          : type === 'number' || type === 'integer'
            ? Number(answer)
            : answer
    }
    return { action: 'accept', content }
  } finally {
    terminal.close()
  }
}

function show(title, entries) {
  if (entries.length === 0) return
  console.log(`\n${title}`)
  for (const [name, about] of entries) console.log(`  ${name.padEnd(24)} ${about ?? ''}`.trimEnd())
}

const about = ({ description, title }) => description ?? title

async function explore(client) {
  const { tools, resources, prompts } = client.capabilities
  console.log(`${client.server.title ?? client.server.name} ${client.server.version}, protocol ${client.version}`)
  if (tools)
    show(
      'tools',
      (await client.tools()).map((tool) => [tool.name, about(tool)]),
    )
  if (resources)
    show(
      'resources',
      (await client.resources()).map((resource) => [resource.uri, about(resource)]),
    )
  if (resources)
    show(
      'templates',
      (await client.templates()).map((template) => [template.uriTemplate, about(template)]),
    )
  if (prompts)
    show(
      'prompts',
      (await client.prompts()).map((prompt) => [prompt.name, about(prompt)]),
    )
}

async function run({ target, tool, args }) {
  const client = await connect(target, { info: { name: 'example-client', version: '1.0.0' }, elicit, reconnect: false })
  try {
    if (tool === undefined) await explore(client)
    else console.log((await client.call(tool, args)).text)
  } finally {
    await client.close()
  }
}

try {
  const wished = wishes(process.argv.slice(2))
  if (wished === undefined) throw new Error(USAGE)
  await run(wished)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
