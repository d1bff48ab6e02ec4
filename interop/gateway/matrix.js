/**
 * `node interop/gateway/matrix.js RESULTS.json`: makes docs/compatibility.md of what `npm run interop -- gateway --json
 * RESULTS.json` found.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { EXPECTATIONS, expected, PROBES } from './expectations.js'
import { clients, servers } from './peers.js'

const DOCUMENT = fileURLToPath(new URL('../../docs/compatibility.md', import.meta.url))

/** What each probe is about. */
const MEANING = {
  agree: 'each side speaks its own version with the gateway',
  list: 'tools are listed',
  call: 'a tool is called',
  header: 'a tool is called with an argument that travels in a header where there are such headers',
  structured: 'a tool gives structured content',
  audio: 'a tool gives a sound',
  link: 'a tool gives a link to a resource',
  error: 'a tool fails',
  unknown: 'a tool is called that is not there',
  progress: 'a tool reports its progress',
  cancel: 'a call is cancelled',
  read: 'a resource is read',
  missing: 'a resource is read that is not there',
  subscribe: 'a resource changes, and whoever subscribed hears of it',
  list_changed: 'a list changes, and whoever wants to know hears of it',
  prompt: 'a prompt is filled in',
  complete: 'an argument is completed',
  logging: 'a tool writes to the log',
  sampling: 'a tool asks the model of the client',
  elicitation: 'a tool asks the user to fill in a form',
  url: 'a tool asks the user to open an address',
  'url-error': 'a call ends with an error that names an address to open',
  enums: 'a tool asks the user to choose, in every way there is',
  in_turn: 'a tool asks two questions, one after the other',
  roots: 'a tool asks for the roots of the client',
  tasks: 'a tool runs as a task',
  'tools-list': 'a tool that runs as a task only is listed',
}

const nameOf = ({ title, version }) => (title === 'server-everything' ? title : version)

/** What the expectations say of every two peers: what results have to be. */
export const expectedOutcomes = () =>
  servers.flatMap((server) =>
    clients.map((client) => ({
      client: client.title,
      server: server.title,
      outcomes: Object.fromEntries(
        PROBES.map((probe) => [probe, { verdict: expected(probe, client, server).verdict }]),
      ),
    })),
  )

/** The verdicts of two peers, which have to be the same over all transports. */
function verdictsOf(results, client, server) {
  const own = results.filter((result) => result.client === client.title && result.server === server.title)
  if (own.length === 0) throw new Error(`${client.title} and ${server.title} have not met`)
  return Object.fromEntries(
    PROBES.map((probe) => {
      const verdicts = [...new Set(own.map(({ outcomes }) => outcomes[probe].verdict))]
      if (verdicts.length > 1 || verdicts[0] === 'fail')
        throw new Error(`${client.title} → ${server.title}, ${probe}: ${verdicts.join(' and ')}`)
      return [probe, verdicts[0]]
    }),
  )
}

function cell(verdicts) {
  const of = (wanted) => PROBES.filter((probe) => verdicts[probe] === wanted)
  const counted = (verdict) =>
    of(verdict).length === 0 ? [] : [`${of(verdict).length} ${verdict}: ${of(verdict).join(', ')}`]
  return [`${of('ok').length} ok`, ...counted('degraded'), ...counted('refused')].join('<br>')
}

const table = (head, rows) => [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n')

/** In words, which peers a rule is about. */
function scopeOf({ client, server, of }) {
  const words = (who, condition) =>
    condition === undefined
      ? []
      : [
          `${who} ${condition
            .replace(/^</, 'before ')
            .replace(/^>=(.*)/, 'from $1 on')
            .replace(/^(?=\d)/, 'of ')}`,
        ]
  return [...words('clients', client), ...words('servers', server), ...(of === undefined ? [] : [of])].join(', ')
}

export function documentOf(results) {
  const matrix = table(
    ['client ↓ server →', ...servers.map(nameOf)],
    clients.map((client) => [client.version, ...servers.map((server) => cell(verdictsOf(results, client, server)))]),
  )
  const rules = Object.entries(EXPECTATIONS).flatMap(([probe, entries]) =>
    entries.map((entry) => ({ probe, ...entry })),
  )
  const shown = rules
    .filter(({ verdict }) => verdict !== 'n/a')
    .map((rule) => [rule.probe, rule.verdict, scopeOf(rule), rule.what, rule.rules])
  const absent = rules.filter(({ verdict }) => verdict === 'n/a').map((rule) => [rule.probe, rule.what])
  return `# Compatibility through the gateway

Clients of every version, rows, and servers of every version, columns, with the gateway between them: published libraries on both sides, over standard input and output (\`parley bridge\`) and over
the network. Each pair is tried with the same probes. \`ok\`: as with a server of the client's own version. \`degraded\`: it works in another form, as written below. \`refused\`: it cannot work, and the
error names the version that is the reason. What is not counted does not exist in one of the two libraries.

Generated from the results of \`npm run interop -- gateway --json results.json\` by \`node interop/gateway/matrix.js results.json\`; a test holds it against
[what is expected](../interop/gateway/expectations.js).

${matrix}

The libraries: ${clients.map(({ title, version }) => `${title} (${version})`).join(', ')}, and server-everything (2025-11-25).

## What is different

${table(['probe', 'verdict', 'between', 'what happens', 'rules'], shown)}

## What is not tried

${table(['probe', 'because'], absent)}

## The probes

${table(
  ['probe', 'what is tried'],
  PROBES.map((probe) => [probe, MEANING[probe]]),
)}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file] = process.argv.slice(2)
  if (file === undefined) {
    console.error('usage: node interop/gateway/matrix.js RESULTS.json')
    process.exit(2)
  }
  writeFileSync(DOCUMENT, documentOf(JSON.parse(readFileSync(file, 'utf8'))))
}
