/** Recognises peers that speak another protocol than the address says, by the error messages of runtimes. */
import { MAX_CAUSES } from './causes.ts'

type Describe = (address: string, said: string) => string

/** TLS is negotiated first, so that error is about the port. Invalid HTTP may also follow valid answers. */
const SIGNS: readonly (readonly [sign: RegExp, describe: Describe])[] = [
  [
    /wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long/i,
    (address) => `the port does not speak TLS; did you mean ${address.replace(/^(http|ws)s:/, '$1:')}?`,
  ],
  [/HPE_INVALID_CONSTANT|Expected HTTP\//, (_, said) => `what came is not HTTP (${said})`],
]

/** The end of an error message. Undefined for other errors. `address`: the address as shown to users. */
export function wrongProtocol(address: string, error: unknown, depth = MAX_CAUSES): string | undefined {
  if (error === undefined || error === null || depth === 0) return undefined
  const { cause, code, message } = (typeof error === 'string' ? { message: error } : error) as {
    cause?: unknown
    code?: unknown
    message?: unknown
  }
  const text = `${String(code)} ${String(message)}`
  const found = SIGNS.find(([sign]) => sign.test(text))
  return found === undefined ? wrongProtocol(address, cause, depth - 1) : found[1](address, String(message ?? code))
}
