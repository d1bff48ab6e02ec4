/** Removes secrets from texts: values of environment variables, and what looks like a credential. */

/** Shorter values may be ordinary words. */
const MIN_SECRET_LENGTH = 6
const SCHEMES = /\b(bearer|basic)\s+[^\s"',;)}\]]{4,}/gi
const NAMED =
  /\b(authorization|token|secret|password|passwd|api[_-]?key|cookie)(["']?\s*[=:]\s*["']?)(?:(?:bearer|basic)\s+)?[^\s"',;)}\]]{4,}/gi
/** The user, the password and the query of an address. */
const ADDRESS = /\b([a-z][a-z0-9+.-]*:\/\/)(?:[^\s/@]+@)?([^\s?#"')]*)(?:\?[^\s"')]*)?/gi

export function redact(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  let clean = text
  const values = Object.entries(environment).filter(
    (entry): entry is [string, string] => (entry[1]?.length ?? 0) >= MIN_SECRET_LENGTH,
  )
  // Longest first, because one value may be part of another.
  for (const [name, value] of values.sort(([, one], [, two]) => two.length - one.length))
    clean = clean.replaceAll(value, `[${name}]`)
  return clean.replace(ADDRESS, '$1$2').replace(NAMED, '$1$2[secret]').replace(SCHEMES, '$1 [secret]')
}
