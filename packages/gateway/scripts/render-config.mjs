/** `docs/configuration.md` from the tables that read the configuration. */
import { code, table } from '../../sdk/scripts/markdown.mjs'

const INTRODUCTION = `# Configuration

\`parley gateway\` and \`parley bridge --config\` read the file that other MCP clients have already, with more options where they are wanted. Everything but the servers may be left
out. This page is made from the tables that read the file, and so is [the JSON Schema](../packages/gateway/schema/config.json) for editors:

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

**Formats.** The ending tells: \`.json\` and \`.jsonc\` may have comments and trailing commas, \`.yaml\` and \`.yml\` are YAML 1.2. Servers stand under \`mcpServers\`, or under \`servers\` as
some editors write it. At the top, keys that begin with \`x-\` are read by nobody: a place for YAML anchors and notes.

**Mistakes.** A file is taken whole or not at all. A text that is no JSON or YAML is named first, because nothing can be read from it; in one that is, every problem is named at once, each with its line, its key, and how to mend it; an unknown key is a problem, with the key that was
probably meant. Keys that other programs keep in the same file have no effect, and a warning says so. \`parley doctor --config parley.json\` shows all of it without starting anything for long.

**Environment variables.** In any text, \`\${NAME}\` is the variable of the environment the gateway was started in, \`\${NAME:-other}\` is \`other\` where it is unset or empty (which may be a variable itself: \`\${NAME:-\${OTHER}}\`), and \`$\${\` is a \`\${\` that
stays. \`\${env:NAME}\` means the same as \`\${NAME}\`. Numbers and switches may be variables, too: \`"port": "\${PORT}"\`. A variable that is not set is a problem, except in a server that is
\`disabled\`. What came from a variable is never shown in messages.

**Paths** that begin with \`./\` or \`../\`, and \`cwd\`, \`pins\`, \`audit\` and \`crashReports\`, start at the folder of the file. Arguments are handed on as they are: give the server a \`cwd\` when they name files.

**Times** are texts with a unit, \`"500ms"\`, \`"30s"\`, \`"5m"\`, \`"1h"\`, or numbers of milliseconds.

**Sizes** are texts with a unit, \`"512KiB"\`, \`"64MiB"\`, \`"1GB"\`, or numbers of bytes.

**Changes** are read while the gateway runs. Servers that were added are started, those that were removed are ended, those that changed are replaced, and all come in the order of the file; sessions with all others go on,
and clients are told that the lists have changed. Another \`rateLimit\` is in force at once, and ends no session. A file with a mistake is reported in the log and changes nothing. What else stands under
\`gateway\` is in force after the next start; the log names what has to wait.

What the settings do is told on the page about [the gateway](gateway.md).`

/** Keys of a server in the order of the table, cut where its sections begin. */
const SECTIONS = new Map([
  ['command', '### A program to start'],
  ['url', '### A server that is already running'],
  ['disabled', '### Whether and how it is spoken to'],
  ['restart', '### Its life'],
  ['timeout', '### Limits'],
  ['tools', '### What clients see'],
])

const HEAD = ['key', 'type', 'default', 'what it means', 'example']

export function renderConfig({ configSchema }) {
  const { properties, $defs } = configSchema()
  const server = $defs.server.properties
  const withKeys = (schema) => schema.properties ?? schema.anyOf?.find((each) => each.properties)?.properties
  const parts = [
    INTRODUCTION,
    '## At the top',
    keysOf(properties),
    '## A server',
    'Under its name, which becomes part of its address and of the names of its tools: letters, digits, `.`, `_` and `-`, at most 64. It has either `command` or `url`.',
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
    'What is counted, and what is refused, is told under [Memory](gateway.md#memory).',
    keysOf(withKeys(withKeys(properties.gateway).memory)),
    '## Keys of other programs',
    'They may stay in the file, and have no effect here.',
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

/** Too long for a table, or shown on the page anyway. */
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
  if (kinds.length === 0) throw new Error(`No words for ${JSON.stringify(schema)}`)
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
      why.replace('Of another program; has no effect here. ', ''),
    ]),
  )
}

function grouped(entries) {
  const groups = new Map()
  for (const entry of entries) groups.set(entry[1].description, [...(groups.get(entry[1].description) ?? []), entry])
  return groups
}
