/** Who meets whom over what, and how each meeting is arranged. */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { connect } from 'parley-mcp/node'
import { startProgram } from '../scripts/program.js'
import { everythingProbes } from './probes/everything.js'
import { fastmcpProbes } from './probes/fastmcp.js'
import { answers, probes } from './probes/our-client.js'
import { theirProbes } from './probes/their-client.js'
import { firstGeneration, RELEASES } from './theirs/sdk-1.js'
import { SECOND } from './theirs/sdk-2.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const EVERYTHING = at('../node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** Published servers. `lacks`: probes that ask for what the peer does not have. */
const servers = [
  ...Object.entries(RELEASES).map(([release, facts]) => ({
    ...facts,
    program: (transport) => [at('theirs/sdk-1-server.js'), release, transport],
  })),
  {
    title: 'server-everything',
    version: '2025-11-25',
    transports: ['stdio', 'http', 'sse'],
    // Its long operations do not listen for cancellation.
    lacks: ['cancel'],
    probes: everythingProbes,
    // Of its form only this is required; the rest has defaults.
    answers: { ...answers, elicit: () => ({ name: 'Ann' }) },
    program: (transport) => (transport === 'stdio' ? [EVERYTHING, 'stdio'] : [at('theirs/everything-server.js'), transport]),
  },
  {
    title: 'fastmcp',
    version: '2025-11-25',
    transports: ['stdio', 'http'],
    lacks: [],
    probes: fastmcpProbes,
    program: (transport) => [at('theirs/fastmcp-server.js'), transport],
  },
  {
    title: 'tmcp',
    version: '2025-06-18',
    transports: ['stdio', 'http'],
    // Handlers are not told that their call was cancelled.
    lacks: ['cancel'],
    program: (transport) => [at('theirs/tmcp-server.js'), transport],
  },
]

function withTheirServer({ title, version, lacks, program, probes: own = probes, answers: given = answers }, transport) {
  return {
    peer: title,
    role: 'server',
    transport,
    version,
    lacks,
    probes: own,
    async meet(recording) {
      const args = program(transport)
      const running = transport === 'stdio' ? undefined : await startProgram(args)
      // That a server has only HTTP+SSE, the client finds out by itself.
      const target = running === undefined ? { command: process.execPath, args, stderr: 'ignore' } : running.url
      const options = {
        ...given,
        info: { name: 'parley-interop', version: '1.0.0' },
        tap: (direction, frame) => recording.add(1, direction === 'sent' ? 'ours' : 'theirs', frame),
      }
      try {
        const client = await connect(target, options)
        return { subject: client, close: () => client.close().finally(() => running?.stop()) }
      } catch (error) {
        await running?.stop()
        throw error
      }
    },
  }
}

/** How a client of the SDK gets to a server. */
const ways = {
  stdio: (sdk, { program, file }) =>
    new sdk.StdioClientTransport({ command: process.execPath, args: [program, 'stdio', file], env: { ...process.env }, stderr: 'ignore' }),
  http: (sdk, { url }) => new sdk.StreamableHTTPClientTransport(new URL(url)),
  sse: (sdk, { url }) => new sdk.SSEClientTransport(new URL('/sse', url)),
}

function withTheirClient({ title, version, lacks, notFound = -32002, makeClient }, transport) {
  return {
    peer: title,
    role: 'client',
    transport,
    version,
    lacks,
    notFound,
    probes: theirProbes,
    async meet(recording) {
      const folder = await mkdtemp(join(tmpdir(), 'parley-interop-'))
      const [program, file] = [at('ours/server.js'), join(folder, 'frames')]
      const running = transport === 'stdio' ? undefined : await startProgram([program, 'http', file])
      const capabilities = { sampling: {}, roots: {}, ...(!lacks.includes('elicitation') && { elicitation: {} }) }
      const subject = await makeClient(transport, capabilities)
      const { client, sdk } = subject
      const close = async () => {
        await client.close()
        await running?.stop()
        if (existsSync(file)) recording.addFile(file)
        await rm(folder, { recursive: true, force: true })
      }
      try {
        await client.connect(ways[transport](sdk, { program, file, url: running?.url }))
        return { subject, close }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

const clients = [...Object.keys(RELEASES).map(firstGeneration), SECOND]
const meetings = [
  ...clients.map((client) => client.transports.map((transport) => withTheirClient(client, transport))),
  ...servers.map((server) => server.transports.map((transport) => withTheirServer(server, transport))),
]

export const pairs = meetings.flat()

/** Every peer once, and every transport with some of them. */
export const fewPairs = meetings.map((overTransports, index) => overTransports[index % overTransports.length])
