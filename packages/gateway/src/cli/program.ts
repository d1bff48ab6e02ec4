/** The `parley` command: from a command line to its exit code. */

import type { ServerSelection } from './arguments/selected-server.ts'
import { EXIT, usageError } from './failure.ts'
import type { CommandContext } from './terminal/io.ts'

/** Runs one command line and returns its exit code. Never throws. */
export async function runCli(line: readonly string[], context: CommandContext): Promise<number> {
  const at = line.indexOf('--')
  const [own, command] = at === -1 ? [line, []] : [line.slice(0, at), line.slice(at + 1)]
  const json = own.includes('--json')
  try {
    if (at !== -1 && command.length === 0)
      throw usageError('A command is expected after "--"', `for example: ${context.program} inspect -- node server.js`)
    const plain = plainBridge(own, command)
    if (plain === undefined) return await runCommand(own, command, context)
    await (await import('./serve/bridge-command.ts')).bridgeCommand(plain, context)
    return EXIT.ok
  } catch (error) {
    return (await import('./failure-report.ts')).printFailure(error, context.io, json)
  }
}

/**
 * The bridge without options, as clients start it. It skips the parser of options, which loads slowly while a client
 * waits.
 */
function plainBridge([name, ...words]: readonly string[], command: readonly string[]): ServerSelection | undefined {
  const [url] = words
  const isPlain = name === 'bridge' && words.length + Math.min(command.length, 1) === 1 && url?.startsWith('-') !== true
  return isPlain ? { url, command } : undefined
}

async function runCommand(
  own: readonly string[],
  command: readonly string[],
  context: CommandContext,
): Promise<number> {
  const { CommanderError } = await import('commander')
  const { createProgram } = await import('./commands.ts')
  const json = own.includes('--json')
  let exit: number = EXIT.ok
  const setExit = (code: number): void => {
    exit = code
  }
  try {
    await createProgram({ context, command, setExit }, json).parseAsync(own, { from: 'user' })
    return exit
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return EXIT.ok
    if (json) throw usageError(error.message.replace(/^error: /, ''))
    return EXIT.usage
  }
}
