/** From the target of a configuration to links: a process that is started, or a connection that is made. */
import type { Clock, Link } from 'parley-mcp/engine'
import { type ChildLink, type ChildSpec, childLink, openLink } from 'parley-mcp/node'
import type { CommandTarget, RemoteTarget } from '../config/index.ts'
import { pooledCall } from './pooled-call.ts'
import { watcher } from './watcher.ts'

/** Opens one link; what a process writes to its standard error is handed to `onStderr` as it comes. */
export type Launch = (onStderr: (text: string) => void) => Link | Promise<Link>

/** How processes are treated, whichever they are. */
export type ChildOptions = Pick<ChildSpec, 'shutdown' | 'maxBuffered' | 'inheritEnv'>

export interface LaunchSettings {
  readonly clock: Clock
  readonly random: () => number
  readonly childOptions: ChildOptions | undefined
  /** Told once, when a process could be left behind. */
  readonly warn: (message: string) => void
}

export function launchOf(target: CommandTarget | RemoteTarget, settings: LaunchSettings): Launch {
  return target.kind === 'command' ? commandLaunch(target, settings) : remoteLaunch(target, settings)
}

function commandLaunch({ command, args, env, cwd }: CommandTarget, { clock, childOptions, warn }: LaunchSettings): Launch {
  const spec = { ...childOptions, command, args, env: { ...env }, clock, ...(cwd === undefined ? {} : { cwd }) }
  return (stderr) => watcher.watch(() => childLink({ ...spec, stderr }), warn)
}

function remoteLaunch({ url, transport, headers }: RemoteTarget, { clock, random }: LaunchSettings): Launch {
  const sent = Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }
  return () => openLink({ url, ...sent, ...(transport === undefined ? {} : { transport }) }, { clock, random, call: pooledCall })
}

export function isChild(link: Link): link is ChildLink {
  return (link as Partial<ChildLink>).gone instanceof Promise
}
