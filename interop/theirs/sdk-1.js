/** The releases of the official SDK that were first to speak a version; their interfaces are alike. */

const LATER = 'came with 2025-06-18'
const TASKS = { tasks: 'came with 2025-11-25' }
const EARLY = { structured: LATER, elicitation: LATER, together: LATER, in_turn: LATER, ...TASKS }

/** 2024-11-05 came before Streamable HTTP. */
export const RELEASES = {
  'sdk-2024-11-05': { version: '2024-11-05', title: 'SDK 1.7.0', transports: ['stdio', 'sse'], lacks: EARLY },
  'sdk-2025-03-26': { version: '2025-03-26', title: 'SDK 1.12.1', transports: ['stdio', 'http', 'sse'], lacks: EARLY },
  'sdk-2025-06-18': { version: '2025-06-18', title: 'SDK 1.22.0', transports: ['stdio', 'http', 'sse'], lacks: TASKS },
  'sdk-2025-11-25': { version: '2025-11-25', title: 'SDK 1.32.2', transports: ['stdio', 'http', 'sse'], lacks: {} },
}

const MODULES = {
  client: 'client/index.js',
  server: 'server/index.js',
  types: 'types.js',
  stdioClient: 'client/stdio.js',
  stdioServer: 'server/stdio.js',
  sseClient: 'client/sse.js',
  sseServer: 'server/sse.js',
  httpClient: 'client/streamableHttp.js',
  httpServer: 'server/streamableHttp.js',
  tasks: 'experimental/tasks/index.js',
}

/** All exports of some modules of a release, in one object. */
export async function load(release, ...modules) {
  const loaded = await Promise.all(modules.map((name) => import(`${release}/${MODULES[name]}`)))
  return Object.assign({}, ...loaded)
}

export function firstGeneration(release) {
  return {
    ...RELEASES[release],
    async makeClient(transport, capabilities) {
      const sdk = await load(release, 'client', 'types', `${transport}Client`)
      const client = new sdk.Client({ name: release, version: '1.0.0' }, { capabilities })
      return { client, sdk, callTool: (params, options) => client.callTool(params, undefined, options) }
    },
  }
}
