/** The servers that a command line selects, ready to connect. */
import { existsSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import type { NodeConnectOptions, NodeTarget } from 'parley-mcp/node'
import type { RemoteTransport, ServerConfig } from '../../config/index.ts'
import { usageError } from '../failure.ts'
import { shellWord } from './shell-word.ts'

/** Options that select a server and describe how to reach it. */
export interface TargetOptions {
  config?: string
  server?: string
  header?: readonly string[]
  transport?: RemoteTransport
}

/** The selection as the user wrote it. */
export interface ServerSelection extends TargetOptions {
  url?: string | undefined
  /** After `--`. */
  command: readonly string[]
}

/** A server as reports name it, without environment, headers and passwords. */
export type ServerReference =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }

export interface SelectedServer {
  /** For messages: the name in the configuration, the address, or the command. */
  readonly label: string
  readonly name: string | undefined
  readonly reference: ServerReference
  readonly target: NodeTarget
  readonly options: Pick<NodeConnectOptions, 'versions' | 'timeout' | 'initialiseTimeout' | 'dialect'>
}

/** The same server with another target. */
export function withTarget(selected: SelectedServer, target: NodeTarget): SelectedServer {
  return { ...selected, target }
}

export const NEEDS_CONFIG = '--server names a server of a configuration, so it needs --config'

const FORMS =
  'give an address (http://…, https://…, ws://…, wss://…, tcp://host:port), a command after "--", or --config FILE'

/** Throws a usage error unless the user selected in exactly one way. */
export async function selectServers(selection: ServerSelection): Promise<SelectedServer[]> {
  const given = [
    selection.url !== undefined && 'an address',
    selection.command.length > 0 && 'a command',
    selection.config !== undefined && '--config',
  ].filter(Boolean)
  if (selection.config === undefined && selection.server !== undefined) throw usageError(NEEDS_CONFIG)
  if (given.length === 0) throw usageError('No server was given', FORMS)
  if (given.length > 1) throw usageError(`Only one of ${given.join(' and ')} can select the server`, FORMS)
  if (selection.url !== undefined) return [serverAtUrl(selection.url, selection)]
  demandNoAddress(selection)
  if (selection.config === undefined) return [serverOfCommand(selection.command)]
  const { serversOf } = await import('./configured-servers.ts')
  return (await serversOf(selection.config, selection.server)).map(configuredServer)
}

/** For commands and configurations, which have no headers and transport on the command line. */
export function demandNoAddress({ header, transport }: TargetOptions): void {
  if (header !== undefined || transport !== undefined) throw usageError('--header and --transport need an address')
}

/** The same for commands that need exactly one server. */
export async function selectServer(selection: ServerSelection): Promise<SelectedServer> {
  const [selected, ...others] = await selectServers(selection)
  if (selected === undefined) throw usageError(`There is no server in ${selection.config}`)
  if (others.length > 0)
    throw usageError(
      'Which server of the configuration?',
      `--server ${[selected, ...others].map((each) => each.name).join(' | ')}`,
    )
  return selected
}

export function serverAtUrl(text: string, { header = [], transport }: TargetOptions = {}): SelectedServer {
  const url = addressIn(text)
  const headers = headersFrom(header)
  if (url.protocol === 'tcp:' && header.length > 0) throw usageError('A tcp:// address has no headers')
  return {
    label: shown(url),
    name: undefined,
    reference: { kind: 'url', url: shown(url) },
    target: { url, ...(header.length === 0 ? {} : { headers }), ...(transport === undefined ? {} : { transport }) },
    options: { initialiseTimeout: '10s' },
  }
}

/** The command gets the user's environment, as if the user had started it directly. */
function serverOfCommand([command = '', ...args]: readonly string[]): SelectedServer {
  return {
    label: [command, ...args].join(' '),
    name: undefined,
    reference: { kind: 'command', command, args },
    target: { command, args, inheritEnv: true },
    // Commands such as npx may have to fetch the program first (L2).
    options: { initialiseTimeout: '60s' },
  }
}

export function configuredServer({
  name,
  target,
  versions,
  dialect,
  timeout,
  initialiseTimeout,
}: ServerConfig): SelectedServer {
  const options = { timeout, initialiseTimeout, ...(versions && { versions }), ...(dialect && { dialect }) }
  if (target.kind === 'command') {
    const { command, args, env, cwd } = target
    const spec = { command, args, env: { ...env }, ...(cwd === undefined ? {} : { cwd }) }
    return { label: name, name, reference: { kind: 'command', command, args }, target: spec, options }
  }
  const { headers, transport } = target
  const url = addressIn(target.url)
  return {
    label: name,
    name,
    reference: { kind: 'url', url: shown(url) },
    target: { url, headers, ...(transport === undefined ? {} : { transport }) },
    options,
  }
}

const SCHEMES: readonly string[] = ['http:', 'https:', 'ws:', 'wss:', 'tcp:']
const HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:[/?]|$)/i

/** Whether the text is probably an address without a scheme. */
export function isHost(text: string): boolean {
  return text.length <= 200 && HOST.test(text)
}

/** The only address among the words of a command. `line`: how to call the command. */
export function soleAddress([first, ...more]: readonly string[], line: string): string | undefined {
  if (first === undefined || more.length === 0) return first
  if (first.includes('://')) throw usageError(`Too many arguments: ${JSON.stringify(more[0])} follows the address`)
  throw usageError('Write -- before the command', `${line} -- ${[first, ...more].join(' ')}`)
}

/** The program that runs a file, by the ending of the file. */
const RUNNERS: Readonly<Record<string, string>> = {
  '.js': 'node',
  '.mjs': 'node',
  '.cjs': 'node',
  '.ts': 'node',
  '.py': 'python3',
  '.sh': 'sh',
}

/** The command that starts the file of that name, if it exists. */
function programOf(text: string): string | undefined {
  if (text.includes('://') || text.length > 200 || !existsSync(text)) return undefined
  const runner = RUNNERS[extname(text)]
  return runner === undefined ? shellWord(resolve(text) === text ? text : `./${text}`) : `${runner} ${shellWord(text)}`
}

export function addressIn(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && SCHEMES.includes(url.protocol)) return url
  const quoted = JSON.stringify(text.slice(0, 200))
  const program = programOf(text)
  if (program !== undefined)
    throw usageError(`${quoted} is a file, not an address`, `to start it, write it after "--": -- ${program}`)
  if (!text.includes('://') && isHost(text))
    throw usageError(`${quoted} has no scheme`, `did you mean "http://${text}"?`)
  if (!text.includes('://'))
    throw usageError(`${quoted} is not an address`, `to start a program, write it after "--": -- ${text}`)
  throw usageError(
    `${quoted} has a scheme that Parley does not support`,
    'addresses begin with http://, https://, ws://, wss:// or tcp://',
  )
}

/** Leaves out what may be a secret: user, password, and the values of the query. */
export function shown(url: URL): string {
  const query = [...url.searchParams.keys()].map((key) => `${encodeURIComponent(key)}=…`).join('&')
  return `${url.protocol}//${url.host}${url.pathname}${query === '' ? '' : `?${query}`}`
}

const TOKEN = /^[\w!#$%&'*+.^`|~-]{1,128}$/

export function headersFrom(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      const [name, value] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      // The message leaves out the text, because it may be a secret.
      if (at < 1 || !TOKEN.test(name) || /[\r\n\0]/.test(value))
        throw usageError('A --header is not of the form NAME: VALUE', `--header 'Authorization: Bearer …'`)
      return [name, value]
    }),
  )
}
