/** Whether there is a server at an address, and if not, what is there instead. */
import { ParleyError } from 'parley-mcp'
import type { RemoteTarget } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { open, type Surroundings } from '../connecting.ts'
import { type Aim, shown, withTarget } from '../target.ts'
import { oneLine } from '../text.ts'
import { addressChecks } from './address.ts'
import { behindChecks } from './behind.ts'
import type { Findings } from './check.ts'
import { conversationChecks } from './conversation.ts'

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/
const PLAIN: readonly string[] = ['http:', 'ws:', 'tcp:']
/** Where servers usually are. */
const USUAL_PATHS = ['/mcp', '/sse', '/mcp/sse', '/']
const GUESS_MS = 3000

export async function remoteChecks(findings: Findings, aim: Aim, surroundings: Surroundings, signal: AbortSignal): Promise<void> {
  const target = aim.target as RemoteTarget
  const url = new URL(target.url)
  const timeout = milliseconds(aim.options.initialiseTimeout ?? '10s')
  if (!(await addressChecks(findings, url, Math.min(timeout, 10_000)))) return
  if (PLAIN.includes(url.protocol) && !LOOPBACK.test(url.hostname) && hasHeaders(target)) {
    findings.warning('secrecy', 'headers, and with them keys, travel unencrypted', `use ${url.protocol === 'ws:' ? 'wss' : 'https'}://`)
  }
  const began = performance.now()
  try {
    const client = await open(aim, surroundings, { signal })
    try {
      await conversationChecks(findings, client, performance.now() - began)
      await behindChecks(findings, client)
      if (client.session.transport === 'sse') findings.ok('transport', 'HTTP+SSE, the form before 2025-03-26')
    } finally {
      await client.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    await refusal(findings, error, aim, surroundings, signal)
  }
}

function hasHeaders({ headers }: RemoteTarget): boolean {
  return typeof headers === 'object' && Object.keys(headers).length > 0
}

async function refusal(findings: Findings, error: unknown, aim: Aim, surroundings: Surroundings, signal: AbortSignal): Promise<void> {
  const { kind, data } = error instanceof ParleyError ? error : { kind: undefined, data: undefined }
  const status = typeof data?.['status'] === 'number' ? data['status'] : undefined
  const detail = oneLine((error as Error).message, 400)
  if (kind === 'unauthorized') return unauthorized(findings, aim, detail, data?.['wwwAuthenticate'])
  if (kind === 'forbidden')
    return findings.problem('access', detail, 'the credentials are not enough, or the server does not know the name it is called by: check its allowed hosts')
  if (kind === 'rate_limited') return findings.problem('speaks', detail, 'wait, and try again')
  if (kind === 'initialization_timeout') return findings.problem('speaks', detail, 'is it an MCP server? If it is slow, give it longer: --timeout 1m')
  if (kind === 'unsupported_protocol_version')
    return findings.problem('speaks', detail, 'let it speak another version: remove "versions" from the configuration')
  if (status !== undefined && status >= 500) return findings.problem('speaks', detail, 'the server, or a proxy in front of it, is broken: see its log')
  if (status !== undefined && status >= 300 && status < 400) return findings.problem('speaks', detail, 'the address leads elsewhere: use the one it leads to')
  const found = await elsewhere(aim, surroundings, signal)
  const fix = found === undefined ? 'check the path of the address: servers are usually at /mcp or /sse' : `there is a server at ${found}: use that address`
  findings.problem('speaks', detail, fix)
}

function unauthorized(findings: Findings, { target }: Aim, detail: string, challenge: unknown): void {
  const asked = typeof challenge === 'string' ? `; it asks for: ${oneLine(challenge, 300)}` : ''
  const fix = hasHeaders(target as RemoteTarget)
    ? 'the credentials that were given are not taken: get new ones'
    : `give credentials: --header 'Authorization: Bearer …', or "headers" in the configuration`
  findings.problem('access', `${detail}${asked}`, fix)
}

/** The first of the usual paths at which a server answers. */
async function elsewhere(aim: Aim, surroundings: Surroundings, signal: AbortSignal): Promise<string | undefined> {
  const { url: given, transport: _, ...rest } = aim.target as RemoteTarget
  const asked = new URL(given)
  if (!asked.protocol.startsWith('http')) return undefined
  for (const path of USUAL_PATHS.filter((each) => each !== asked.pathname)) {
    const url = new URL(path, asked)
    try {
      const client = await open(withTarget(aim, { ...rest, url }), surroundings, { signal, initialiseTimeout: GUESS_MS })
      await client.close()
      return shown(url)
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}
