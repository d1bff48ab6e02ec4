/** The gateway's own audit receipts for start, reload and end, and the metrics of the audit. */
import { type Clock, canonicalJson, systemClock } from 'parley-mcp/engine'
import type { Servable } from 'parley-mcp/server'
import { type AuditCounts, AuditedServable, AuditLog, digestOf, type LocatingServable } from '../audit/index.ts'
import type { GatewayConfig } from '../config/index.ts'
import type { Metrics } from '../http/index.ts'
import type { GatewayLog } from '../log/index.ts'

export interface ReceiptsOptions {
  readonly metrics: Metrics
  readonly log: GatewayLog
  readonly clock?: Clock | undefined
}

export class Receipts {
  readonly #options: ReceiptsOptions
  readonly #counts: AuditCounts
  #audit: AuditLog | undefined

  constructor(options: ReceiptsOptions) {
    const { metrics } = options
    this.#options = options
    const written = metrics.counter('parley_audit_receipts_total', 'Receipts written to the audit file')
    const lost = metrics.counter(
      'parley_audit_receipts_lost_total',
      'Receipts that could not be kept, of which the audit file tells',
    )
    const failures = metrics.counter(
      'parley_audit_write_errors_total',
      'Attempts to write to the audit file that failed',
    )
    this.#counts = {
      written: (count) => written.add({}, count),
      lost: (count) => lost.add({}, count),
      failed: () => failures.add(),
    }
  }

  /** Without a file there are no receipts, and links are not wrapped. */
  async begin(file: string | undefined, config: GatewayConfig): Promise<void> {
    if (file === undefined) return
    const { log, clock = systemClock } = this.#options
    this.#audit = await AuditLog.open(file, { log, clock, counts: this.#counts })
    this.#audit.write({ kind: 'start', format: 1, configuration: digestOfConfig(config) })
  }

  reloaded(config: GatewayConfig): void {
    this.#audit?.write({ kind: 'reload', configuration: digestOfConfig(config) })
  }

  /** The server with a receipt for each request, if there is an audit file. */
  of(server: LocatingServable): Servable {
    const audit = this.#audit
    if (audit === undefined) return server
    return new AuditedServable(server, {
      clock: this.#options.clock ?? systemClock,
      write: (entry) => audit.write(entry),
      onMissed: (cause) => audit.missed(cause),
    })
  }

  async end(): Promise<void> {
    await this.#audit?.close()
  }
}

function digestOfConfig({ servers, gateway }: GatewayConfig): string {
  return digestOf(canonicalJson({ servers: [...servers.values()], gateway }))
}
