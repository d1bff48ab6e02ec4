/** How the user can call this program again, in commands that are safe to paste. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, delimiter, dirname, join, relative } from 'node:path'
import { shellWord } from './shell-word.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM = 'parley'

function isFetched(script: string | undefined, env: Environment): boolean {
  return env['npm_command'] === 'exec' && (script === undefined || /[\\/]_npx[\\/]/.test(script))
}

const PUBLISHED = 'npx -y parley-gateway'

/**
 * `npx parley` is right only if the package is installed. Otherwise npx would fetch a package of another author.
 * `exists`: whether there is a file.
 */
export function invocation(
  script: string | undefined,
  env: Environment,
  folder: string = process.cwd(),
  exists: (path: string) => boolean = existsSync,
): string {
  if (script === undefined || isFetched(script, env)) return PUBLISHED
  const isOfNpm =
    env['npm_command'] === 'exec' || env['npm_lifecycle_event'] !== undefined || script.includes('node_modules')
  if (isOfNpm && isInstalled(folder, exists)) return `npx ${PROGRAM}`
  if (isGlobal(script) && isInPath(script, env)) return PROGRAM
  const path = relative(folder, script)
  return `node ${shellWord(path.startsWith('..') ? script : path)}`
}

/** Whether a command works only in the folder where the program was started, and below it. */
export function isBoundToFolder(command: string): boolean {
  return command === `npx ${PROGRAM}` || /^node '?(?![/'])/.test(command)
}

/** Whether npm installed the program globally: its link is not in the modules of a project. */
function isGlobal(script: string): boolean {
  return basename(script) === PROGRAM && !script.includes('node_modules')
}

function isInPath(script: string, env: Environment): boolean {
  return (env['PATH'] ?? '').split(delimiter).includes(dirname(script))
}

/** Whether npx finds the command in this folder or a parent folder. */
function isInstalled(folder: string, exists: (path: string) => boolean): boolean {
  if (exists(join(folder, 'node_modules', '.bin', PROGRAM))) return true
  const above = dirname(folder)
  return above !== folder && isInstalled(above, exists)
}

/** The words that start this program from any folder. `whole`: resolves a link to its file. */
export function startWords(
  script: string | undefined,
  env: Environment,
  whole: (path: string) => string = realpathSync,
): readonly string[] {
  if (script === undefined || isFetched(script, env)) return PUBLISHED.split(' ')
  if (isGlobal(script) && isInPath(script, env)) return [PROGRAM]
  return ['node', whole(script)]
}
