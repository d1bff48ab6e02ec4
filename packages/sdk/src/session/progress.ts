/** Reads what a peer tells of the progress of a request. */
import type { Body } from '../jsonrpc/index.ts'
import type { Progress } from './options.ts'

/** What progress consists of; the token is this side's own. */
const KNOWN: ReadonlySet<string> = new Set(['progressToken', 'progress', 'total', 'message'])

/** Undefined when there is no number. */
export function readProgress(params: Body): Progress | undefined {
  const { progress, total, message } = params
  if (typeof progress !== 'number') return undefined
  const told: Progress = { progress }
  if (typeof total === 'number') told.total = total
  if (typeof message === 'string') told.message = message
  // Nearly always there is nothing more.
  const names = Object.keys(params).filter((name) => !KNOWN.has(name))
  if (names.length > 0) told.more = Object.fromEntries(names.map((name) => [name, params[name]]))
  return told
}
