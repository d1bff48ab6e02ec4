/** Applies a changed configuration while the gateway runs, and logs the outcome. */
import {
  ConfigError,
  describeProblem,
  type GatewayConfig,
  isSameConfig,
  type ParsedConfig,
} from '../../config/index.ts'
import type { Gateway } from '../../gateway/index.ts'
import type { GatewayLog } from '../../log/index.ts'

export class ConfigReloader {
  readonly #gateway: Pick<Gateway, 'reload'>
  readonly #log: GatewayLog
  #inForce: GatewayConfig
  /** Number of read configurations, and the number of the last refused one. */
  #read = 0
  #refused = 0
  /** Applies configurations one after the other. */
  #turn: Promise<void> = Promise.resolve()

  constructor(gateway: Pick<Gateway, 'reload'>, log: GatewayLog, inForce: GatewayConfig) {
    this.#gateway = gateway
    this.#log = log
    this.#inForce = inForce
  }

  async apply(outcome: ParsedConfig | ConfigError): Promise<void> {
    const number = ++this.#read
    // Reports a mistake at once, because a reload may wait for servers.
    if (outcome instanceof ConfigError) return this.#refuse(number, outcome.message)
    const { config, warnings } = outcome
    for (const warning of warnings) this.#log.warning(describeProblem(warning))
    this.#turn = this.#turn.then(() => this.#reload(number, config))
    return this.#turn
  }

  async #reload(number: number, config: GatewayConfig): Promise<void> {
    try {
      await this.#gateway.reload(config)
    } catch (error) {
      return this.#refuse(number, String(error))
    }
    const isMended = this.#refused > 0 && this.#refused < number
    if (isMended && isSameConfig(config, this.#inForce))
      this.#log.info('The configuration is valid again. Nothing has changed')
    if (isMended) this.#refused = 0
    this.#inForce = config
  }

  #refuse(number: number, why: string): void {
    this.#refused = Math.max(this.#refused, number)
    this.#log.error(`The changed configuration was refused. The gateway keeps the previous one: ${why}`)
  }
}
