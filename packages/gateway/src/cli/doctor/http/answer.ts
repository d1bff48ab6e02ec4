/**
 * The HTTP answer of an address to the first message of a client. Does not
 * follow redirects.
 */
import { newestHandshakeVersion } from 'parley-mcp'
import { withTimeLimit } from '../time-limit.ts'

const ANSWER_MS = 5000
const BODY_BYTES = 64 * 1024

export interface HttpAnswer {
  readonly status: number
  header(name: string): string | undefined
  /** The beginning of the body. */
  readonly body: string
  /** Whether `body` is complete. */
  readonly isWhole: boolean
}

export interface HttpQuestion {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

/** Undefined without an HTTP answer. `headers` go only to this address. */
export async function httpAnswer({ url, headers, signal }: HttpQuestion): Promise<HttpAnswer | undefined> {
  const params = {
    protocolVersion: newestHandshakeVersion,
    capabilities: {},
    clientInfo: { name: 'parley', version: '0' },
  }
  const fixed = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
  return await answerTo(url, signal, {
    method: 'POST',
    headers: { ...headers, ...fixed },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params }),
  })
}

/** Requests a page as a browser does, without credentials. */
export async function pageAt(url: URL, signal: AbortSignal): Promise<HttpAnswer | undefined> {
  return await answerTo(url, signal, { method: 'GET', headers: { accept: 'text/html' } })
}

async function answerTo(url: URL, signal: AbortSignal, request: RequestInit): Promise<HttpAnswer | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)])
  try {
    const response = await fetch(`${url.origin}${url.pathname}${url.search}`, {
      ...request,
      redirect: 'manual',
      signal: limit,
    })
    const { text, isWhole } = await beginning(response)
    return { status: response.status, header: (name) => response.headers.get(name) ?? undefined, body: text, isWhole }
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

async function beginning({ body }: Response): Promise<{ text: string; isWhole: boolean }> {
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  let text = ''
  while (reader !== undefined && text.length < BODY_BYTES) {
    const next = await withTimeLimit(ANSWER_MS, reader.read()).catch(() => 'late' as const)
    if (next === 'late') break
    if (next.done) return { text, isWhole: true }
    text += decoder.decode(next.value, { stream: true })
  }
  void reader?.cancel().catch(() => {})
  return { text, isWhole: reader === undefined }
}
