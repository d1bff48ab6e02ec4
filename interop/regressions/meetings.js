/** Who meets whom in the regressions: each shape of a peer, directly, behind the gateway and behind `parley bridge`. */
import assert from 'node:assert/strict'
import { fileURLToPath } from 'node:url'
import { connect } from 'parley-mcp/node'
import { COMMAND } from '../../scripts/gateway.js'
import { connectClient } from '../gateway/client.js'
import { firstGeneration } from '../theirs/sdk-1.js'
import { MODERN_CLIENT } from '../theirs/sdk-2.js'
import { discoverThenInitialize } from './discover-then-initialize.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const STDIO = at('stdio-server.js')
const HTTP = at('http-server.js')

/** Peers as they are on other people's machines. `version`: what Parley's client has to find there. */
export const SHAPES = [
  { shape: 'exits on server/discover', name: 'exits', args: [STDIO, 'exits-on-discover'], version: '2025-06-18' },
  { shape: 'is silent on server/discover', name: 'silent', args: [STDIO, 'silent-on-discover'], version: '2025-06-18' },
  {
    shape: '404 "Invalid session ID" without a session',
    name: 'sessions',
    http: [HTTP, '404-without-session'],
    version: '2025-06-18',
  },
  { shape: 'serves 2026-07-28 only, stdio', name: 'newest', args: [STDIO, 'only-2026-07-28'], version: '2026-07-28' },
  {
    shape: 'serves 2026-07-28 only, HTTP',
    name: 'newest-http',
    http: [HTTP, 'only-2026-07-28'],
    version: '2026-07-28',
  },
  {
    shape: 'SDK 2.4 that serves 2026-07-28 only',
    name: 'framework',
    args: [at('../theirs/sdk-2-server.js'), 'modern', 'stdio'],
    version: '2026-07-28',
  },
]

/** Published clients, and how each gets to the gateway over the network. */
const CLIENTS = [
  { ...firstGeneration('sdk-2024-11-05'), network: 'sse' },
  { ...firstGeneration('sdk-2025-11-25'), network: 'http' },
  { ...MODERN_CLIENT, title: 'SDK 2.4', network: 'http' },
]
const PATHS = { http: 'mcp', sse: 'sse' }
const GREETING = 'grüße 🎈'

const textOf = ({ content }) => content[0]?.text

/** Both tools are there, and the second call finds what the first one left. The contract's server has no `count`. */
async function probe(names, call, prefix = '') {
  const [echo, count] = [`${prefix}echo`, `${prefix}count`]
  assert.ok(names.includes(echo), `${echo} is not listed`)
  assert.equal(textOf(await call(echo, { text: GREETING })), GREETING)
  if (!names.includes(count)) return
  const first = Number(textOf(await call(count, {})))
  assert.equal(Number(textOf(await call(count, {}))), first + 1, 'the second call met another process')
}

async function direct({ args, url, version }) {
  const client = await connect(args === undefined ? url : { command: process.execPath, args, stderr: 'ignore' })
  try {
    assert.equal(client.version, version)
    const names = (await client.tools()).map(({ name }) => name)
    await probe(names, (name, given) => client.call(name, given))
  } finally {
    await client.close()
  }
}

async function published(client, transport, way, prefix) {
  const peer = await connectClient(client, transport, way)
  try {
    const names = (await peer.client.listTools()).tools.map(({ name }) => name)
    await probe(names, (name, given) => peer.callTool({ name, arguments: given }), prefix)
  } finally {
    await peer.client.close()
  }
}

const bridgeTo = ({ args, url }) => ({
  command: process.execPath,
  args: [COMMAND, 'bridge', ...(url === undefined ? ['--', process.execPath, ...args] : [url])],
})

/** Every meeting with a server of a shape. `gateway`: the address of a running one that has all of them. */
function withShape(server, gateway) {
  const { shape, name } = server
  const ways = CLIENTS.flatMap((client) => [
    { way: 'bridge', client, meet: () => published(client, 'stdio', bridgeTo(server)) },
    {
      way: `gateway, /servers/NAME/${PATHS[client.network]}`,
      client,
      meet: () => published(client, client.network, { url: `${gateway}/servers/${name}/${PATHS[client.network]}` }),
    },
    {
      way: `gateway, /${PATHS[client.network]}`,
      client,
      meet: () => published(client, client.network, { url: `${gateway}/${PATHS[client.network]}` }, `${name}__`),
    },
  ])
  return [{ way: 'direct', client: { title: 'Parley' }, meet: () => direct(server) }, ...ways].map((each) => ({
    shape,
    ...each,
  }))
}

/** The client that opens twice, in two versions by turns, at every program that reads standard input. */
function withTwice(servers, gateway, frames) {
  const programs = [
    {
      way: 'SDK stdio server',
      target: { command: process.execPath, args: [at('../ours/server.js'), 'stdio', frames] },
      echo: 'echo',
    },
    ...servers.map((server) => ({ way: `bridge → ${server.name}`, target: bridgeTo(server), echo: 'echo' })),
    { way: 'bridge → gateway', target: bridgeTo({ url: `${gateway}/mcp` }), echo: 'exits__echo' },
  ]
  const versions = ['2024-11-05', '2025-11-25']
  return programs.map(({ way, target, echo }, index) => {
    const version = versions[index % versions.length]
    return {
      shape: 'client sends initialize after server/discover',
      way,
      client: { title: `plain ${version}` },
      meet: () => discoverThenInitialize(target, version, echo),
    }
  })
}

/** `servers`: the shapes, with the `url` of those that listen. */
export const meetingsOf = (servers, gateway, frames) => [
  ...servers.flatMap((server) => withShape(server, gateway)),
  ...withTwice(servers, gateway, frames),
]
