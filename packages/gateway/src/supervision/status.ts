/** The status of one server, and the events of its life. */

/**
 * - `idle`: no client uses it.
 * - `starting`, `running`.
 * - `restarting`: it ended and is being restarted.
 * - `down`: it ended too often. No start before `nextAttemptAt`.
 * - `stopped`: it ended and its policy does not restart it, or the gateway stopped it.
 */
export type UpstreamState = 'idle' | 'starting' | 'running' | 'restarting' | 'down' | 'stopped'

/** How a process ended. Both fields are null for a connection and for a process that only closed its pipes. */
export interface UpstreamExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface UpstreamStatus {
  readonly name: string
  readonly state: UpstreamState
  /** When this state began, in milliseconds since the epoch. */
  readonly since: number
  /** Number of live processes or connections. */
  readonly sessions: number
  /** Age of the oldest of them, in milliseconds. */
  readonly uptime: number
  readonly starts: number
  /** Starts after an end that the gateway did not request. */
  readonly restarts: number
  readonly lastExit: UpstreamExit | undefined
  readonly lastError: string | undefined
  /** The end of its standard error, without secrets. */
  readonly lastStderr: readonly string[]
  /** No start before this time. Undefined if a start is possible now. */
  readonly nextAttemptAt: number | undefined
}

/** Events of a server, for the log. */
export type UpstreamEvent =
  | { readonly type: 'stderr'; readonly upstream: string; readonly line: string }
  | { readonly type: 'started'; readonly upstream: string; readonly pid: number | undefined; readonly restart: boolean }
  | {
      readonly type: 'ended'
      readonly upstream: string
      readonly abnormal: boolean
      readonly error: string
      readonly exit: UpstreamExit | undefined
      readonly lines: readonly string[]
      /** HTTP status of the answer, if the server never answered with an MCP message. */
      readonly status?: number | undefined
      readonly nextAttemptAt?: number | undefined
    }
  | {
      readonly type: 'start_failed'
      readonly upstream: string
      readonly error: string
      readonly nextAttemptAt?: number | undefined
    }
  /** The first line of standard output that is not a message. */
  | { readonly type: 'stray'; readonly upstream: string; readonly line: string }
  /** Its processes would survive if the gateway were killed. Reported once, for the first server. */
  | { readonly type: 'unwatched'; readonly upstream: string; readonly warning: string }
  /** `silent`: the server did not end, but does not answer. */
  | { readonly type: 'given_up'; readonly upstream: string; readonly until: number; readonly silent?: boolean }
  | { readonly type: 'state'; readonly upstream: string; readonly from: UpstreamState; readonly to: UpstreamState }
