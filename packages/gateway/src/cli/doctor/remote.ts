/** Whether there is a server at an address, and if not, what is there instead. */
import { ParleyError } from 'parley-mcp'
import type { RemoteTarget } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { open, openPatiently, type Surroundings } from '../connecting.ts'
import { credentialsHint, hasHeaders } from '../credentials.ts'
import { type Aim, shown, withTarget } from '../target.ts'
import { oneLine } from '../text.ts'
import { addressChecks, speaksTls } from './address.ts'
import { behindChecks } from './behind.ts'
import type { Findings } from './check.ts'
import { conversationChecks } from './conversation.ts'
import { candidates, usualAdvice } from './elsewhere.ts'
import { httpAnswer } from './http-answer.ts'
import { type Cause, causeOf } from './http-causes.ts'
import { longerThan } from './longer.ts'
import { otherTransport } from './other-transport.ts'
import { redirectCause } from './redirect.ts'
import { versionsFix } from './versions-fix.ts'

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/
const PLAIN: readonly string[] = ['http:', 'ws:', 'tcp:']
const GUESS_MS = 3000

export async function remoteChecks(
  findings: Findings,
  aim: Aim,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const target = aim.target as RemoteTarget
  const url = new URL(target.url)
  const timeout = patience(aim)
  const passable = await addressChecks(findings, url, { timeout: Math.min(timeout, 10_000), signal })
  signal.throwIfAborted()
  if (!passable) return
  if (PLAIN.includes(url.protocol) && !LOOPBACK.test(url.hostname) && hasHeaders(target)) {
    findings.warning(
      'secrecy',
      'headers, and with them keys, travel unencrypted',
      `use ${url.protocol === 'ws:' ? 'wss' : 'https'}://`,
    )
  }
  const began = performance.now()
  try {
    const client = await openPatiently(aim, surroundings, { signal })
    try {
      await conversationChecks(findings, client, { connectedIn: performance.now() - began, signal })
      await behindChecks(findings, client, signal)
      if (client.session.transport === 'sse') findings.ok('transport', 'HTTP+SSE, the form before 2025-03-26')
    } finally {
      await client.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    await refusal(findings, error, aim, surroundings, signal)
  }
}

/** How long it may take to be reached, in milliseconds. */
function patience({ options }: Aim): number {
  return milliseconds(options.initialiseTimeout ?? '10s')
}

async function refusal(
  findings: Findings,
  error: unknown,
  aim: Aim,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const { kind, data } = error instanceof ParleyError ? error : { kind: undefined, data: undefined }
  const status = typeof data?.['status'] === 'number' ? data['status'] : undefined
  const { message } = error as Error
  const detail = oneLine(message, 400)
  if (kind === 'unsupported_protocol_version') return findings.problem('speaks', detail, versionsFix(aim))
  const cause = await httpCause(aim, signal)
  if (cause !== undefined) return findings.problem(cause.check, cause.detail, cause.fix)
  const other = await otherTransport(aim, surroundings, signal)
  if (other !== undefined) return findings.problem('speaks', detail, other)
  if (kind === 'initialization_timeout')
    return findings.problem(
      'speaks',
      detail,
      `is it an MCP server? If it is slow, give it longer: --timeout ${longerThan(patience(aim))}`,
    )
  if (kind === 'unauthorized') return findings.problem('access', detail, credentialsHint(aim))
  if (kind === 'forbidden') return findings.problem('access', detail, FORBIDDEN_FIX)
  // Gateways of this kind say whom they speak of.
  if (typeof data?.['server'] === 'string')
    return findings.problem(
      'speaks',
      detail,
      'the gateway is there, the server behind it is not: look at it where the gateway runs',
    )
  if (status !== undefined && status >= 500)
    return findings.problem('speaks', detail, 'the server, or a proxy in front of it, is broken: see its log')
  if (/what came is not HTTP/.test(detail))
    return findings.problem('speaks', detail, 'check the port: another program than a web server listens there')
  const found = await elsewhere(aim, message, surroundings, signal)
  const fix =
    found === undefined
      ? usualAdvice(new URL((aim.target as RemoteTarget).url))
      : `there is a server at ${found}: use that address`
  findings.problem('speaks', detail, fix)
}

const FORBIDDEN_FIX =
  'the credentials are not enough, or the server does not know the name it is called by: check its allowed hosts'

/** What the address answers to a plain request says more than the error of a client that expected MCP. */
async function httpCause(aim: Aim, signal: AbortSignal): Promise<Cause | undefined> {
  const target = aim.target as RemoteTarget
  const url = new URL(target.url)
  if (!url.protocol.startsWith('http')) return undefined
  const headers = typeof target.headers === 'object' ? (target.headers as Record<string, string>) : {}
  const answer = await httpAnswer({ url, headers, signal })
  if (
    url.protocol === 'http:' &&
    (answer === undefined || answer.status === 400) &&
    (await speaksTls(url, { timeout: GUESS_MS, signal }))
  ) {
    const secure = shown(new URL(url.href.replace(/^http:/, 'https:')))
    return {
      check: 'speaks',
      detail: `port ${url.port || 80} speaks TLS, and the address begins with http://`,
      fix: `use ${secure}`,
    }
  }
  if (answer === undefined) return undefined
  return causeOf(answer, { url, hasHeaders: hasHeaders(target) }) ?? (await redirectCause(answer, url, signal))
}

/** The first of the likely addresses at which a server answers. */
async function elsewhere(
  aim: Aim,
  said: string,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url: given, transport: _, ...rest } = aim.target as RemoteTarget
  for (const url of candidates(new URL(given), said)) {
    try {
      const client = await open(withTarget(aim, { ...rest, url }), surroundings, {
        signal,
        initialiseTimeout: GUESS_MS,
      })
      await client.close()
      return shown(url)
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}
