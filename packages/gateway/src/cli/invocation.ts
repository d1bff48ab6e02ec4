/** How whoever started this program can call it again: with what they have typed, as far as that can be known. */
import { realpathSync } from 'node:fs'
import { basename, relative } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM = 'parley'

function isFetched(script: string | undefined, env: Environment): boolean {
  return env['npm_command'] === 'exec' && (script === undefined || /[\\/]_npx[\\/]/.test(script))
}

export function invocation(script: string | undefined, env: Environment, folder: string = process.cwd()): string {
  // Fetched by npx: the name of the package, because a package called like the program would be somebody else's.
  if (isFetched(script, env)) return 'npx parley-gateway'
  if (env['npm_command'] === 'exec') return `npx ${PROGRAM}`
  // By a script of a project that has the package installed.
  if (env['npm_lifecycle_event'] !== undefined) return `npx ${PROGRAM}`
  if (script === undefined || basename(script, '.js') === PROGRAM) return PROGRAM
  const way = relative(folder, script)
  const path = way.startsWith('..') ? script : way
  return `node ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`
}

/** The same for a program of this machine that may run in any folder. `whole`: finds the file behind a link. */
export function startWords(script: string | undefined, env: Environment, whole: (path: string) => string = realpathSync): readonly string[] {
  if (isFetched(script, env)) return ['npx', '-y', 'parley-gateway']
  if (script === undefined || (basename(script) === PROGRAM && !script.includes('node_modules'))) return [PROGRAM]
  return ['node', whole(script)]
}
