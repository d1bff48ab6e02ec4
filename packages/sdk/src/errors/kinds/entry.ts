/** The shape of a kind of error, and the codes that many kinds share. */

export type Advice = 'retry' | 'reconnect' | 'abort' | 'ignore'

export interface ErrorEntry {
  /** Wire codes, oldest first: the last one whose `since` is not after the peer's version applies. */
  readonly codes: readonly { readonly since: string; readonly code: number }[]
  readonly httpStatus: number
  readonly message: string
  readonly recoverable: boolean
  readonly advice: Advice
  /** The code this kind has in the `erlmcp` dialect; it never travels in specification traffic. */
  readonly erlmcpCode?: number
  /** When it happens, one sentence for the documentation. */
  readonly when: string
}

export const always = (code: number): ErrorEntry['codes'] => [{ since: '', code }]
export const until = (code: number, version: string, later: number): ErrorEntry['codes'] => [
  { since: '', code },
  { since: version, code: later },
]
/** The first version with codes of its own for some kinds. */
export const STATELESS = '2026-07-28'

export const INVALID_REQUEST = always(-32600)
export const METHOD_NOT_FOUND = always(-32601)
export const INVALID_PARAMS = always(-32602)
export const INTERNAL = always(-32603)

export function entry(
  codes: ErrorEntry['codes'],
  httpStatus: number,
  message: string,
  advice: Advice,
  when: string,
  erlmcpCode?: number,
): ErrorEntry {
  const recoverable = advice === 'retry' || advice === 'reconnect'
  return { codes, httpStatus, message, recoverable, advice, when, ...(erlmcpCode === undefined ? {} : { erlmcpCode }) }
}
