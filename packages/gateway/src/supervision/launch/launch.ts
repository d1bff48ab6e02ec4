/** Opens links to the target of a configuration: starts a process or makes a connection. */
import type { Clock, Link } from 'parley-mcp/engine'
import { type ChildLink, openLink } from 'parley-mcp/node'
import type { CommandTarget, RemoteTarget } from '../../config/index.ts'
import { type CommandSettings, commandLaunch } from './command-launch.ts'
import { pooledCall } from './pooled-call.ts'

/** Opens one link. `onStderr` receives the standard error of a process. */
export type Launch = (onStderr: (text: string) => void) => Link | Promise<Link>

export interface LaunchSettings extends CommandSettings {
  readonly clock: Clock
  readonly random: () => number
  /** Longest message of the server, in bytes. Default: the limit of the SDK. */
  readonly maxMessageSize?: number | undefined
}

export function launchOf(target: CommandTarget | RemoteTarget, settings: LaunchSettings): Launch {
  return target.kind === 'command' ? commandLaunch(target, settings) : remoteLaunch(target, settings)
}

function remoteLaunch(
  { url, transport, headers }: RemoteTarget,
  { clock, random, maxMessageSize }: LaunchSettings,
): Launch {
  const sent = Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }
  const limits = maxMessageSize === undefined ? {} : { limits: { maxBytes: maxMessageSize } }
  return () =>
    openLink(
      { url, ...sent, ...(transport === undefined ? {} : { transport }) },
      { clock, random, call: pooledCall, ...limits },
    )
}

export function isChild(link: Link): link is ChildLink {
  return (link as Partial<ChildLink>).gone instanceof Promise
}
