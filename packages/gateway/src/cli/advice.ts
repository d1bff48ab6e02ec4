/** What to try next when a server could not be had: an error keeps its words and gets a hint. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import type { RemoteTarget } from 'parley-mcp/client'
import { credentialsHint } from './credentials.ts'
import { failed } from './failure.ts'
import { shellWord } from './shell-word.ts'
import type { Aim, TargetOptions } from './target.ts'

/** What the doctor can look into. */
const UNREACHED: ReadonlySet<ErrorKind> = new Set(['transport_error', 'connection_closed', 'initialization_timeout'])

/** `given`: how the server was named. `program`: how this program is called. */
export function advised(error: unknown, aim: Aim, given: TargetOptions, program: string): unknown {
  if (!(error instanceof ParleyError)) return error
  const hint = hintFor(error, aim, given, program)
  return hint === undefined ? error : failed(error.kind, error.message, { hint, data: error.data, cause: error })
}

function hintFor({ kind, data }: ParleyError, aim: Aim, given: TargetOptions, program: string): string | undefined {
  if (kind === 'unauthorized' && aim.subject.kind === 'url') return credentialsHint(aim)
  if (!UNREACHED.has(kind)) return undefined
  return `${pathHint(aim, data?.['status'])}${program} doctor ${sameServer(aim, given)} finds out more`
}

/** As it is typed again: without headers, which may be secrets, and nothing that would not work when it is copied. */
function sameServer({ subject, target, name }: Aim, { config, header, transport }: TargetOptions): string {
  if (config !== undefined && name !== undefined) return `--config ${shellWord(config)} --server ${shellWord(name)}`
  if (subject.kind === 'command') return ['--', subject.command, ...subject.args].map(shellWord).join(' ')
  const options = [header !== undefined && '--header', transport !== undefined && '--transport']
    .filter(Boolean)
    .join(' and ')
  const whole = new URL((target as RemoteTarget).url).href === subject.url
  const address = whole ? shellWord(subject.url) : 'with the same address'
  return options === '' ? address : `${address} ${whole ? 'with' : 'and'} the same ${options}`
}

function pathHint({ subject }: Aim, status: unknown): string {
  if (subject.kind !== 'url' || !subject.url.startsWith('http')) return ''
  const { pathname, origin } = new URL(subject.url)
  if (status === 404 && pathname !== '/mcp') return `did you mean ${origin}/mcp? `
  return pathname === '/' ? 'servers are usually at a path such as /mcp; ' : ''
}
