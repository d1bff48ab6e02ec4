/** How whoever started this program can call it again: with what they have typed, as far as that can be known. */
import { basename, relative } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

const PROGRAM = 'parley'

export function invocation(script: string | undefined, env: Environment, folder: string = process.cwd()): string {
  // By npx: the name of the package, because a package called like the program would be somebody else's.
  if (env['npm_command'] === 'exec') return 'npx parley-gateway'
  // By a script of a project that has the package installed.
  if (env['npm_lifecycle_event'] !== undefined) return `npx ${PROGRAM}`
  if (script === undefined || basename(script, '.js') === PROGRAM) return PROGRAM
  const way = relative(folder, script)
  const path = way.startsWith('..') ? script : way
  return `node ${/^[\w./-]+$/.test(path) ? path : JSON.stringify(path)}`
}
