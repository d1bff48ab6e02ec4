/** From a command to a process that is started, and does not outlive this one. */
import type { Clock } from 'parley-mcp/engine'
import { type ChildLink, type ChildSpec, childLink } from 'parley-mcp/node'
import type { CommandTarget } from '../config/index.ts'
import { watcher } from './watcher.ts'

/** How processes are treated, whichever they are. */
export type ChildOptions = Pick<ChildSpec, 'shutdown' | 'maxBuffered' | 'inheritEnv'>

export interface CommandSettings {
  readonly clock?: Clock
  readonly childOptions: ChildOptions | undefined
  /** Told once, when a process could be left behind. */
  readonly warn: (message: string) => void
}

export type CommandLaunch = (onStderr: (text: string) => void) => Promise<ChildLink>

export function commandLaunch(target: CommandTarget, { clock, childOptions, warn }: CommandSettings): CommandLaunch {
  const { command, args, env, cwd } = target
  const spec = { ...childOptions, command, args, env: { ...env }, ...(clock && { clock }), ...(cwd === undefined ? {} : { cwd }) }
  return (stderr) => watcher.watch(() => childLink({ ...spec, stderr }), warn)
}
