/** `parley bridge`: checks what was written and starts the bridge between standard input and output and one server. */
import { milliseconds } from 'parley-mcp/engine'
import { usageError } from './failure.ts'
import type { SharedOptions } from './options.ts'
import type { BridgeStart } from './serve/starts.ts'
import { addressIn, demandNoAddress, headersFrom, type Wish } from './target.ts'

type Given = Wish & Pick<SharedOptions, 'timeout'>

export async function bridgeCommand(given: Given): Promise<void> {
  const start = bridgeStart(given)
  const { startBridge } = await import('./serve/bridge.ts')
  await startBridge(start)
}

export function bridgeStart(given: Given): BridgeStart {
  const { url, command, config, server, header = [], transport, timeout } = given
  const ways = [url !== undefined, command.length > 0, config !== undefined].filter(Boolean).length
  if (ways !== 1)
    throw usageError(ways === 0 ? 'No server was given' : 'Only one server can be bridged', '--config F --server NAME, or an address, or -- COMMAND ARGS')
  if (url === undefined) demandNoAddress(given)
  const limits = { timeout: timeout === undefined ? undefined : milliseconds(timeout) }
  if (config !== undefined) {
    if (server === undefined) throw usageError('Which server of the configuration?', `--server NAME; parley doctor --config ${config} shows which there are`)
    return { upstream: { kind: 'configured', config, server }, ...limits }
  }
  if (server !== undefined) throw usageError('--server names a server of a configuration: it needs --config')
  if (url !== undefined) return { upstream: { kind: 'remote', url: addressIn(url).href, transport, headers: headersFrom(header) }, ...limits }
  const [program = '', ...args] = command
  return { upstream: { kind: 'command', command: program, args, env: {}, cwd: undefined }, ...limits }
}
