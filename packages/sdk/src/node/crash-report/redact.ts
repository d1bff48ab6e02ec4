/** Takes secrets out of texts that are kept: values of the environment, and what looks like a credential. */

/** Shorter values are words, and words are in every text. */
const SHORTEST = 6
const SCHEMES = /\b(bearer|basic)\s+[^\s"',;)}\]]{4,}/gi
const NAMED =
  /\b(authorization|token|secret|password|passwd|api[_-]?key|cookie)(["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;)}\]]{4,}/gi
/** The user and the password of an address, and everything behind its question mark. */
const ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]+@)?([^\s?#"')]*)(?:\?[^\s"')]*)?/gi

export function redact(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  let clean = text
  const values = Object.entries(environment).filter(
    (entry): entry is [string, string] => (entry[1]?.length ?? 0) >= SHORTEST,
  )
  // The longest first, because one may be part of another.
  for (const [name, value] of values.sort(([, one], [, two]) => two.length - one.length))
    clean = clean.replaceAll(value, `[${name}]`)
  return clean.replace(ADDRESS, '$1$2').replace(NAMED, '$1$2[secret]').replace(SCHEMES, '$1 [secret]')
}
