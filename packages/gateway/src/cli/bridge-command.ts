/** `parley bridge`: checks what was written and starts the bridge between standard input and output and one server. */
import { milliseconds } from 'parley-mcp/engine'
import { usageError } from './failure.ts'
import type { SharedOptions } from './options.ts'
import type { BridgeStart } from './serve/starts.ts'
import { addressIn, demandNoAddress, headersFrom, NEEDS_CONFIG, type Wish } from './target.ts'

type Given = Wish & Pick<SharedOptions, 'timeout'>

/** `program`: how this program is called. */
export async function bridgeCommand(given: Given, program: string): Promise<void> {
  const unclear = given.config !== undefined && given.server === undefined
  const start = bridgeStart(given, unclear ? await choiceIn(given.config as string, program) : '')
  const { startBridge } = await import('./serve/bridge.ts')
  await startBridge(start, program)
}

async function choiceIn(config: string, program: string): Promise<string> {
  const { serversOf } = await import('./configured.ts')
  const names = await serversOf(config, undefined).then(
    (servers) => servers.map(({ name }) => name),
    () => [],
  )
  return names.length > 0 ? `--server ${names.join(' | ')}` : `--server NAME; ${program} doctor --config ${config} shows which there are`
}

/** `choice`: the servers to choose from, where a configuration is given without a name. */
export function bridgeStart(given: Given, choice = ''): BridgeStart {
  const { url, command, config, server, header = [], transport, timeout } = given
  if (server !== undefined && config === undefined) throw usageError(NEEDS_CONFIG)
  const ways = [url !== undefined, command.length > 0, config !== undefined].filter(Boolean).length
  if (ways !== 1)
    throw usageError(ways === 0 ? 'No server was given' : 'Only one server can be bridged', '--config F --server NAME, or an address, or -- COMMAND ARGS')
  if (url === undefined) demandNoAddress(given)
  const limits = { timeout: timeout === undefined ? undefined : milliseconds(timeout) }
  if (config !== undefined) {
    if (server === undefined) throw usageError('Which server of the configuration?', choice)
    return { upstream: { kind: 'configured', config, server }, ...limits }
  }
  if (url !== undefined) return { upstream: { kind: 'remote', url: addressIn(url).href, transport, headers: headersFrom(header) }, ...limits }
  const [program = '', ...args] = command
  return { upstream: { kind: 'command', command: program, args, env: {}, cwd: undefined }, ...limits }
}
