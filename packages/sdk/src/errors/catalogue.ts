/** Every error that Parley can raise or relay, as data. Error codes are written in `kinds/` and nowhere else. */
import { type ErrorEntry, STATELESS } from './kinds/entry.ts'
import { lookupErrors } from './kinds/lookups.ts'
import { messageErrors } from './kinds/messages.ts'
import { peerErrors } from './kinds/peers.ts'
import { refusalErrors } from './kinds/refusals.ts'
import { requestErrors } from './kinds/requests.ts'
import { sessionErrors } from './kinds/sessions.ts'
import { toolErrors } from './kinds/tools.ts'

export const catalogue = {
  ...messageErrors,
  ...sessionErrors,
  ...requestErrors,
  ...lookupErrors,
  ...toolErrors,
  ...peerErrors,
  ...refusalErrors,
} satisfies Record<string, ErrorEntry>

export type ErrorKind = keyof typeof catalogue

export const errorKinds: readonly ErrorKind[] = Object.keys(catalogue) as ErrorKind[]

export function isErrorKind(value: unknown): value is ErrorKind {
  return typeof value === 'string' && Object.hasOwn(catalogue, value)
}

/** The code of a kind toward a peer of the given version; without a version, the oldest one. */
export function codeOf(kind: ErrorKind, version = ''): number {
  const codes: ErrorEntry['codes'] = catalogue[kind].codes
  let code = (codes[0] as { code: number }).code
  for (const candidate of codes) if (candidate.since <= version) code = candidate.code
  return code
}

const SPECIFIED_BY_STATELESS: ReadonlySet<number> = new Set([-32020, -32021, -32022])

/** False for codes a version forbids to send: 2026-07-28 keeps -32020 to -32099 for itself and retired -32002. */
export function mayEmit(code: number, version = ''): boolean {
  if (version < STATELESS) return true
  if (code === -32002) return false
  return code > -32020 || code < -32099 || SPECIFIED_BY_STATELESS.has(code)
}
