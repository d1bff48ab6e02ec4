/** A gateway in memory between servers and clients of any version: what tests of the bridge begin with. */
import type { ProtocolVersion } from 'parley-mcp'
import { type Client, type ConnectOptions, connect, memoryPair } from 'parley-mcp/client'
import { type Acceptor, type Clock, type Link, type SessionEvent, systemClock } from 'parley-mcp/engine'
import { type ServerConfig, serverDefaults } from '../../config/index.ts'
import type { Refused } from '../../limits/index.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { ServerAddress } from './server-address.ts'

/** What a rig has beside a server and its configuration. */
export interface RigOptions {
  readonly clock?: Clock
  readonly log?: GatewayLog
  /**
   * What the way to the server calls itself. Default `memory`, where questions do not say to which request they belong.
   */
  readonly transport?: string
  /** Changes what the gateway sees of the way to the server. */
  readonly wrap?: (link: Link) => Link
  readonly onEvent?: (event: SessionEvent, upstream: string) => void
  readonly onRefused?: (refused: Refused) => void
  readonly translation?: 'lenient' | 'strict'
  readonly singleClient?: boolean
}

export interface BridgeRig {
  readonly upstream: Upstream
  readonly address: ServerAddress
  /** Ways to the server that were opened, and how many of them are still open. */
  readonly ways: { readonly opened: number; readonly open: number }
  connect(options?: ConnectOptions): Promise<Client>
  /** New connections go to this server. Open ones stay with the old server. */
  replaceBy(server: Acceptor): void
  /** All ways to the server break. */
  crash(): void
  close(): Promise<void>
}

/** A log that collects what is said, but for which clients and conversations there are. */
export function collectingLog(said: string[]): GatewayLog {
  const left: readonly unknown[] = ['session', 'client', 'conversation']
  const say = (message: string, facts?: Readonly<Record<string, unknown>>): void => {
    if (!left.includes(facts?.['event'])) said.push(message)
  }
  return { debug: () => {}, info: say, warning: say, error: say }
}

/** `version`: what the server is spoken to in. */
export function bridgeTo(
  server: Acceptor,
  version: ProtocolVersion | undefined,
  more: Partial<ServerConfig> = {},
  options: RigOptions = {},
): BridgeRig {
  const {
    clock = systemClock,
    log = silentLog,
    transport,
    wrap = (link) => link,
    onEvent,
    translation = 'lenient',
  } = options
  const config: ServerConfig = {
    ...serverDefaults('rig', { kind: 'command', command: 'none', args: [], env: {}, cwd: undefined }),
    ...(version && { versions: [version] }),
    ...more,
  }
  let current = server
  let opened = 0
  const open = new Set<Link>()
  const launch = (): Link => {
    const [near, far] = memoryPair(transport === undefined ? {} : { transport })
    const session = current.accept(far, { clock })
    opened++
    open.add(far)
    session.onClose(() => open.delete(far))
    return wrap(near)
  }
  const observed = onEvent === undefined ? {} : { onEvent }
  const upstream = new Upstream(config, {
    log,
    translation,
    clock,
    launch,
    random: () => 0.5,
    conversationIdle: 600_000,
    ...observed,
    ...(options.onRefused && { onRefused: options.onRefused }),
    ...(options.singleClient && { singleClient: true }),
  })
  const address = new ServerAddress(upstream, { translation, clock, ...observed })
  return {
    upstream,
    address,
    ways: {
      get opened() {
        return opened
      },
      get open() {
        return open.size
      },
    },
    connect: (settings) => connect(address as Acceptor, { clock, ...settings }),
    replaceBy: (other) => {
      current = other
    },
    crash: () => {
      for (const link of [...open]) void link.close()
    },
    close: () => address.close(),
  }
}
