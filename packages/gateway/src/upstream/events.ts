/** What happens to a server, as sentences of the log. */
import type { GatewayLog } from '../log/index.ts'
import type { UpstreamEvent } from '../supervision/index.ts'

/** States after which it is news that a server runs. */
const LOST: ReadonlySet<string> = new Set(['restarting', 'down'])

export function logEvent(event: UpstreamEvent, log: GatewayLog): void {
  const facts = { server: event.upstream, event: event.type }
  switch (event.type) {
    case 'stderr':
      return log.debug(`${event.upstream} says: ${event.line}`, facts)
    case 'started':
      return log.debug(`${event.upstream}: ${event.restart ? 'started again' : 'started'}${event.pid === undefined ? '' : ` (process ${event.pid})`}`, facts)
    case 'ended':
      return event.abnormal ? log.warning(`${event.upstream}: ${event.error}${said(event.lines)}`, facts) : log.debug(`${event.upstream}: ended`, facts)
    case 'start_failed':
      return log.warning(event.error, facts)
    case 'given_up':
      return log.error(`${event.upstream}: ended too often, left alone until ${new Date(event.until).toISOString()}`, facts)
    case 'unwatched':
      return log.warning(event.warning, facts)
    case 'state':
      if (event.to === 'running' && LOST.has(event.from)) return log.info(`${event.upstream}: is there again`, facts)
      return log.debug(`${event.upstream}: ${event.from} → ${event.to}`, facts)
  }
}

function said(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `; the end of its standard error: ${lines.join(' | ')}`
}
