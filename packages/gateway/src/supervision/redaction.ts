/** Takes what the configuration gives an upstream in confidence out of the texts that come back from it. */
import type { CommandTarget, RemoteTarget } from '../config/index.ts'

export type Redact = (text: string) => string

/** Shorter values are in every text, and so are these words. */
const SHORTEST = 4
const HARMLESS: ReadonlySet<string> = new Set([
  ...['true', 'false', 'null', 'none', 'auto', 'test', 'debug', 'info', 'warn', 'warning', 'error', 'verbose', 'silent'],
  ...['production', 'development', 'staging', 'localhost', '127.0.0.1', 'utf8', 'utf-8', 'UTF-8', 'C.UTF-8', 'en_US.UTF-8'],
])

export function redactionFor(target: CommandTarget | RemoteTarget): Redact {
  const given = target.kind === 'command' ? Object.entries(target.env) : [...Object.entries(target.headers), ...secretsIn(target.url)]
  const labels = new Map<string, string>()
  for (const [name, value] of given) for (const form of formsOf(value)) labels.set(form, `[${name}]`)
  // The longest first, because one may be part of another.
  const secrets = [...labels].sort(([one], [two]) => two.length - one.length)
  if (secrets.length === 0) return (text) => text
  return (text) => secrets.reduce((clean, [secret, label]) => (clean.includes(secret) ? clean.replaceAll(secret, () => label) : clean), text)
}

/** The ways in which a value may be written down. */
function formsOf(value: string): string[] {
  const [, credentials = ''] = /^\S+\s+(\S.*)$/.exec(value) ?? []
  const parts = [value, ...(value.includes('\n') ? value.split(/\r?\n/) : [credentials])].map((part) => part.trim())
  const kept = parts.filter((part) => part.length >= SHORTEST && !HARMLESS.has(part))
  return kept.flatMap((part) => [part, JSON.stringify(part).slice(1, -1), encoded(part)])
}

function encoded(text: string): string {
  try {
    return encodeURIComponent(text)
  } catch {
    // Half a character has no such form.
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

/** What a server elsewhere writes into the body of a refusal is for whoever runs the gateway: it may be a stack, or about somebody else (E2). */
export function withoutBody(text: string): string {
  const at = /\banswered \d{3}\b[^:\n]{0,100}: /.exec(text)
  return at === null ? text : text.slice(0, at.index + at[0].length - 2)
}

/** Where programs are looked for is for whoever runs the gateway, and long; a text may have been cut in the middle of it. */
export function withoutPath(text: string): string {
  return text.replace(/(no such command in PATH) \(.*?(?:\)(?=; give its full path)|$)/s, '$1')
}
