/** Who meets whom over what. */
import { fileURLToPath } from 'node:url'
import { withTheirClient, withTheirServer } from './meetings.js'
import { everythingProbes } from './probes/everything.js'
import { fastmcpProbes } from './probes/fastmcp.js'
import { answers, probes } from './probes/our-client.js'
import { statelessProbes } from './probes/our-stateless-client.js'
import { firstGeneration, RELEASES } from './theirs/sdk-1.js'
import { SECOND_CLIENTS, SECOND_SERVERS, STATELESS } from './theirs/sdk-2.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const EVERYTHING = at('../node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/** Published servers. `lacks`: why a probe cannot be made with this peer. */
const servers = [
  ...Object.entries(RELEASES).map(([release, facts]) => ({
    ...facts,
    notFound: { receivedCode: -32002 },
    program: (transport) => [at('theirs/sdk-1-server.js'), release, transport],
  })),
  ...SECOND_SERVERS.flatMap(({ posture, found, ...facts }) =>
    Object.entries(found).map(([spoken, version]) => ({
      ...facts,
      title: `SDK 2.4 ${posture}`,
      spoken,
      version,
      probes: version === STATELESS ? statelessProbes : probes,
      notFound: { receivedCode: -32602 },
      program: (transport) => [at('theirs/sdk-2-server.js'), posture, transport],
    })),
  ),
  {
    title: 'server-everything',
    version: '2025-11-25',
    transports: ['stdio', 'http', 'sse'],
    lacks: {
      cancel: 'its long operations do not listen for cancellation',
      together: 'its tools ask one question at a time',
      in_turn: 'its tools ask one question each',
      header: 'it has no such tool',
    },
    probes: everythingProbes,
    // Of its form only this is required; the rest has defaults.
    answers: { ...answers, elicit: () => ({ name: 'Ann' }) },
    program: (transport) =>
      transport === 'stdio' ? [EVERYTHING, 'stdio'] : [at('theirs/everything-server.js'), transport],
  },
  {
    title: 'fastmcp',
    version: '2025-11-25',
    transports: ['stdio', 'http'],
    lacks: { tasks: 'it has no tasks' },
    probes: fastmcpProbes,
    program: (transport) => [at('theirs/fastmcp-server.js'), transport],
  },
  ...Object.entries({ all: STATELESS, handshake: '2025-06-18' }).map(([spoken, version]) => ({
    title: 'tmcp',
    spoken,
    version,
    transports: ['stdio', 'http'],
    lacks: {
      cancel: 'handlers are not told that their call was cancelled',
      tasks: 'it has no tasks',
      ...(version === STATELESS && { roots: 'it does not ask for them in the stateless era' }),
    },
    probes: version === STATELESS ? statelessProbes : probes,
    program: (transport) => [at('theirs/tmcp-server.js'), transport],
  })),
]

const clients = [...Object.keys(RELEASES).map(firstGeneration), ...SECOND_CLIENTS]
const meetings = [
  ...clients.map((client) => client.transports.map((transport) => withTheirClient(client, transport))),
  ...servers.map((server) => server.transports.map((transport) => withTheirServer(server, transport))),
]

export const pairs = meetings.flat()

/** Every kind of pair once, and every transport with some of them. */
export const fewPairs = meetings.map((overTransports, index) => overTransports[index % overTransports.length])
