/** What the commands that serve hand to those who do it: checked options, nothing else. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Duration } from 'parley-mcp/client'
import type { CommandTarget, RemoteTarget } from '../../config/index.ts'

export interface GatewayStart {
  /** Path of the configuration. */
  readonly config: string
  /** What the command line says instead of the configuration. */
  readonly port: number | undefined
  readonly host: string | undefined
}

export interface BridgeStart {
  /** A server by its name in a configuration, or by what was written on the command line. */
  readonly upstream:
    | { readonly kind: 'configured'; readonly config: string; readonly server: string }
    | CommandTarget
    | RemoteTarget
  /** The only version to speak with the server. */
  readonly version: ProtocolVersion | undefined
  /** Absent: as the configuration says. */
  readonly timeout: Duration | undefined
}
