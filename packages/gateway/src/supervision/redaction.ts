/** Removes the secrets that the configuration passes to a server from texts that the server sends. */
import type { CommandTarget, RemoteTarget } from '../config/index.ts'

export type Redact = (text: string) => string

/** Shorter values and these words appear in ordinary texts, so they are not treated as secrets. */
const SHORTEST = 4
const HARMLESS: ReadonlySet<string> = new Set([
  ...[
    'true',
    'false',
    'null',
    'none',
    'auto',
    'test',
    'debug',
    'info',
    'warn',
    'warning',
    'error',
    'verbose',
    'silent',
  ],
  ...[
    'production',
    'development',
    'staging',
    'localhost',
    '127.0.0.1',
    'utf8',
    'utf-8',
    'UTF-8',
    'C.UTF-8',
    'en_US.UTF-8',
  ],
])

export function redactionFor(target: CommandTarget | RemoteTarget): Redact {
  const given =
    target.kind === 'command'
      ? Object.entries(target.env)
      : [...Object.entries(target.headers), ...secretsIn(target.url)]
  const labels = new Map<string, string>()
  for (const [name, value] of given) for (const form of formsOf(value)) labels.set(form, `[${name}]`)
  // Longest first, because one secret may contain another.
  const secrets = [...labels].sort(([one], [two]) => two.length - one.length)
  if (secrets.length === 0) return (text) => text
  return (text) =>
    secrets.reduce(
      (clean, [secret, label]) => (clean.includes(secret) ? clean.replaceAll(secret, () => label) : clean),
      text,
    )
}

/** The forms in which a text may contain the value. */
function formsOf(value: string): string[] {
  const [, credentials = ''] = /^\S+\s+(\S.*)$/.exec(value) ?? []
  const parts = [value, ...(value.includes('\n') ? value.split(/\r?\n/) : [credentials])].map((part) => part.trim())
  const secrets = parts.filter((part) => part.length >= SHORTEST && !HARMLESS.has(part))
  return secrets.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encoded(part)])
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // A lone surrogate cannot be encoded.
    return text
  }
}

function secretsIn(address: string): [string, string][] {
  if (!URL.canParse(address)) return []
  const { password, searchParams } = new URL(address)
  return [['password', password], ['password', decoded(password)], ...searchParams]
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/**
 * Removes the body of a remote server's refusal. It may contain a stack trace or concern another client (E2), so only
 * the operator's log shows it.
 */
export function withoutBody(text: string): string {
  const at = /\banswered \d{3}\b[^:\n]{0,100}: /.exec(text)
  return at === null ? text : text.slice(0, at.index + at[0].length - 2)
}

/** Removes the search path, which only the operator's log shows. The text may have been cut inside the path. */
export function withoutPath(text: string): string {
  return text.replace(/(no such command in PATH) \(.*?(?:\)(?=; give its full path)|$)/s, '$1')
}
