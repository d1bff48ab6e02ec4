/** What becomes of a configuration that was read again while the gateway runs, and what is said of it. */
import { isDeepStrictEqual } from 'node:util'
import { ConfigError, describeProblem, type GatewayConfig, type Reading } from '../../config/index.ts'
import type { Gateway } from '../../gateway/index.ts'
import type { GatewayLog } from '../../log/index.ts'

export class Reloading {
  readonly #gateway: Pick<Gateway, 'reload'>
  readonly #log: GatewayLog
  #inForce: GatewayConfig
  /** Whether what was read last is not in force. */
  #wasRefused = false

  constructor(gateway: Pick<Gateway, 'reload'>, log: GatewayLog, inForce: GatewayConfig) {
    this.#gateway = gateway
    this.#log = log
    this.#inForce = inForce
  }

  async take(outcome: Reading | ConfigError): Promise<void> {
    if (outcome instanceof ConfigError) return this.#refuse(outcome.message)
    const { config, warnings } = outcome
    for (const warning of warnings) this.#log.warning(describeProblem(warning))
    const former = this.#inForce
    if (this.#wasRefused && isDeepStrictEqual(config, former)) this.#log.info('The configuration can be read again; nothing has changed')
    this.#wasRefused = false
    this.#inForce = config
    try {
      await this.#gateway.reload(config)
    } catch (error) {
      this.#inForce = former
      this.#refuse(String(error))
    }
  }

  #refuse(why: string): void {
    this.#wasRefused = true
    this.#log.error(`The configuration was not taken, and the former one stays in force: ${why}`)
  }
}
