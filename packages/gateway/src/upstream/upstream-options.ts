/** What a configured server is given besides its configuration. */
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
  /** Told of everything that sessions with the server report. */
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
  /** Told of each request that is one too many. */
  readonly onRefused?: (refused: Refused) => void
  /** Instead of what the configuration says. */
  readonly launch?: Launch
  /**
   * Whether it has one client only, which then gets the conversation of the gateway itself: no second process is
   * started for it.
   */
  readonly singleClient?: boolean
  /** Whether its clients are not one and the same. */
  readonly severalClients?: boolean
  /**
   * Whether requests without a principal are all of one user: the gateway listens on this machine only, and asks nobody
   * who they are.
   */
  readonly localUser?: boolean
  /** How long a kept conversation lasts without use, in milliseconds. Default: 30 minutes. */
  readonly conversationIdle?: number
  /**
   * Told of each line that its process writes to standard error, without secrets and control characters; without it
   * they are for the log.
   */
  readonly onStderr?: (line: string) => void
  /** What is said with its failures to whoever can mend them. */
  readonly help?: Help | undefined
}

/** Whether a client that is not known otherwise can name its conversation with the server by a handle. */
export function keepsByHandle({ session }: ServerConfig, { localUser, singleClient }: UpstreamOptions): boolean {
  return session === 'handle' || (session === undefined && !localUser && !singleClient)
}
