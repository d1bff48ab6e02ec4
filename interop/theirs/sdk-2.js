/** The official SDK of the second generation as a client, which is told in which era to look for its server. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { theirProbes } from '../probes/their-client.js'
import { theirStatelessProbes } from '../probes/their-stateless-client.js'

/** Here messages go by their method, which its first generation had schemas for. */
const sdk = {
  StdioClientTransport,
  StreamableHTTPClientTransport,
  CreateMessageRequestSchema: 'sampling/createMessage',
  ElicitRequestSchema: 'elicitation/create',
  ListRootsRequestSchema: 'roots/list',
  ResourceUpdatedNotificationSchema: 'notifications/resources/updated',
  ToolListChangedNotificationSchema: 'notifications/tools/list_changed',
  ResourceListChangedNotificationSchema: 'notifications/resources/list_changed',
  LoggingMessageNotificationSchema: 'notifications/message',
}

export const STATELESS = '2026-07-28'
export const HANDSHAKE = '2025-11-25'

const NO_TASKS = { tasks: 'it has no tasks, in neither era' }

/** `legacy` is what it does unless told otherwise. */
const MODES = { modern: { pin: STATELESS }, auto: 'auto', legacy: 'legacy' }

/**
 * What becomes of each mode, and of each choice of Parley's server what versions to speak: the version they find, or
 * undefined where there is none. In handshakes it does not offer the newest version, and pinned to that it offers no
 * other.
 */
const MEETINGS = {
  modern: { all: STATELESS, stateless: STATELESS, handshake: undefined, replay: STATELESS },
  auto: { all: STATELESS, stateless: STATELESS, handshake: HANDSHAKE },
  legacy: { all: HANDSHAKE, stateless: undefined, handshake: HANDSHAKE },
}

const second = (mode, spoken) => ({
  title: `SDK 2.4 ${mode}`,
  spoken,
  version: MEETINGS[mode][spoken],
  transports: ['stdio', 'http'],
  lacks: NO_TASKS,
  /** It gives errors the codes they have in the newest protocol, whatever came over the wire. */
  notFound: -32602,
  probes: MEETINGS[mode][spoken] === STATELESS ? theirStatelessProbes : theirProbes,
  async makeClient(_, capabilities) {
    const client = new Client(
      { name: 'sdk-2', version: '1.0.0' },
      { capabilities, versionNegotiation: { mode: MODES[mode] } },
    )
    return { client, sdk, callTool: (params, options) => client.callTool(params, options) }
  },
})

export const MODERN_CLIENT = second('modern', 'all')

export const SECOND_CLIENTS = Object.entries(MEETINGS).flatMap(([mode, found]) =>
  Object.keys(found).map((spoken) => second(mode, spoken)),
)

const SESSIONLESS =
  'without settings its HTTP handler answers each request of the handshake era on a server of its own, which nothing else can reach'

/**
 * Its server, in the postures of `sdk-2-serve.js`, and what Parley's client finds there with all versions, the
 * stateless one, or those before.
 */
export const SECOND_SERVERS = [
  {
    posture: 'modern',
    found: { all: STATELESS, stateless: STATELESS, handshake: undefined },
    transports: ['stdio', 'http'],
    lacks: NO_TASKS,
  },
  {
    posture: 'dual',
    found: { all: STATELESS, stateless: STATELESS, handshake: HANDSHAKE },
    transports: ['stdio', 'http'],
    lacks: NO_TASKS,
  },
  {
    posture: 'legacy',
    found: { all: HANDSHAKE, stateless: undefined },
    transports: ['stdio', 'http'],
    lacks: NO_TASKS,
  },
  // Who does not wait for an answer to its first question asks for a handshake as well, which then decides for all of
  // the connection.
  { posture: 'modern', found: { hasty: STATELESS }, transports: ['stdio'], lacks: NO_TASKS },
  { posture: 'dual', found: { hasty: HANDSHAKE }, transports: ['stdio'], lacks: NO_TASKS },
  {
    posture: 'plain',
    found: { handshake: HANDSHAKE },
    transports: ['http'],
    lacks: {
      ...NO_TASKS,
      ...Object.fromEntries(
        ['cancel', 'subscribe', 'list_changed', 'sampling', 'elicitation', 'roots', 'together', 'in_turn'].map(
          (probe) => [probe, SESSIONLESS],
        ),
      ),
    },
  },
]
