/** Runs programs the way a user would, and shows what they said when they fail. */
import { execFileSync } from 'node:child_process'

/** Node and npm announce themselves to their children through the environment; a user's shell has none of that. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|NODE_OPTIONS$|NODE_PATH$|VITEST|NODE_V8_COVERAGE$|INIT_CWD$)/i.test(name),
  )
  return Object.fromEntries(kept)
}

/** Standard output of the program; throws with everything it wrote when it does not end with 0. */
export function run(command: string, args: readonly string[], cwd: string): string {
  try {
    return execFileSync(command, args, {
      cwd,
      env: plainEnvironment(),
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')} failed:\n${stdout ?? ''}${stderr ?? ''}`, { cause: error })
  }
}
