/** Makes `docs/configuration.md` from the tables that read the configuration. */
import { code, table } from '../../sdk/scripts/markdown.mjs'

const INTRODUCTION = `# Configuration

\`parley gateway\` and \`parley bridge --config\` read the configuration file of other MCP clients, with more settings. Everything except the servers is optional. A script makes
this page from the tables that read the file. The same tables make [the JSON Schema](../packages/gateway/schema/config.json) for editors:

\`\`\`json
{
  "$schema": "./node_modules/parley-gateway/schema/config.json",
  "mcpServers": {
    "files": { "command": "npx", "args": ["-y", "some-server"], "env": { "TOKEN": "\${TOKEN}" }, "restart": "transient" },
    "search": { "url": "https://search.example/mcp", "headers": { "Authorization": "Bearer \${SEARCH_TOKEN}" }, "tools": { "deny": ["delete_*"] } }
  },
  "gateway": { "port": 4000, "log": "info" }
}
\`\`\`

**Formats.** The ending of the file name decides. \`.json\` and \`.jsonc\` are JSON with comments and trailing commas. \`.yaml\` and \`.yml\` are YAML 1.2. The servers are under
\`mcpServers\`, or under \`servers\` as in some editors. The gateway ignores top-level keys that begin with \`x-\`: use them for YAML anchors and notes.

**Mistakes.** The gateway takes a complete file or nothing. If the text is not JSON or YAML, the message names the first error. Otherwise the message names every problem, with its line, its key and
how to fix it. An unknown key is a problem, and the message suggests the closest known key. Keys of other programs in the same file have no effect and cause a warning.
\`parley doctor --config parley.json\` checks a file.

**Environment variables.** They work in every text:

- \`\${NAME}\` is the variable of the gateway's environment. \`\${env:NAME}\` means the same.
- \`\${NAME:-other}\` is \`other\` if the variable is unset or empty. The default may be a variable: \`\${NAME:-\${OTHER}}\`.
- \`$\${\` is a \`\${\` without a variable.
- Numbers and switches may be variables: \`"port": "\${PORT}"\`.
- A variable that is not set is a problem, except in a server that is \`disabled\`.
- Messages never show the content of a variable.

**Paths** start at the folder of the file if they begin with \`./\` or \`../\`. \`cwd\`, \`pins\`, \`audit\` and \`crashReports\` always do. The gateway does not change \`args\`: set \`cwd\` for a server whose arguments name files.

**Times** are texts with a unit, \`"500ms"\`, \`"30s"\`, \`"5m"\`, \`"1h"\`, or numbers of milliseconds.

**Sizes** are texts with a unit, \`"512KiB"\`, \`"64MiB"\`, \`"1GB"\`, or numbers of bytes.

**Changes.** The gateway reads the file again when it changes:

- It starts added servers, ends removed servers, and replaces changed servers. The order of the servers follows the file.
- Sessions with all other servers continue. Clients are notified that the lists changed.
- A changed \`rateLimit\` holds at once and ends no session.
- A file with a mistake changes nothing, and the log reports the mistake.
- Other settings under \`gateway\` hold after the next start. The log names them.

The page about [the gateway](gateway.md) explains the settings.`

/** Keys of a server in the order of the table, cut where its sections begin. */
const SECTIONS = new Map([
  ['command', '### A program to start'],
  ['url', '### A server that is already running'],
  ['disabled', '### Protocol and sessions'],
  ['restart', '### Restarts'],
  ['timeout', '### Limits'],
  ['tools', '### What clients see'],
])

const HEAD = ['key', 'type', 'default', 'meaning', 'example']

