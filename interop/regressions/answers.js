/** What the servers of the regressions answer, without any library, in the handshake era or in 2026-07-28. */

const HANDSHAKE = ['2025-06-18', '2025-03-26', '2024-11-05']
const STATELESS = '2026-07-28'
const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const INFO_KEY = 'io.modelcontextprotocol/serverInfo'
const INFO = { name: 'regression', version: '1.0.0' }

const TOOLS = [
  {
    name: 'echo',
    description: 'Says it again',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  { name: 'count', description: 'How often it was called', inputSchema: { type: 'object', properties: {} } },
]
const text = (words) => ({ content: [{ type: 'text', text: String(words) }] })

let calls = 0
function call({ name, arguments: given }) {
  if (name === 'echo') return { result: text(given.text) }
  if (name === 'count') return { result: text(++calls) }
  return { error: { code: -32602, message: `Unknown tool: ${name}` } }
}

const methodNotFound = (method) => ({ error: { code: -32601, message: `Method not found: ${method}` } })

const handshakeAnswers = {
  initialize: ({ protocolVersion }) => ({
    result: {
      protocolVersion: HANDSHAKE.includes(protocolVersion) ? protocolVersion : HANDSHAKE[0],
      capabilities: { tools: {} },
      serverInfo: INFO,
    },
  }),
  ping: () => ({ result: {} }),
  'tools/list': () => ({ result: { tools: TOOLS } }),
  'tools/call': call,
}

/** The answer to a request of the handshake era. */
export function handshakeAnswer({ id, method, params = {} }) {
  const answer = handshakeAnswers[method]?.(params) ?? methodNotFound(method)
  return { jsonrpc: '2.0', id, ...answer }
}

const LASTING = { ttlMs: 0, cacheScope: 'private' }
const statelessAnswers = {
  'server/discover': () => ({
    result: { supportedVersions: [STATELESS], capabilities: { tools: {} }, ...LASTING, _meta: { [INFO_KEY]: INFO } },
  }),
  'tools/list': () => ({ result: { tools: TOOLS, ...LASTING } }),
  'tools/call': call,
}

/** The answer of a server that knows 2026-07-28 and nothing else. */
export function statelessAnswer({ id, method, params = {} }) {
  const requested = params._meta?.[VERSION_KEY] ?? params.protocolVersion
  if (requested !== STATELESS) {
    const data = { supported: [STATELESS], requested: String(requested) }
    return { jsonrpc: '2.0', id, error: { code: -32022, message: 'Unsupported protocol version', data } }
  }
  const { result, error } = statelessAnswers[method]?.(params) ?? methodNotFound(method)
  return {
    jsonrpc: '2.0',
    id,
    ...(error === undefined ? { result: { resultType: 'complete', ...result } } : { error }),
  }
}
