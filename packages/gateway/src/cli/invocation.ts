/** How whoever started this program can call it again: with what they have typed, as far as that can be known. */
import { existsSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM = 'parley'

function isFetched(script: string | undefined, env: Environment): boolean {
  return env['npm_command'] === 'exec' && (script === undefined || /[\\/]_npx[\\/]/.test(script))
}

const PUBLISHED = 'npx -y parley-gateway'

/**
 * `npx parley` is right only where the package is installed: elsewhere it would fetch a package of somebody else. `exists`: whether there is a file.
 */
export function invocation(
  script: string | undefined,
  env: Environment,
  folder: string = process.cwd(),
  exists: (path: string) => boolean = existsSync,
): string {
  if (script === undefined || isFetched(script, env)) return PUBLISHED
  const isOfNpm = env['npm_command'] === 'exec' || env['npm_lifecycle_event'] !== undefined || script.includes('node_modules')
  if (isOfNpm && isInstalled(folder, exists)) return `npx ${PROGRAM}`
  if (basename(script) === PROGRAM && !script.includes('node_modules')) return PROGRAM
  const way = relative(folder, script)
  const path = way.startsWith('..') ? script : way
  return `node ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`
}

/** Whether npx finds the command in this folder or in one above it. */
function isInstalled(folder: string, exists: (path: string) => boolean): boolean {
  if (exists(join(folder, 'node_modules', '.bin', PROGRAM))) return true
  const above = dirname(folder)
  return above !== folder && isInstalled(above, exists)
}

/** The same for a program of this machine that may run in any folder. `whole`: finds the file behind a link. */
export function startWords(script: string | undefined, env: Environment, whole: (path: string) => string = realpathSync): readonly string[] {
  if (isFetched(script, env)) return PUBLISHED.split(' ')
  if (script === undefined) return PUBLISHED.split(' ')
  if (basename(script) === PROGRAM && !script.includes('node_modules')) return [PROGRAM]
  return ['node', whole(script)]
}
