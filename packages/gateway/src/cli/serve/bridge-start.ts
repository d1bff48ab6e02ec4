/** The checked options of `parley bridge`: which server it reaches, and how to name that server again. */
import type { ProtocolVersion } from 'parley-mcp'
import type { Duration } from 'parley-mcp/client'
import type { CommandTarget, RemoteTarget } from '../../config/index.ts'
import type { SharedOptions } from '../arguments/options.ts'
import {
  addressIn,
  demandNoAddress,
  headersFrom,
  NEEDS_CONFIG,
  type ServerSelection,
  shown,
} from '../arguments/selected-server.ts'
import { shellWord } from '../arguments/shell-word.ts'
import { usageError } from '../failure.ts'

export type BridgeArguments = ServerSelection & Pick<SharedOptions, 'timeout' | 'version'>

export interface BridgeStart {
  /** A server by its name in a configuration, or as the command line describes it. */
  readonly upstream:
    | { readonly kind: 'configured'; readonly config: string; readonly server: string }
    | CommandTarget
    | RemoteTarget
  /** The only version to speak with the server. */
  readonly version: ProtocolVersion | undefined
  /** Default: the timeouts of the configuration. */
  readonly timeout: Duration | undefined
}

/** `names`: the servers to choose from, if a configuration is given without a name. */
export function bridgeStart(given: BridgeArguments, names = ''): BridgeStart {
  const { url, command, config, server, header = [], transport, timeout, version } = given
  if (server !== undefined && config === undefined) throw usageError(NEEDS_CONFIG)
  const selections = [url !== undefined, command.length > 0, config !== undefined].filter(Boolean).length
  if (selections !== 1)
    throw usageError(
      selections === 0 ? 'No server was given' : 'Only one server can be bridged',
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

/**
 * The arguments that name the same server in another command. Leaves out headers, which may be secrets, and text that
 * would not work when it is copied.
 */
export function sameServer({ upstream }: BridgeStart): string {
  if (upstream.kind === 'configured') return `--config ${shellWord(upstream.config)} --server ${upstream.server}`
  if (upstream.kind === 'command') return ['--', ...[upstream.command, ...upstream.args].map(shellWord)].join(' ')
  const url = shown(new URL(upstream.url))
  return url === upstream.url ? shellWord(url) : 'with the same address'
}
