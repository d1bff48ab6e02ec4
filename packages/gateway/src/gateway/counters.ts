/** Counts events of all sessions, and logs what translation loses (X2, O). */
import { type ErrorKind, type Loss, ParleyError } from 'parley-mcp'
import { type ByteBudget, DEFINITION_RULE, type SessionEvent } from 'parley-mcp/engine'
import type { Counter, Metrics } from '../http/index.ts'
import type { Refused } from '../limits/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Upstream } from '../upstream/index.ts'
import { LastLosses } from './last-losses.ts'
import { serverState } from './server-state.ts'

/** The same text is logged once in this time. Each event is counted. */
const REPEAT_AFTER_MS = 60_000
const MAX_REMEMBERED_TEXTS = 1000

/** Ends of sessions and requests that are no failures. */
const DEPARTURES: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'session_closed',
  'session_lost',
  'connection_closed',
  'request_cancelled',
  'shutting_down',
])

export class GatewayCounters {
  readonly #log: GatewayLog
  readonly #losses: Counter
  readonly #negotiated: Counter
  readonly #ignored: Counter
  readonly #errors: Counter
  readonly #serverErrors: Counter
  readonly #refused: Counter
  readonly #loggedAt = new Map<string, number>()
  readonly #lastLosses = new LastLosses()

  constructor(
    metrics: Metrics,
    log: GatewayLog,
    upstreams: () => readonly Upstream[],
    sessions: () => number,
    memory: ByteBudget,
  ) {
    this.#log = log
    this.#losses = metrics.counter(
      'parley_translation_losses_total',
      'What translation between versions could not carry over, by rule',
      ['server', 'rule', 'severity'],
    )
    this.#negotiated = metrics.counter(
      'parley_versions_negotiated_total',
      'Sessions by the protocol version they agreed on',
      ['server', 'version'],
    )
    this.#ignored = metrics.counter(
      'parley_messages_ignored_total',
      'Messages of peers that had no place in the conversation',
      ['server', 'what'],
    )
    this.#errors = metrics.counter('parley_internal_errors_total', 'What failed in the gateway itself', ['server'])
    this.#serverErrors = metrics.counter(
      'parley_server_errors_total',
      'Requests that a server answered with an error, or did not answer',
      ['server', 'code'],
    )
    this.#refused = metrics.counter('parley_requests_refused_total', 'Requests that a rate limit refused', [
      'server',
      'reason',
    ])
    metrics.gauge('parley_client_sessions', 'Sessions clients have with the gateway', [], (gauge) =>
      gauge.set(sessions()),
    )
    metrics.gauge('parley_kept_bytes', 'Bytes that are kept because of clients', [], (gauge) => gauge.set(memory.used))
    metrics.gauge('parley_kept_bytes_limit', 'The most bytes that may be kept because of clients', [], (gauge) =>
      gauge.set(memory.limit),
    )
    metrics.gauge('parley_server_up', 'Whether a server can be used', ['server'], (gauge) => {
      for (const upstream of upstreams()) gauge.set(serverState(upstream).ready ? 1 : 0, { server: upstream.name })
    })
    metrics.gauge('parley_server_sessions', 'Sessions the gateway has with a server', ['server'], (gauge) => {
      for (const upstream of upstreams()) gauge.set(upstream.status().sessions, { server: upstream.name })
    })
    metrics.gauge('parley_server_restarts', 'How often a server was started again', ['server'], (gauge) => {
      for (const upstream of upstreams()) gauge.set(upstream.status().restarts, { server: upstream.name })
    })
    metrics.gauge('parley_requests_running', 'Requests a server works on', ['server'], (gauge) => {
      for (const upstream of upstreams()) gauge.set(upstream.bulkhead.stats().running, { server: upstream.name })
    })
    metrics.gauge('parley_requests_queued', 'Requests that wait for their turn', ['server'], (gauge) => {
      for (const upstream of upstreams()) gauge.set(upstream.bulkhead.stats().queued, { server: upstream.name })
    })
  }

  count(event: SessionEvent, server: string): void {
    switch (event.type) {
      case 'loss':
        return this.#lose(event.loss, server)
      case 'negotiated':
        return this.#negotiated.add({ server, version: event.version })
      case 'ignored':
        this.#ignored.add({ server, what: event.what })
        if (!this.#isDue(`${server} ${event.what}`)) return
        return this.#log.debug(`${server}: ignored ${event.what}: ${event.detail}`, { server })
      case 'error': {
        const text = `${server}: ${event.during}: ${event.error instanceof Error ? event.error.message : String(event.error)}`
        // Clients and servers may leave at any time.
        if (event.error instanceof ParleyError && DEPARTURES.has(event.error.kind))
          return this.#log.debug(text, { server })
        if (event.error instanceof ParleyError && !isOwn(event.error))
          return this.#answered(event.error, event.during, text, server)
        this.#errors.add({ server })
        return this.#log.error(text, { server })
      }
      default:
    }
  }

  /**
   * An error of a server is no failure of the gateway. Logged once a minute for each kind.
   */
  #answered({ kind, code }: ParleyError, during: string, text: string, server: string): void {
    this.#serverErrors.add({ server, code: isReserved(code) ? String(code) : 'other' })
    if (this.#isDue(`${server} ${during} ${kind}`)) this.#log.info(text, { server, code })
  }

  /** Logged once a minute, because refused clients often try again at once. */
  refuse({ server, reason, whom, limit }: Refused): void {
    this.#refused.add({ server, reason })
    if (!this.#isDue(`${server} ${reason} ${whom}`)) return
    this.#log.warning(`${server}: ${whom} made more requests than allowed, and some are refused (${limit})`, {
      server,
      reason,
    })
  }

  #lose(loss: Loss, server: string): void {
    const { rule, severity, method, path, detail } = loss
    const last = this.#lastLosses.find(loss, server)
    if (last !== undefined && Date.now() - last.saidAt < REPEAT_AFTER_MS) return last.count()
    const count = this.#losses.each({ server, rule, severity })
    count()
    const sentence = `${server}: ${method} lost something on its way: ${detail} (${rule}${path === '' ? '' : `, ${path}`})`
    this.#logLoss(sentence, { server, rule, lossSeverity: severity, method, path })
    this.#lastLosses.keep({ loss, count, saidAt: this.#loggedAt.get(sentence) ?? 0 }, server)
  }

  #isDue(key: string): boolean {
    const now = Date.now()
    const last = this.#loggedAt.get(key)
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return false
    if (this.#loggedAt.size >= MAX_REMEMBERED_TEXTS) this.#loggedAt.clear()
    this.#loggedAt.set(key, now)
    return true
  }

  #logLoss(sentence: string, facts: Record<string, unknown>): void {
    if (!this.#isDue(sentence)) return
    // The reader of the list has logged the problem of the definition.
    if (facts['lossSeverity'] === 'i' || facts['rule'] === DEFINITION_RULE) this.#log.debug(sentence, facts)
    else this.#log.warning(sentence, facts)
  }
}

/**
 * Whether JSON-RPC or MCP define the code. Servers may use any other, and each would become a series of the metric.
 */
function isReserved(code: number): boolean {
  return code >= -32768 && code <= -32000
}

/** Whether the error arose in the gateway itself, and no server or client caused it. */
function isOwn({ kind, receivedCode, data }: ParleyError): boolean {
  return (
    receivedCode === undefined &&
    data?.['server'] === undefined &&
    (kind === 'internal_error' || kind === 'translation_failed')
  )
}
