/** Who meets whom through the gateway, and over what. */
import { fileURLToPath } from 'node:url'
import { firstGeneration, RELEASES } from '../theirs/sdk-1.js'
import { MODERN_CLIENT, STATELESS } from '../theirs/sdk-2.js'

const at = (path) => fileURLToPath(new URL(path, import.meta.url))
const EVERYTHING = at('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js')

/**
 * Each has its own line to the gateway: by the network, which for 2024-11-05 is HTTP+SSE, or by `parley bridge` as a
 * child.
 */
const transportsOf = (version) => ['stdio', version === '2024-11-05' ? 'sse' : 'http']

export const clients = [...Object.keys(RELEASES).map(firstGeneration), { ...MODERN_CLIENT, title: 'SDK 2.4' }].map(
  ({ title, version, makeClient }) => ({
    title,
    version,
    makeClient,
    transports: transportsOf(version),
  }),
)

export const servers = [
  ...Object.entries(RELEASES).map(([release, { title, version }]) => ({
    title,
    version,
    program: (transport) => [at('../theirs/sdk-1-server.js'), release, transport],
  })),
  {
    title: 'SDK 2.4',
    version: STATELESS,
    program: (transport) => [at('../theirs/sdk-2-server.js'), 'modern', transport],
  },
  {
    title: 'server-everything',
    version: '2025-11-25',
    program: (transport) =>
      transport === 'stdio' ? [EVERYTHING, 'stdio'] : [at('../theirs/everything-server.js'), transport],
  },
].map((server) => ({ ...server, transports: transportsOf(server.version) }))

const every = servers.flatMap((server, row) =>
  clients.flatMap((client, column) =>
    server.transports.flatMap((upstream, i) =>
      client.transports.map((downstream, j) => ({
        client,
        server,
        upstream,
        downstream,
        isFew: i === row % 2 && j === (column + (row >> 1)) % 2,
      })),
    ),
  ),
)

/**
 * Names are what the configuration calls the server of a pair: each pair has one for itself. Every second bridge is
 * told where to go without it.
 */
export const pairs = every.map((pair, index) => ({
  ...pair,
  name: `pair-${index + 1}`,
  isConfigured: (index >> 1) % 2 === 0,
}))

/** Every two versions once, and every way to the gateway and from it. */
export const fewPairs = pairs.filter(({ isFew }) => isFew)
