/** A gateway in memory between servers and clients of any version: what tests of the bridge begin with. */
import type { ProtocolVersion } from 'parley-mcp'
import { type Client, type ConnectOptions, connect, memoryPair } from 'parley-mcp/client'
import { type Acceptor, type Link, systemClock } from 'parley-mcp/engine'
import { type ServerConfig, serverDefaults } from '../config/index.ts'
import { silentLog } from '../log/index.ts'
import { Upstream } from '../upstream/index.ts'
import { ServedUpstream } from './servable.ts'

export interface BridgeRig {
  readonly upstream: Upstream
  readonly served: ServedUpstream
  connect(options?: ConnectOptions): Promise<Client>
  close(): Promise<void>
}

/** `version`: what the server is spoken to in. */
export function bridgeTo(server: Acceptor, version: ProtocolVersion | undefined, more: Partial<ServerConfig> = {}): BridgeRig {
  const config: ServerConfig = {
    ...serverDefaults('rig', { kind: 'command', command: 'none', args: [], env: {}, cwd: undefined }),
    ...(version && { versions: [version] }),
    ...more,
  }
  const launch = (): Link => {
    const [near, far] = memoryPair()
    server.accept(far)
    return near
  }
  const upstream = new Upstream(config, { log: silentLog, translation: 'lenient', clock: systemClock, launch })
  const served = new ServedUpstream(upstream, { translation: 'lenient' })
  return {
    upstream,
    served,
    connect: (options) => connect(served as Acceptor, options),
    close: () => served.close(),
  }
}
