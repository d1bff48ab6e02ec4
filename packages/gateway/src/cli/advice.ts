/** What to try next when a server could not be had: an error keeps its words and gets a hint. */
import { type ErrorKind, ParleyError } from 'parley-mcp'
import { failed } from './failure.ts'
import type { Aim, Subject } from './target.ts'

/** What the doctor can look into. */
const UNREACHED: ReadonlySet<ErrorKind> = new Set(['transport_error', 'connection_closed', 'initialization_timeout'])

/** `config`: the file the server was named in. */
export function advised(error: unknown, { subject, name }: Aim, config: string | undefined): unknown {
  if (!(error instanceof ParleyError) || !UNREACHED.has(error.kind)) return error
  const way = config === undefined || name === undefined ? written(subject) : `--config ${config} --server ${name}`
  const path = subject.kind === 'url' && isRoot(subject.url) ? 'servers are usually at a path such as /mcp; ' : ''
  return failed(error.kind, error.message, { hint: `${path}parley doctor ${way} finds out more`, data: error.data, cause: error })
}

function written(subject: Subject): string {
  return subject.kind === 'url' ? subject.url : ['--', subject.command, ...subject.args].join(' ')
}

function isRoot(address: string): boolean {
  const { protocol, pathname } = new URL(address)
  return protocol.startsWith('http') && pathname === '/'
}
