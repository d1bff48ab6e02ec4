/** Writes a report with the state of the servers when an uncaught error ends the gateway. */
import { dirname, join, resolve } from 'node:path'
import { CrashReporter } from 'parley-mcp/node'
import type { Gateway } from '../../gateway/index.ts'
import type { GatewayLog } from '../../log/index.ts'

/** The default folder, beside the configuration. */
const USUAL = 'parley-crash-reports'
const OFF = 'off'

export interface CrashReportsOptions {
  /** `gateway.crashReports` of the configuration. */
  readonly setting: string | undefined
  /** The path of the configuration. */
  readonly config: string
  readonly gateway: Pick<Gateway, 'readiness' | 'redact' | 'sessions'>
  readonly log: GatewayLog
}

/** The returned function stops the reporter. */
export function reportCrashes({ setting, config, gateway, log }: CrashReportsOptions): () => void {
  if (setting === OFF) return () => {}
  const reporter = new CrashReporter({
    directory: setting ?? join(dirname(resolve(config)), USUAL),
    redact: (text) => gateway.redact(text),
    // Only names and states, because errors of a server may contain secrets.
    details: () => ({
      sessions: gateway.sessions,
      servers: gateway.readiness().servers.map(({ name, state }) => ({ name, state })),
    }),
    onWritten: (file) => log.error(`The gateway has crashed. The report is in ${file}`, { event: 'crash', file }),
  })
  return () => reporter.stop()
}
