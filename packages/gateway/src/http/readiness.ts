/** What the gateway says of itself and its servers to those that watch over it. */

export interface ServerState {
  readonly name: string
  /** One word: `running`, `starting`, `stopped`, `failed`… */
  readonly state: string
  /** Whether requests to it are answered, or wait no longer than its start takes. */
  readonly ready: boolean
  /** Whether the gateway is not ready without it; absent: no. */
  readonly required?: boolean
  /** Why it is not, in one line. */
  readonly detail?: string
}

export interface Readiness {
  readonly ready: boolean
  readonly servers: readonly ServerState[]
}
