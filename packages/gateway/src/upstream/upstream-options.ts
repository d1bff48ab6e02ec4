/** The options of a configured server besides its configuration. */
import type { Clock, SessionEvent } from 'parley-mcp/engine'
import type { ServerConfig } from '../config/index.ts'
import type { Refused } from '../limits/index.ts'
import type { GatewayLog } from '../log/index.ts'
import type { Launch } from '../supervision/index.ts'
import type { Help } from './events.ts'

export interface UpstreamOptions {
  readonly log: GatewayLog
  readonly translation: 'lenient' | 'strict'
  readonly clock?: Clock
  readonly random?: () => number
  /** Called with each event of the sessions with the server. */
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
  /** Called with each request beyond the rate limit. */
  readonly onRefused?: (refused: Refused) => void
  /** Replaces the launch of the configuration. */
  readonly launch?: Launch
  /** Whether there is only one client. It then uses the gateway's own conversation, so no second process starts. */
  readonly singleClient?: boolean
  /** Whether different users may be behind its clients. */
  readonly severalClients?: boolean
  /**
   * Whether requests without a principal are all of one user, because the gateway listens on this machine only and does
   * not authenticate.
   */
  readonly localUser?: boolean
  /** How long an idle conversation is kept, in milliseconds. Default: 30 minutes. */
  readonly conversationIdle?: number
  /**
   * Called with each line that the process writes to standard error, without secrets and control characters. Default:
   * the lines are logged.
   */
  readonly onStderr?: (line: string) => void
  /** Hints for the operator, logged with a failure. */
  readonly help?: Help | undefined
}

/** Whether a client without a principal can name its conversation with the server by a handle. */
export function keepsByHandle({ session }: ServerConfig, { localUser, singleClient }: UpstreamOptions): boolean {
  return session === 'handle' || (session === undefined && !localUser && !singleClient)
}
