/** `parley bridge`: checks what was written and starts the bridge between standard input and output and one server. */
import type { CommandTarget } from '../config/index.ts'
import { type GatewayLog, textLog } from '../log/index.ts'
import { commandLaunch, EarlyLaunch } from '../supervision/index.ts'
import type { Surroundings } from './connecting.ts'
import { usageError } from './failure.ts'
import type { SharedOptions } from './options.ts'
import { sameServer } from './serve/same-server.ts'
import type { BridgeStart } from './serve/starts.ts'
import { addressIn, demandNoAddress, headersFrom, NEEDS_CONFIG, type Wish } from './target.ts'

type Given = Wish & Pick<SharedOptions, 'timeout' | 'version'>

/** `program`: how this program is called. */
export async function bridgeCommand(
  given: Given,
  { io, program }: Pick<Surroundings, 'io' | 'program'>,
): Promise<void> {
  const { config } = given
  const names = config === undefined || given.server !== undefined ? undefined : await namesIn(config)
  const [only, ...others] = names ?? []
  if (names?.length === 0) throw usageError(`There is no server in ${config}`)
  const start =
    only !== undefined && others.length === 0
      ? bridgeStart({ ...given, server: only })
      : bridgeStart(given, choice(names, given, program))
  if (io.stdin.isTTY === true) io.stderr.write(forPeople(start, program))
  const log = textLog('warning', (line) => void process.stderr.write(line))
  const early = start.upstream.kind === 'command' ? await launchedEarly(start.upstream, log) : undefined
  const { startBridge } = await import('./serve/bridge.ts')
  await startBridge(start, { program, log, early })
}

/** Whoever has typed it waits for something that does not come. */
export function forPeople(start: BridgeStart, program: string): string {
  return `The bridge speaks MCP on standard input; a client starts it. To look at the server: ${program} inspect ${sameServer(start)}. Ctrl-C ends it.\n`
}

/** The server loads while the bridge loads the rest of itself. */
function launchedEarly(target: CommandTarget, { warning }: GatewayLog): Promise<EarlyLaunch> {
  // Whoever writes a command expects it to find what it would find without the bridge.
  return EarlyLaunch.start(
    commandLaunch(target, { childOptions: { inheritEnv: true }, warn: (message) => warning(message) }),
  )
}

/** Undefined where the file cannot be read, which the doctor knows more about. */
async function namesIn(config: string): Promise<readonly string[] | undefined> {
  const { serversOf } = await import('./configured.ts')
  return await serversOf(config, undefined).then(
    (servers) => servers.map(({ name }) => name),
    () => undefined,
  )
}

function choice(names: readonly string[] | undefined, { config }: Given, program: string): string {
  return names !== undefined
    ? `--server ${names.join(' | ')}`
    : `--server NAME; ${program} doctor --config ${config} shows which there are`
}

/** `names`: the servers to choose from, where a configuration is given without a name. */
export function bridgeStart(given: Given, names = ''): BridgeStart {
  const { url, command, config, server, header = [], transport, timeout, version } = given
  if (server !== undefined && config === undefined) throw usageError(NEEDS_CONFIG)
  const ways = [url !== undefined, command.length > 0, config !== undefined].filter(Boolean).length
  if (ways !== 1)
    throw usageError(
      ways === 0 ? 'No server was given' : 'Only one server can be bridged',
      '--config F --server NAME, or an address, or -- COMMAND ARGS',
    )
  if (url === undefined) demandNoAddress(given)
  const limits = { timeout, version }
  if (config !== undefined) {
    if (server === undefined) throw usageError('Which server of the configuration?', names)
    return { upstream: { kind: 'configured', config, server }, ...limits }
  }
  if (url !== undefined)
    return {
      upstream: { kind: 'remote', url: addressIn(url).href, transport, headers: headersFrom(header) },
      ...limits,
    }
  const [program = '', ...args] = command
  return { upstream: { kind: 'command', command: program, args, env: {}, cwd: undefined }, ...limits }
}
