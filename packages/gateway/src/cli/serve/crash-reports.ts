/** Writes a report when an error that is not caught ends the gateway, with the state of its servers. */
import { dirname, join, resolve } from 'node:path'
import { CrashReporter } from 'parley-mcp/node'
import type { Gateway } from '../../gateway/index.ts'
import type { GatewayLog } from '../../log/index.ts'

/** The folder beside the configuration, unless the configuration names another. */
const USUAL = 'parley-crash-reports'
const OFF = 'off'

export interface CrashReportsOptions {
  /** `gateway.crashReports` of the configuration. */
  readonly setting: string | undefined
  /** Path of the configuration. */
  readonly config: string
  readonly gateway: Pick<Gateway, 'readiness' | 'redact' | 'sessions'>
  readonly log: GatewayLog
}

/** The returned function ends the watch. */
export function reportCrashes({ setting, config, gateway, log }: CrashReportsOptions): () => void {
  if (setting === OFF) return () => {}
  const reporter = new CrashReporter({
    directory: setting ?? join(dirname(resolve(config)), USUAL),
    redact: (text) => gateway.redact(text),
    // Names and states only: what a server said may be anything.
    details: () => ({
      sessions: gateway.sessions,
      servers: gateway.readiness().servers.map(({ name, state }) => ({ name, state })),
    }),
    onWritten: (file) => log.error(`The gateway has crashed. The report is in ${file}`, { event: 'crash', file }),
  })
  return () => reporter.stop()
}
