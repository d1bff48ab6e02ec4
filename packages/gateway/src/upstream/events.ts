/** Logs the events of one server. A new failure is logged in full, and a repeated one in a few words. */
import type { Clock } from 'parley-mcp/engine'
import type { CommandTarget, RemoteTarget } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { type UpstreamEvent, withoutName, withoutPath } from '../supervision/index.ts'

/** Hints for the operator. */
export interface Help {
  /** How to give credentials to the server. */
  readonly credentials?: string | undefined
  /** The command that finds out more about a failure. */
  readonly doctor?: string | undefined
}

export interface EventLogOptions {
  readonly log: GatewayLog
  readonly clock: Clock
  readonly target: CommandTarget | RemoteTarget
  readonly help: Help | undefined
  /** Whether the operator sees the standard error of the process next to the log. Default: false. */
  readonly showsStderr?: boolean
}

type Failure = Extract<UpstreamEvent, { type: 'ended' | 'start_failed' }>

/** After these states, the log says that the server runs again. */
const FAILED_STATES: ReadonlySet<string> = new Set(['restarting', 'down'])
/** A failure that comes again after so many milliseconds is logged in full. */
const REPEAT_MS = 600_000
const MAX_EXCERPT_LENGTH = 120

export class EventLog {
  readonly #options: EventLogOptions
  #last: { readonly text: string; readonly at: number } | undefined

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  log(event: UpstreamEvent): void {
    const { log } = this.#options
    const { upstream: name } = event
    const facts = { server: name, event: event.type }
    switch (event.type) {
      case 'stderr':
        return log.debug(`${name} says: ${event.line}`, facts)
      case 'started':
        return log.debug(
          `${name}: ${event.restart ? 'started again' : 'started'}${event.pid === undefined ? '' : ` (process ${event.pid})`}`,
          facts,
        )
      case 'ended':
        return event.abnormal ? this.#logFailure(event) : log.debug(`${name}: ended`, facts)
      case 'start_failed':
        return this.#logFailure(event)
      case 'stray':
        return log.warning(
          `${name}: writes to standard output what is no message: ${excerpt(event.line)}; it must log to standard error`,
          facts,
        )
      case 'given_up':
        return log.error(
          `${name}: ${event.silent ? 'does not answer' : 'ended too often'}, left alone until ${new Date(event.until).toISOString()}`,
          facts,
        )
      case 'unwatched':
        return log.warning(event.warning, facts)
      case 'state':
        if (event.to === 'running' && FAILED_STATES.has(event.from)) return log.info(`${name}: runs again`, facts)
        return log.debug(`${name}: ${event.from} → ${event.to}`, facts)
    }
  }

  #logFailure(event: Failure): void {
    const { log, clock, help, showsStderr } = this.#options
    const { upstream: name, error, nextAttemptAt } = event
    const facts = { server: name, event: event.type }
    const lines = event.type === 'ended' ? event.lines : []
    const summary = this.#summaryOf(event)
    const text = [summary, ...lines].join('\n')
    const { last, now } = { last: this.#last, now: clock.now() }
    this.#last = { text, at: now }
    if (last?.text === text && now - last.at < REPEAT_MS) {
      // Without a time, the next attempt takes place at once or for the next request, and logs itself.
      if (nextAttemptAt === undefined) return log.debug(`${name}: as before`, facts)
      return log.warning(`${name}: as before; next attempt in ${Math.ceil((nextAttemptAt - now) / 1000)} s`, facts)
    }
    const doctor =
      last === undefined && help?.doctor !== undefined
        ? `${summary.endsWith('?') ? '' : ';'} ${help.doctor} finds out more`
        : ''
    log.warning(`${name}: ${summary}${doctor}${showsStderr ? '' : stderrOf(lines)}`, facts)
    if (withoutPath(error) !== error) log.debug(`${name}: ${withoutName(name, error)}`, facts)
  }

  /** The likely cause and remedy, if known. Else the error itself. */
  #summaryOf(event: Failure): string {
    const { target, help } = this.#options
    const status = event.type === 'ended' ? event.status : undefined
    const plain = status === undefined || target.kind !== 'remote' ? undefined : BY_STATUS[status]?.(target, help)
    return plain ?? withoutPath(withoutName(event.upstream, event.error))
  }
}

const CREDENTIALS = `put "headers": { "Authorization": "Bearer \${TOKEN}" } into its configuration`

const BY_STATUS: Readonly<Record<number, (target: RemoteTarget, help: Help | undefined) => string>> = {
  401: ({ headers }, help) =>
    Object.keys(headers).length > 0
      ? 'does not take the credentials it is given (401): get new ones'
      : `wants credentials (401): ${help?.credentials ?? CREDENTIALS}`,
  404: ({ url }) => {
    // The query may be a secret.
    const { origin, pathname } = new URL(url)
    return `nothing for MCP at ${origin}${pathname} (404); ${pathname === '/mcp' ? 'check the address' : 'servers are usually at /mcp'}`
  },
}

function excerpt(line: string): string {
  return JSON.stringify(line.length > MAX_EXCERPT_LENGTH ? `${line.slice(0, MAX_EXCERPT_LENGTH)}…` : line)
}

/** Each line unchanged, on a line of its own. */
function stderrOf(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; the end of its standard error:${lines.map((line) => `\n| ${line}`).join('')}`
}
