/**
 * Peers that speak another language than the address says, recognised by what runtimes and libraries say of it: their
 * words are about their own insides.
 */
import { MAX_CAUSES } from './causes.ts'

type Describe = (address: string, said: string) => string

/**
 * TLS is missed when a connection begins, so that it is the port's. What is no HTTP may also come behind answers that
 * were.
 */
const SIGNS: readonly (readonly [sign: RegExp, describe: Describe])[] = [
  [
    /wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long/i,
    (address) => `the port does not speak TLS; did you mean ${address.replace(/^(http|ws)s:/, '$1:')}?`,
  ],
  [/HPE_INVALID_CONSTANT|Expected HTTP\//, (_, said) => `what came is not HTTP (${said})`],
]

/** As a part of a sentence; undefined where it is something else. `address`: as people are shown it. */
export function wrongLanguage(address: string, error: unknown, depth = MAX_CAUSES): string | undefined {
  if (error === undefined || error === null || depth === 0) return undefined
  const { cause, code, message } = (typeof error === 'string' ? { message: error } : error) as {
    cause?: unknown
    code?: unknown
    message?: unknown
  }
  const words = `${String(code)} ${String(message)}`
  const found = SIGNS.find(([sign]) => sign.test(words))
  return found === undefined ? wrongLanguage(address, cause, depth - 1) : found[1](address, String(message ?? code))
}
