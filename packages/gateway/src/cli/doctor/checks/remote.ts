/** Checks the server at an address. If there is none, finds what is there instead. */
import { ParleyError } from 'parley-mcp'
import type { RemoteTarget } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { type SelectedServer, shown } from '../../arguments/selected-server.ts'
import { openClientWithNote } from '../../connection/connect.ts'
import { credentialsHint, hasHeaders } from '../../connection/hints.ts'
import type { CommandContext } from '../../terminal/io.ts'
import { oneLine } from '../../terminal/text.ts'
import { httpAnswer } from '../http/answer.ts'
import { type Cause, causeOf, redirectCause } from '../http/causes.ts'
import type { SubjectReport } from '../report/subject-report.ts'
import { addressChecks, speaksTls } from './address.ts'
import { otherAddress, otherTransport, usualAdvice } from './alternatives.ts'
import { conversationChecks } from './conversation.ts'
import { longerThan, versionsFix } from './fixes.ts'
import { gatewayServerChecks } from './gateway-servers.ts'

const LOOPBACK = /^(?:localhost|127\.[\d.]+|\[::1\])$/
const PLAIN: readonly string[] = ['http:', 'ws:', 'tcp:']
const GUESS_MS = 3000

export async function remoteChecks(
  report: SubjectReport,
  selected: SelectedServer,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const target = selected.target as RemoteTarget
  const url = new URL(target.url)
  const timeout = reachTimeout(selected)
  const passable = await addressChecks(report, url, { timeout: Math.min(timeout, 10_000), signal })
  signal.throwIfAborted()
  if (!passable) return
  if (PLAIN.includes(url.protocol) && !LOOPBACK.test(url.hostname) && hasHeaders(target)) {
    report.warning(
      'secrecy',
      'headers, which may contain keys, are sent unencrypted',
      `use ${url.protocol === 'ws:' ? 'wss' : 'https'}://`,
    )
  }
  const began = performance.now()
  try {
    const client = await openClientWithNote(selected, context, { signal })
    try {
      await conversationChecks(report, client, { connectedIn: performance.now() - began, signal })
      await gatewayServerChecks(report, client, signal)
      if (client.session.transport === 'sse') report.ok('transport', 'HTTP+SSE, the form before 2025-03-26')
    } finally {
      await client.close()
    }
  } catch (error) {
    signal.throwIfAborted()
    await refusal(report, error, selected, context, signal)
  }
}

/** How long the connection may take, in milliseconds. */
function reachTimeout({ options }: SelectedServer): number {
  return milliseconds(options.initialiseTimeout ?? '10s')
}

async function refusal(
  report: SubjectReport,
  error: unknown,
  selected: SelectedServer,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const { kind, data } = error instanceof ParleyError ? error : { kind: undefined, data: undefined }
  const status = typeof data?.['status'] === 'number' ? data['status'] : undefined
  const { message } = error as Error
  const detail = oneLine(message, 400)
  if (kind === 'unsupported_protocol_version') return report.problem('speaks', detail, versionsFix(selected))
  const cause = await httpCause(selected, signal)
  if (cause !== undefined) return report.problem(cause.check, cause.detail, cause.fix)
  const other = await otherTransport(selected, context, signal)
  if (other !== undefined) return report.problem('speaks', detail, other)
  if (kind === 'initialization_timeout')
    return report.problem(
      'speaks',
      detail,
      `is it an MCP server? If it is slow, give it more time: --timeout ${longerThan(reachTimeout(selected))}`,
    )
  if (kind === 'unauthorized') return report.problem('access', detail, credentialsHint(selected))
  if (kind === 'forbidden') return report.problem('access', detail, FORBIDDEN_FIX)
  // A Parley gateway names the server that failed.
  if (typeof data?.['server'] === 'string')
    return report.problem(
      'speaks',
      detail,
      'the gateway works, but the server behind it does not: check it on the machine of the gateway',
    )
  if (status !== undefined && status >= 500)
    return report.problem('speaks', detail, 'the server, or a proxy in front of it, has failed: see its log')
  if (/what came is not HTTP/.test(detail))
    return report.problem('speaks', detail, 'check the port: a program that is not a web server listens there')
  const found = await otherAddress(selected, message, context, signal)
  const fix =
    found === undefined
      ? usualAdvice(new URL((selected.target as RemoteTarget).url))
      : `there is a server at ${found}: use that address`
  report.problem('speaks', detail, fix)
}

const FORBIDDEN_FIX = 'the credentials do not suffice, or the server does not allow this host name: check both'

/** Finds the cause in the answer to a plain request, which says more than the error of an MCP client. */
async function httpCause(selected: SelectedServer, signal: AbortSignal): Promise<Cause | undefined> {
  const target = selected.target as RemoteTarget
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
      detail: `port ${url.port || 80} speaks TLS, but the address begins with http://`,
      fix: `use ${secure}`,
    }
  }
  if (answer === undefined) return undefined
  return causeOf(answer, { url, hasHeaders: hasHeaders(target) }) ?? (await redirectCause(answer, url, signal))
}
