/** Ports that speak another language than the address says, recognised by what runtimes and libraries say of it: their words are about their own insides. */

const SIGNS: readonly (readonly [sign: RegExp, language: 'TLS' | 'HTTP'])[] = [
  [/wrong[ _]version[ _]number|packet[ _]length[ _]too[ _]long/i, 'TLS'],
  [/HPE_INVALID_CONSTANT|Expected HTTP\//, 'HTTP'],
]

/** As a part of a sentence; undefined where it is something else. `address`: as people are shown it. */
export function wrongLanguage(address: string, error: unknown): string | undefined {
  const { cause, code, message } = (typeof error === 'object' && error !== null ? error : {}) as { cause?: unknown; code?: unknown; message?: unknown }
  const words = typeof error === 'string' ? error : `${String(code)} ${String(message)}`
  const found = SIGNS.find(([sign]) => sign.test(words))
  if (found === undefined) return cause === undefined || cause === error ? undefined : wrongLanguage(address, cause)
  const [, language] = found
  return `the port does not speak ${language}${language === 'TLS' ? `; did you mean ${address.replace(/^(http|ws)s:/, '$1:')}?` : ''}`
}
