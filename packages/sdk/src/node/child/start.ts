/** Starts the process of a server, without a shell and in its own group. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { ParleyError } from '../../errors/index.ts'
import { childEnvironment, type EnvironmentOptions } from './environment.ts'
import { adoptGroup } from './process-groups.ts'
import { type WindowsCommand, windowsCommand } from './windows-command.ts'

export interface ChildCommand extends EnvironmentOptions {
  /** The program to run: a path, or a name that is looked up in PATH. */
  command: string
  args?: readonly string[]
  cwd?: string
}

const WINDOWS = process.platform === 'win32'

export async function startChild(spec: ChildCommand): Promise<ChildProcessWithoutNullStreams> {
  check(spec)
  const env = childEnvironment(spec, process.env, process.platform)
  let child: ChildProcessWithoutNullStreams
  try {
    const { file, args, verbatim } = resolve(spec, env)
    child = spawn(file, args, {
      env,
      stdio: 'pipe',
      shell: false,
      // Its own group, so that the processes it starts can be ended with it.
      detached: !WINDOWS,
      windowsHide: true,
      windowsVerbatimArguments: verbatim,
      ...(spec.cwd === undefined ? {} : { cwd: spec.cwd }),
    })
  } catch (error) {
    throw startFailure(error, spec, env)
  }
  if (child.pid !== undefined) adoptGroup(child.pid)
  await new Promise<void>((started, failed) => {
    child.once('spawn', started)
    // Not removed: a failed signal is reported here too, and must not end this process.
    child.on('error', (error) => failed(startFailure(error, spec, env)))
  })
  return child
}

function check({ command, args = [] }: ChildCommand): void {
  if (typeof command !== 'string' || command === '')
    throw refusal('Cannot start a server: "command" must be the name or path of a program')
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === 'string')) {
    throw refusal(`Cannot start ${JSON.stringify(command)}: "args" must be a list of strings`)
  }
}

function resolve({ command, args = [], cwd }: ChildCommand, env: Record<string, string>): WindowsCommand {
  if (!WINDOWS) return { file: command, args, verbatim: false }
  const found = windowsCommand(command, args, { env, cwd: cwd ?? process.cwd(), exists: existsSync })
  if (found === undefined) throw Object.assign(new Error('not found'), { code: 'ENOENT' })
  return found
}

function startFailure(error: unknown, { command, cwd }: ChildCommand, env: Record<string, string>): ParleyError {
  if (error instanceof ParleyError) return error
  const { code, message } = error as NodeJS.ErrnoException
  const what = `Cannot start ${JSON.stringify(command)}`
  if (code === 'ENOENT' && cwd !== undefined && !existsSync(cwd))
    return refusal(`${what}: the working folder ${JSON.stringify(cwd)} does not exist`, error)
  if (code === 'ENOENT') return refusal(`${what}: ${missing(command, env)}${argumentsWithin(command)}`, error)
  if (code === 'EACCES') return refusal(`${what}: it is not an executable file`, error)
  return refusal(`${what}: ${message}`, error)
}

function missing(command: string, env: Record<string, string>): string {
  if (/[\\/]/.test(command)) return 'there is no such file, or the interpreter its first line names is missing'
  const [, path = ''] = Object.entries(env).find(([name]) => name.toUpperCase() === 'PATH') ?? []
  return `there is no such command in PATH (${path || 'which is empty'}); give its full path, or a PATH in "env"`
}

/** Without a shell, a command line is not split into arguments. */
function argumentsWithin(command: string): string {
  const [program, ...args] = command.trim().split(/\s+/)
  return args.length === 0
    ? ''
    : `; arguments belong in "args": { command: ${JSON.stringify(program)}, args: ${JSON.stringify(args)} }`
}

function refusal(message: string, cause?: unknown): ParleyError {
  return new ParleyError('transport_error', { message, ...(cause === undefined ? {} : { cause }) })
}