export function renderConfig({ configSchema }) {
  const { properties, $defs } = configSchema()
  const server = $defs.server.properties
  const withKeys = (schema) => schema.properties ?? schema.anyOf?.find((each) => each.properties)?.properties
  const parts = [
    INTRODUCTION,
    '## Top level',
    keysOf(properties),
    '## A server',
    'The key is the name of the server. The name becomes part of its address and of the names of its tools. It has at most 64 letters, digits, `.`, `_` and `-`. A server has either `command` or `url`.',
    ...inSections(server),
    '### restart',
    'A policy alone, or an object:',
    keysOf(withKeys(server.restart)),
    '### rateLimit',
    'The same keys for one server and for the gateway:',
    keysOf(withKeys(server.rateLimit)),
    '### tools',
    keysOf(withKeys(server.tools)),
    '## gateway',
    keysOf(withKeys(properties.gateway)),
    '### memory',
    'See [Memory](gateway.md#memory) for what counts and what the gateway refuses.',
    keysOf(withKeys(withKeys(properties.gateway).memory)),
    '## Keys of other programs',
    'They may stay in the file and have no effect.',
    foreignOf({ ...server, ...properties }),
  ]
  return `${parts.join('\n\n')}\n`
}

function inSections(fields) {
  const parts = []
  let rows = []
  for (const [key, field] of Object.entries(fields).filter(([, each]) => !each.deprecated)) {
    if (SECTIONS.has(key)) {
      if (rows.length > 0) parts.push(table(HEAD, rows))
      parts.push(SECTIONS.get(key))
      rows = []
    }
    rows.push(rowOf(key, field))
  }
  return [...parts, table(HEAD, rows)]
}

function keysOf(fields) {
  const own = Object.entries(fields).filter(([, field]) => !field.deprecated)
  return table(
    HEAD,
    own.map(([key, field]) => rowOf(key, field)),
  )
}

function rowOf(key, field) {
  const { description, default: otherwise, examples } = field
  const [example] = examples
  return [
    code(key),
    typeOf(field),
    otherwise === undefined || isEmpty(otherwise) ? '' : shown(otherwise, field),
    description,
    short(example),
  ]
}

/** Empty for an example that is too long for a table. */
function short(example) {
  const text = JSON.stringify(example)
  return text.length > 60 ? '' : code(text)
}

function isEmpty(value) {
  return typeof value === 'object' && Object.keys(value).length === 0
}

const isDuration = (schema) => schema.anyOf?.some(({ pattern }) => pattern?.endsWith('(?:ms|s|m|h)$')) ?? false

const isSize = (schema) => schema.anyOf?.some(({ pattern }) => pattern?.endsWith('|GiB)$')) ?? false

function shown(value, field) {
  if (isSize(field)) return code(`"${value / 1024 ** 2}MiB"`)
  if (!isDuration(field)) return code(JSON.stringify(value))
  const [unit, size] = [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ].find(([, each]) => value % each === 0) ?? ['ms', 1]
  return code(`"${value / size}${unit}"`)
}

function typeOf(schema) {
  if (isDuration(schema)) return 'time'
  if (isSize(schema)) return 'size'
  if (schema.$ref !== undefined) return 'server'
  if (schema.properties !== undefined) return 'object'
  if (schema.type === 'array') return `list of ${plural(schema.items)}`
  if (schema.type === 'object')
    return schema.additionalProperties.$ref === undefined ? 'object of texts' : 'object of servers'
  if (schema.enum !== undefined) return schema.enum.map((each) => code(each)).join(', ')
  if (schema.type === 'boolean') return '`true`, `false`'
  if (schema.type === 'integer') return `${schema.minimum} to ${schema.maximum}`
  if (schema.type === 'string') return 'text'
  const kinds = (schema.anyOf ?? []).filter(({ $ref }) => $ref !== '#/$defs/placeholder').map(typeOf)
  if (kinds.length === 0) throw new Error(`Cannot describe the type ${JSON.stringify(schema)}`)
  return [...new Set(kinds)].join(', or ')
}

function plural(schema) {
  const one = typeOf(schema)
  return one.startsWith('`') ? one : `${one}s`
}

function foreignOf(fields) {
  const foreign = Object.entries(fields).filter(([, field]) => field.deprecated)
  const byReason = grouped(foreign)
  return table(
    ['keys', 'instead'],
    [...byReason].map(([why, group]) => [
      group.map(([key]) => code(key)).join(', '),
      why.replace('Belongs to another program and has no effect here. ', ''),
    ]),
  )
}

function grouped(entries) {
  const groups = new Map()
  for (const entry of entries) groups.set(entry[1].description, [...(groups.get(entry[1].description) ?? []), entry])
  return groups
}
