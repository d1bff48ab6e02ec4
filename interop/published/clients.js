/** The published clients that meet every server, and how each of them gets there. */
import { firstGeneration } from '../theirs/sdk-1.js'
import { MODERN_CLIENT } from '../theirs/sdk-2.js'
import { within } from '../within.js'

const PATIENCE = 30_000

/** `network`: how it gets to the gateway's port. */
export const CLIENTS = [
  { ...firstGeneration('sdk-2024-11-05'), network: 'sse', path: 'sse' },
  { ...firstGeneration('sdk-2025-11-25'), network: 'http', path: 'mcp' },
  { ...MODERN_CLIENT, title: 'SDK 2.4', network: 'http', path: 'mcp' },
]

/** Programs that clients start get nothing of this environment. */
const ENVIRONMENT = { PATH: process.env.PATH }

const TRANSPORTS = {
  stdio: (sdk, { command, args }) => new sdk.StdioClientTransport({ command, args, env: ENVIRONMENT, stderr: 'pipe' }),
  http: (sdk, { url }) => new sdk.StreamableHTTPClientTransport(new URL(url)),
  sse: (sdk, { url }) => new sdk.SSEClientTransport(new URL(url)),
}

/** Connects, lets `work` have the peer, and closes. `said()`: what a started program wrote to its standard error. */
export async function visit({ makeClient }, transport, target, work) {
  const { client, sdk, callTool } = await makeClient(transport, {})
  const connection = TRANSPORTS[transport](sdk, target)
  let said = ''
  connection.stderr?.on('data', (chunk) => {
    said = `${said}${chunk}`.slice(-20_000)
  })
  try {
    await within(PATIENCE, client.connect(connection))
    return await work({ client, callTool, said: () => said })
  } catch (error) {
    throw new Error(`${error.message}${said === '' ? '' : ` | ${said.trim().split('\n').at(-1)}`}`, { cause: error })
  } finally {
    await client.close().catch(() => {})
  }
}
