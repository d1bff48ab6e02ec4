/**
 * Puts environment variables into texts: `${NAME}`, `${NAME:-default}`, `${NAME:-${OTHER}}`, and `$${` for a `${` that
 * stays.
 */

export type Environment = Readonly<Record<string, string | undefined>>

export interface Expansion {
  readonly text: string
  /** Whether any variable was put in, so that the text must not be shown. */
  readonly filled: boolean
  /** Names of variables that are not set and have no default. */
  readonly missing: readonly string[]
  /** What stands in `${` that are no variables: a question to a person, as some editors ask it, or anything else. */
  readonly malformed: readonly ('question' | 'other')[]
}

// `env:` is how some editors write it.
const VARIABLE = /^(?:env:)?([A-Za-z_][A-Za-z0-9_]{0,255})(?::-([\s\S]*))?$/

/** What begins like a variable, with those in its default, and whether it ends. */
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
    // What cannot be read is a mistake wherever it stands; what is not set only where it would be put in.
    malformed.push(...(fallback?.malformed ?? []))
    const value = Object.hasOwn(env, name) ? env[name] : undefined
    // As in a shell: the default also stands in for an empty variable.
    if (value !== undefined && (value !== '' || fallback === undefined)) return value
    missing.push(...(fallback?.missing ?? [name]))
    return fallback?.text ?? ''
  })
  return { text: expanded, filled, missing, malformed }
}
