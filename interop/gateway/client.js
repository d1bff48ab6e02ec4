/** A client of the official SDK that answers whatever it is asked, on its way to a server behind the gateway. */
import { MODEL_ANSWER, PLACE } from '../contract.js'

const FORMS = '2025-06-18'
const ADDRESSES = '2025-11-25'

function capabilitiesOf(version) {
  const elicitation = version >= ADDRESSES ? { form: {}, url: {} } : {}
  return { sampling: {}, roots: { listChanged: true }, ...(version >= FORMS && { elicitation }) }
}

/** How it gets there. */
const ways = {
  stdio: (sdk, { command, args }) =>
    new sdk.StdioClientTransport({ command, args, env: { ...process.env }, stderr: 'pipe' }),
  http: (sdk, { url, headers }) => new sdk.StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  // What it may be told to send goes with its posts only, and not with the request for the stream.
  sse: (sdk, { url }) => new sdk.SSEClientTransport(new URL(url)),
}

/**
 * `way` has what the transport needs. The peer's `elicit` is what answers the next questions for the user; a probe may
 * put its own in its place.
 */
export async function connectClient({ version, makeClient }, transport, way) {
  const peer = { version, complaints: '', ...(await makeClient(transport, capabilitiesOf(version))) }
  const { client, sdk } = peer
  client.setRequestHandler(sdk.CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: MODEL_ANSWER },
  }))
  client.setRequestHandler(sdk.ListRootsRequestSchema, () => ({ roots: [PLACE] }))
  if (version >= FORMS) client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => peer.elicit(params))
  const line = ways[transport](sdk, way)
  line.stderr?.on('data', (chunk) => {
    peer.complaints = `${peer.complaints}${chunk}`.slice(-2000)
  })
  try {
    await client.connect(line)
  } catch (error) {
    await client.close()
    throw new Error(`${error.message} ${peer.complaints}`.trim(), { cause: error })
  }
  return peer
}
