/** `parley bridge`: checks the arguments and connects standard input and output to one server. */
import type { CommandTarget } from '../../config/index.ts'
import { type GatewayLog, textLog } from '../../log/index.ts'
import { commandLaunch, EarlyLaunch } from '../../supervision/index.ts'
import { usageError } from '../failure.ts'
import type { CommandContext } from '../terminal/io.ts'
import { type BridgeArguments, type BridgeStart, bridgeStart, sameServer } from './bridge-start.ts'

/** `program`: how to call this program here. */
export async function bridgeCommand(
  given: BridgeArguments,
  { io, program }: Pick<CommandContext, 'io' | 'program'>,
): Promise<void> {
  const { config } = given
  const names = config === undefined || given.server !== undefined ? undefined : await namesIn(config)
  const [only, ...others] = names ?? []
  if (names?.length === 0) throw usageError(`There is no server in ${config}`)
  const start =
    only !== undefined && others.length === 0
      ? bridgeStart({ ...given, server: only })
      : bridgeStart(given, choice(names, given, program))
  if (io.stdin.isTTY === true) io.stderr.write(terminalNotice(start, program))
  const log = textLog('warning', (line) => void process.stderr.write(line))
  const early = start.upstream.kind === 'command' ? await launchedEarly(start.upstream, log) : undefined
  const { startBridge } = await import('./bridge.ts')
  await startBridge(start, { program, log, early })
}

/** A user who starts the bridge at a terminal would otherwise wait for output that never comes. */
export function terminalNotice(start: BridgeStart, program: string): string {
  return `The bridge speaks MCP on standard input; a client starts it. To look at the server: ${program} inspect ${sameServer(start)}. Ctrl-C ends it.\n`
}

/** The server loads while the bridge loads its other modules. */
function launchedEarly(target: CommandTarget, { warning }: GatewayLog): Promise<EarlyLaunch> {
  // The command has to find the same environment as without the bridge.
  return EarlyLaunch.start(
    commandLaunch(target, { childOptions: { inheritEnv: true }, warn: (message) => warning(message) }),
  )
}

/** Undefined if the file cannot be read. The doctor explains why. */
async function namesIn(config: string): Promise<readonly string[] | undefined> {
  const { serversOf } = await import('../arguments/configured-servers.ts')
  return await serversOf(config, undefined).then(
    (servers) => servers.map(({ name }) => name),
    () => undefined,
  )
}

function choice(names: readonly string[] | undefined, { config }: BridgeArguments, program: string): string {
  return names !== undefined
    ? `--server ${names.join(' | ')}`
    : `--server NAME; ${program} doctor --config ${config} lists the servers`
}
