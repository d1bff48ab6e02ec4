/** Adds a hint to the error of a server that was not reached. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { RemoteTarget } from 'parley-mcp/client'
import type { SelectedServer, TargetOptions } from '../arguments/selected-server.ts'
import { shellWord } from '../arguments/shell-word.ts'
import { failed } from '../failure.ts'

/** Errors that the doctor can explain. */
const UNREACHED: ReadonlySet<ErrorKind> = new Set(['transport_error', 'connection_closed', 'initialization_timeout'])

/** `given`: how the user named the server. `program`: how to call this program here. */
export function withHint(error: unknown, selected: SelectedServer, given: TargetOptions, program: string): unknown {
  if (!(error instanceof ParleyError)) return error
  const hint = hintFor(error, selected, given, program)
  return hint === undefined ? error : failed(error.kind, error.message, { hint, data: error.data, cause: error })
}

function hintFor(
  { kind, data }: ParleyError,
  selected: SelectedServer,
  given: TargetOptions,
  program: string,
): string | undefined {
  if (kind === 'unauthorized' && selected.reference.kind === 'url') return credentialsHint(selected)
  if (!UNREACHED.has(kind)) return undefined
  return `${pathHint(selected, data?.['status'])}${program} doctor ${sameServer(selected, given)} explains why`
}

/** The arguments that name the same server again. Leaves out headers, which may be secrets, and text that would not work. */
function sameServer({ reference, target, name }: SelectedServer, { config, header, transport }: TargetOptions): string {
  if (config !== undefined && name !== undefined) return `--config ${shellWord(config)} --server ${shellWord(name)}`
  if (reference.kind === 'command') return ['--', reference.command, ...reference.args].map(shellWord).join(' ')
  const options = [header !== undefined && '--header', transport !== undefined && '--transport']
    .filter(Boolean)
    .join(' and ')
  const whole = new URL((target as RemoteTarget).url).href === reference.url
  const address = whole ? shellWord(reference.url) : 'with the same address'
  return options === '' ? address : `${address} ${whole ? 'with' : 'and'} the same ${options}`
}

function pathHint({ reference }: SelectedServer, status: unknown): string {
  if (reference.kind !== 'url' || !reference.url.startsWith('http')) return ''
  const { pathname, origin } = new URL(reference.url)
  if (status === 404 && pathname !== '/mcp') return `did you mean ${origin}/mcp? `
  return pathname === '/' ? 'servers are usually at a path such as /mcp; ' : ''
}

export function hasHeaders({ headers }: RemoteTarget): boolean {
  return typeof headers === 'object' && Object.keys(headers).length > 0
}

export function credentialsHint({ target }: SelectedServer): string {
  return hasHeaders(target as RemoteTarget)
    ? 'the server does not accept the credentials: get new ones'
    : `give credentials: --header 'Authorization: Bearer …', or "headers" in the configuration`
}
