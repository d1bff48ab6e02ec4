/** The gateways that are measured: how each is started, in the fastest mode it has, and where it then serves. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileOf } from './program.js'

const PARLEY = fileOf('../../packages/gateway/dist/cli.js')
const MCP_PROXY = fileOf('../../node_modules/mcp-proxy/dist/bin/mcp-proxy.mjs')
const SUPERGATEWAY = fileOf('../../node_modules/supergateway/dist/index.js')
const PLAIN_PROXY = fileOf('./servers/reverse-proxy.js')
const BARE_RELAY = fileOf('./servers/bare-relay.js')

export const peers = [
  { name: 'parley', file: 'parley', package: 'parley-gateway' },
  { name: 'mcp-proxy', file: 'mcp-proxy', package: 'mcp-proxy' },
  { name: 'supergateway', file: 'supergateway', package: 'supergateway' },
]

/** The command line of a server over stdio. */
const stdioServer = (version) => [process.execPath, fileOf('./servers/stdio.js'), version]

const folder = mkdtempSync(join(tmpdir(), 'parley-bench-'))
process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
let configs = 0

function configOf(server) {
  const file = join(folder, `${++configs}.json`)
  writeFileSync(file, JSON.stringify({ mcpServers: { bench: server } }))
  return file
}

async function startParley(start, server, options) {
  const config = configOf(server)
  const program = await start('parley', (port) => [PARLEY, 'gateway', '--config', config, '--port', String(port)], options)
  return { ...program, path: '/servers/bench/mcp' }
}

/** In front of a server over stdio. `settings` are Parley's own. */
export const beforeStdio = {
  async parley(start, { version, settings, ...options }) {
    const [command, ...args] = stdioServer(version)
    return await startParley(start, { command, args, ...settings }, options)
  },
  /** Streamable HTTP alone, without the store of events that lets clients resume, and without a look at every request for the stateless era. */
  async 'mcp-proxy'(start, { version, ...options }) {
    const own = (port) => ['--host', '127.0.0.1', '--port', String(port), '--server', 'stream', '--no-eventStore', '--no-modern']
    return { ...(await start('mcp-proxy', (port) => [MCP_PROXY, ...own(port), '--', ...stdioServer(version)], options)), path: '/mcp' }
  },
  /** With sessions, since without them it starts a process for each request; and without a word. */
  async supergateway(start, { version, ...options }) {
    const own = (port) => ['--outputTransport', 'streamableHttp', '--stateful', '--logLevel', 'none', '--port', String(port)]
    return { ...(await start('supergateway', (port) => [SUPERGATEWAY, '--stdio', stdioServer(version).join(' '), ...own(port)], options)), path: '/mcp' }
  },
  async 'bare relay'(start, { version, ...options }) {
    return { ...(await start('bare relay', (port) => [BARE_RELAY, String(port), ...stdioServer(version)], options)), path: '/mcp' }
  },
}

/** `manner`: `rich` for tools and results with what later versions have added. */
export async function startHttpServer(start, version, ...manner) {
  return { ...(await start(`server of ${version}`, (port) => [fileOf('./servers/http.js'), String(port), version, ...manner])), path: '/mcp' }
}

/** In front of a server over HTTP that is running. */
export const beforeHttp = {
  parley: (start, upstream, { settings, ...options } = {}) =>
    startParley(start, { url: `http://127.0.0.1:${upstream.port}${upstream.path}`, transport: 'streamable-http', ...settings }, options),
  async 'reverse proxy'(start, upstream) {
    return { ...(await start('reverse proxy', (port) => [PLAIN_PROXY, String(port), String(upstream.port)])), path: upstream.path }
  },
}
