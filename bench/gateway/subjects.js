/** The gateways that are measured: how each is started, and where it then serves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gatewayOf, HERE } from '../checkout.js'
import { fileOf } from './program.js'

const MCP_PROXY = fileOf('../../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
const SUPERGATEWAY = fileOf('../../node_modules/supergateway/dist/index.js')
const PLAIN_PROXY = fileOf('./servers/reverse-proxy.js')
const BARE_RELAY = fileOf('./servers/bare-relay.js')

export const peers = [
  { name: 'parley', file: 'parley', package: 'parley-gateway' },
  { name: 'mcp-proxy', file: 'mcp-proxy', package: 'mcp-proxy' },
  { name: 'supergateway', file: 'supergateway', package: 'supergateway' },
]

/** A peer without what Parley does as well, for what it could do at best. */
const PARED_DOWN = ', pared down'
export const isParedDown = (name) => name.endsWith(PARED_DOWN)
/** Not a product: the others are compared with it. */
export const YARDSTICK = 'bare relay'

/** The results of peers as they come, and of those that are pared down. */
export function peersIn({ direct, parley, [YARDSTICK]: _, ...results }) {
  const entries = Object.entries(results)
  return { peers: entries.filter(([name]) => !isParedDown(name)), pared: entries.filter(([name]) => isParedDown(name)) }
}

export const fullName = (name) => (isParedDown(name) ? name.slice(0, -PARED_DOWN.length) : name)

/** The command line of a server over stdio. */
export const stdioServer = (version) => [process.execPath, fileOf('./servers/stdio.js'), version]

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let configs = 0

function configOf(mcpServers) {
  const file = join(folder, `${++configs}.json`)
  writeFileSync(file, JSON.stringify({ mcpServers }))
  return file
}

/** One gateway for several servers by name; returns a function from the name to its address. `root`: the checkout. */
async function startParleyFor(start, servers, { root = HERE, ...options } = {}) {
  const config = configOf(servers)
  const program = await start(
    'parley',
    (port) => [gatewayOf(root), 'gateway', '--config', config, '--port', String(port)],
    options,
  )
  return (name) => ({ ...program, path: `/servers/${name}/mcp` })
}

async function startParley(start, server, options) {
  const addressOf = await startParleyFor(start, { bench: server }, options)
  return addressOf('bench')
}

async function startMcpProxy(start, { version, ...options }, own = []) {
  const args = (port) => [
    MCP_PROXY,
    '--host',
    '127.0.0.1',
    '--port',
    String(port),
    ...own,
    '--',
    ...stdioServer(version),
  ]
  return { ...(await start('mcp-proxy', args, options)), path: '/mcp' }
}

/** With sessions, since without them it starts a process for each request. */
async function startSupergateway(start, { version, ...options }, own = []) {
  const args = (port) => [
    SUPERGATEWAY,
    '--stdio',
    stdioServer(version).join(' '),
    '--outputTransport',
    'streamableHttp',
    '--stateful',
    '--port',
    String(port),
    ...own,
  ]
  return { ...(await start('supergateway', args, options)), path: '/mcp' }
}

/** In front of a server over stdio. `settings` are Parley's own. */
export const beforeStdio = {
  async parley(start, { version, settings, ...options }) {
    const [command, ...args] = stdioServer(version)
    return await startParley(start, { command, args, ...settings }, options)
  },
  'mcp-proxy': (start, options) => startMcpProxy(start, options),
  /**
   * Streamable HTTP alone, without the store of events that lets clients resume, and for the handshake era only.
   */
  [`mcp-proxy${PARED_DOWN}`]: (start, options) =>
    startMcpProxy(start, options, ['--server', 'stream', '--no-eventStore', '--no-modern']),
  supergateway: (start, options) => startSupergateway(start, options),
  /** Without its log. */
  [`supergateway${PARED_DOWN}`]: (start, options) => startSupergateway(start, options, ['--logLevel', 'none']),
  async [YARDSTICK](start, { version, ...options }) {
    return {
      ...(await start(YARDSTICK, (port) => [BARE_RELAY, String(port), ...stdioServer(version)], options)),
      path: '/mcp',
    }
  },
}

/** `manner`: `rich` for tools and results with what later versions have added. */
export async function startHttpServer(start, version, ...manner) {
  return {
    ...(await start(`server of ${version}`, (port) => [fileOf('./servers/http.js'), String(port), version, ...manner])),
    path: '/mcp',
  }
}

const overHttp = ({ port, path }, settings) => ({
  url: `http://127.0.0.1:${port}${path}`,
  transport: 'streamable-http',
  ...settings,
})

/** `upstreams`: `{ name, upstream, settings }` of each. */
export function startParleyBefore(start, upstreams, options) {
  return startParleyFor(
    start,
    Object.fromEntries(upstreams.map(({ name, upstream, settings }) => [name, overHttp(upstream, settings)])),
    options,
  )
}

/** In front of a server over HTTP that is running. */
export const beforeHttp = {
  parley: (start, upstream, { settings, ...options } = {}) => startParley(start, overHttp(upstream, settings), options),
  async 'reverse proxy'(start, upstream) {
    return {
      ...(await start('reverse proxy', (port) => [PLAIN_PROXY, String(port), String(upstream.port)])),
      path: upstream.path,
    }
  },
}
