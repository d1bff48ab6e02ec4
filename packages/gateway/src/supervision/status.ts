/** What can be told about one upstream: how it is, how it was, and what happens to it. */

/**
 * `idle`: nobody uses it. `starting`, `running`: as they say. `restarting`: it ended and is on its way back. `down`: it ended too often and is
 * left alone until `nextAttemptAt`. `stopped`: it ended and its policy does not start it again, or the gateway has stopped it.
 */
export type UpstreamState = 'idle' | 'starting' | 'running' | 'restarting' | 'down' | 'stopped'

/** How a process ended; both are null for a connection, and for a process that has only closed its pipes. */
export interface UpstreamExit {
  readonly code: number | null
  readonly signal: string | null
}

export interface UpstreamStatus {
  readonly name: string
  readonly state: UpstreamState
  /** When this state began, in milliseconds since the epoch. */
  readonly since: number
  /** Processes or connections that are alive. */
  readonly sessions: number
  /** How long the oldest of them has been alive, in milliseconds. */
  readonly uptime: number
  readonly starts: number
  /** Those of the starts that followed an end nobody here had asked for. */
  readonly restarts: number
  readonly lastExit: UpstreamExit | undefined
  readonly lastError: string | undefined
  /** The end of its standard error, without secrets. */
  readonly lastStderr: readonly string[]
  /** Until then nobody gets through; absent when somebody would now. */
  readonly nextAttemptAt: number | undefined
}

/** What happens to an upstream, for the log. */
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
      /** Of HTTP, where one that was never reached has answered with it. */
      readonly status?: number | undefined
      readonly nextAttemptAt?: number | undefined
    }
  | { readonly type: 'start_failed'; readonly upstream: string; readonly error: string; readonly nextAttemptAt?: number | undefined }
  /** The first line on its standard output that is no message. */
  | { readonly type: 'stray'; readonly upstream: string; readonly line: string }
  /** Nobody would end its processes should the gateway be killed; told once, of the first of the upstreams. */
  | { readonly type: 'unwatched'; readonly upstream: string; readonly warning: string }
  /** `silent`: it did not end, and does not answer. */
  | { readonly type: 'given_up'; readonly upstream: string; readonly until: number; readonly silent?: boolean }
  | { readonly type: 'state'; readonly upstream: string; readonly from: UpstreamState; readonly to: UpstreamState }
