/**
 * Puts environment variables into texts: `${NAME}`, `${NAME:-default}`, `${NAME:-${OTHER}}`, and `$${` for a `${` that
 * stays.
 */

export type Environment = Readonly<Record<string, string | undefined>>

export interface Expansion {
  readonly text: string
  /** Whether the text contained a variable. Messages must not show it then. */
  readonly filled: boolean
  /** Names of variables that are not set and have no default. */
  readonly missing: readonly string[]
  /** Each `${` that is not a variable: a question to the user, as some editors have it, or anything else. */
  readonly malformed: readonly ('question' | 'other')[]
}

// Some editors write the prefix `env:`.
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,255})(?::-([\s\S]*))?$/

/** Finds `$${`, and each `${` with the variables in its default and its end. */
const VARIABLES = /\$\$\{|\$\{((?:\$\{[^}]*\}|[^}])*)(\}?)/g

export function expand(text: string, env: Environment): Expansion {
  const missing: string[] = []
  const malformed: ('question' | 'other')[] = []
  let filled = false
  const expanded = text.replace(VARIABLES, (found, inner: string | undefined, end: string | undefined) => {
    if (inner === undefined) return '${'
    const [, name, given] = (end === '}' ? VARIABLE.exec(inner) : null) ?? []
    filled = true
    if (name === undefined) {
      malformed.push(inner.startsWith('input:') ? 'question' : 'other')
      return found
    }
    const fallback = given === undefined ? undefined : expand(given, env)
    // A malformed default is always a mistake. A missing variable is one only if the default is used.
    malformed.push(...(fallback?.malformed ?? []))
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    // As in a shell, the default also replaces an empty variable.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    missing.push(...(fallback?.missing ?? [name]))
    return fallback?.text ?? ''
  })
  return { text: expanded, filled, missing, malformed }
}
