/** Starts a configured command as a child process that does not outlive the gateway. */
import type { Clock } from 'parley-mcp/engine'
import { type ChildLink, type ChildSpec, childLink } from 'parley-mcp/node'
import type { CommandTarget } from '../../config/index.ts'
import { watcher } from './watcher.ts'

/** Options for every child process. */
export type ChildOptions = Pick<ChildSpec, 'shutdown' | 'maxBuffered' | 'inheritEnv'>

export interface CommandSettings {
  readonly clock?: Clock
  readonly childOptions: ChildOptions | undefined
  /** Called once if a process may survive the gateway. */
  readonly warn: (message: string) => void
}

export type CommandLaunch = (onStderr: (text: string) => void) => Promise<ChildLink>

export function commandLaunch(target: CommandTarget, { clock, childOptions, warn }: CommandSettings): CommandLaunch {
  const { command, args, env, cwd } = target
  const spec = {
    ...childOptions,
    command,
    args,
    env: { ...env },
    ...(clock && { clock }),
    ...(cwd === undefined ? {} : { cwd }),
  }
  return (stderr) => watcher.watch(() => childLink({ ...spec, stderr }), warn)
}
