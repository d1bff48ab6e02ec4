/** Requests written by hand, as a client that may do anything sends them. */
const NAMES = 'io.modelcontextprotocol/'

export interface RawAnswer {
  readonly status: number
  /** The last message of the answer. */
  readonly body: RawBody
  readonly session: string | undefined
}

export interface RawBody {
  readonly id?: unknown
  readonly result?: Record<string, unknown> & {
    readonly content?: readonly { readonly text: string }[]
    readonly isError?: boolean
  }
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Record<string, unknown> }
}

export interface RawOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly capabilities?: Record<string, unknown>
  readonly id?: unknown
  readonly signal?: AbortSignal
}

/** One request of 2026-07-28. */
export function modern(
  url: string,
  method: string,
  params: Record<string, unknown> = {},
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { id = 1, capabilities = {} } = options
  const _meta = {
    [`${NAMES}protocolVersion`]: '2026-07-28',
    [`${NAMES}clientInfo`]: { name: 'raw', version: '1' },
    [`${NAMES}clientCapabilities`]: capabilities,
  }
  const name = params['name'] ?? params['uri']
  const headers = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    ...options.headers,
  }
  return post(url, JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }), {
    ...options,
    headers,
  })
}

export async function post(url: string, text: string, { headers = {}, signal }: RawOptions = {}): Promise<RawAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: text,
    ...(signal && { signal }),
  })
  const answer = await response.text()
  const last =
    answer.startsWith('{') || answer === ''
      ? answer
      : (answer.match(/^data: ?(\{.*)$/gm)?.at(-1) ?? '').replace(/^data: ?/, '')
  return {
    status: response.status,
    body: last === '' ? {} : (JSON.parse(last) as RawBody),
    session: response.headers.get('mcp-session-id') ?? undefined,
  }
}

export interface RawSession {
  request(method: string, params?: Record<string, unknown>, options?: RawOptions): Promise<RawAnswer>
  readonly id: string
}

/** A session of the handshake era. */
export async function shakeHands(url: string, version = '2025-06-18'): Promise<RawSession> {
  const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
  const { session, body } = await post(
    url,
    JSON.stringify({ jsonrpc: '2.0', id: 'hello', method: 'initialize', params }),
  )
  if (session === undefined) throw new Error(`No session: ${JSON.stringify(body)}`)
  const headers = { 'mcp-session-id': session, 'mcp-protocol-version': version }
  await post(url, JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }), { headers })
  return {
    id: session,
    request: (method, given = {}, { id = 1, ...options } = {}) =>
      post(url, JSON.stringify({ jsonrpc: '2.0', id, method, params: given }), {
        ...options,
        headers: { ...headers, ...options.headers },
      }),
  }
}
