/**
 * What happens to a server, as sentences of the log: a failure in full when it is new, and in a few words when it comes
 * again.
 */
import type { Clock } from 'parley-mcp/engine'
import type { CommandTarget, RemoteTarget } from '../config/index.ts'
import type { GatewayLog } from '../log/index.ts'
import { type UpstreamEvent, withoutName, withoutPath } from '../supervision/index.ts'

/** For whoever runs the server here. */
export interface Help {
  /** How it is given credentials. */
  readonly credentials?: string | undefined
  /** The command that finds out more about it. */
  readonly doctor?: string | undefined
}

export interface EventLogOptions {
  readonly log: GatewayLog
  readonly clock: Clock
  readonly target: CommandTarget | RemoteTarget
  readonly help: Help | undefined
  /** Whether what its process writes to standard error is read beside the log. Default false. */
  readonly isHeard?: boolean
}

type Failure = Extract<UpstreamEvent, { type: 'ended' | 'start_failed' }>

/** States after which it is news that a server runs. */
const LOST: ReadonlySet<string> = new Set(['restarting', 'down'])
/** After so many milliseconds without it, whoever reads the log no longer has the whole of a failure before them. */
const FORGOTTEN = 600_000
const LONGEST_STRAY = 120

export class EventLog {
  readonly #options: EventLogOptions
  #last: { readonly words: string; readonly at: number } | undefined

  constructor(options: EventLogOptions) {
    this.#options = options
  }

  hear(event: UpstreamEvent): void {
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
        return event.abnormal ? this.#fail(event) : log.debug(`${name}: ended`, facts)
      case 'start_failed':
        return this.#fail(event)
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
        if (event.to === 'running' && LOST.has(event.from)) return log.info(`${name}: is there again`, facts)
        return log.debug(`${name}: ${event.from} → ${event.to}`, facts)
    }
  }

  #fail(event: Failure): void {
    const { log, clock, help, isHeard } = this.#options
    const { upstream: name, error, nextAttemptAt } = event
    const facts = { server: name, event: event.type }
    const lines = event.type === 'ended' ? event.lines : []
    const words = this.#plainly(event)
    const whole = [words, ...lines].join('\n')
    const { last, now } = { last: this.#last, now: clock.now() }
    this.#last = { words: whole, at: now }
    if (last?.words === whole && now - last.at < FORGOTTEN) {
      // Without a time, the next attempt is made at once or by whoever needs it, and tells of itself.
      if (nextAttemptAt === undefined) return log.debug(`${name}: as before`, facts)
      return log.warning(`${name}: as before; next attempt in ${Math.ceil((nextAttemptAt - now) / 1000)} s`, facts)
    }
    const doctor =
      last === undefined && help?.doctor !== undefined
        ? `${words.endsWith('?') ? '' : ';'} ${help.doctor} finds out more`
        : ''
    log.warning(`${name}: ${words}${doctor}${isHeard ? '' : said(lines)}`, facts)
    if (withoutPath(error) !== error) log.debug(`${name}: ${withoutName(name, error)}`, facts)
  }

  /** What it means, where that is known; else what happened. */
  #plainly(event: Failure): string {
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
    // What follows the path may be a secret.
    const { origin, pathname } = new URL(url)
    return `nothing for MCP at ${origin}${pathname} (404); ${pathname === '/mcp' ? 'check the address' : 'servers are usually at /mcp'}`
  },
}

function excerpt(line: string): string {
  return JSON.stringify(line.length > LONGEST_STRAY ? `${line.slice(0, LONGEST_STRAY)}…` : line)
}

/** A line of its own each, as it was written. */
function said(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; the end of its standard error:${lines.map((line) => `\n| ${line}`).join('')}`
}
