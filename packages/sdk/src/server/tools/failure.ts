/** What the caller of a tool reads of what its handler threw: always a result with `isError`, never a stack. */
import { ParleyError } from '../../errors/index.ts'

/**
 * Which errors of tool handlers the caller reads in the author's words.
 * - `own` (default): `Error` and the author's own classes; not the errors that the language, the runtime or a connection makes.
 * - `all`: every error, for development.
 * - `none`: only `ToolError`, which is always meant for the model.
 */
export type ShownErrors = 'own' | 'all' | 'none'

const MODES: readonly unknown[] = ['own', 'all', 'none'] satisfies ShownErrors[]

export function checkShownErrors(given: unknown): ShownErrors {
  if (given === undefined) return 'own'
  if (MODES.includes(given)) return given as ShownErrors
  throw new TypeError(`showErrors must be "own", "all" or "none", not ${JSON.stringify(given)}`)
}

/** What an effect gave has no form in JSON: a mistake of the author, and a `TypeError` in every run of the handler. */
export class Unwritable extends TypeError {}

/**
 * Errors of these classes speak of the code, of files and of addresses. Compared by name, because each realm has
 * classes of its own.
 */
const BUILT_IN: ReadonlySet<string> = new Set([
  'TypeError',
  'ReferenceError',
  'RangeError',
  'SyntaxError',
  'EvalError',
  'URIError',
  'AggregateError',
  'SuppressedError',
  'DOMException',
  'SystemError',
  'CompileError',
  'LinkError',
  'RuntimeError',
])

/** Whether the language, the runtime or a connection made it, and not the author. */
export function isBuiltIn(thrown: object): boolean {
  if (thrown instanceof ParleyError || thrown instanceof Unwritable) return true
  const { name } = Object.getPrototypeOf(thrown)?.constructor ?? {}
  if (BUILT_IN.has(name)) return true
  const { syscall, code, cmd } = thrown as { syscall?: unknown; code?: unknown; cmd?: unknown }
  // A failed command quotes itself and what it printed. Other errors of Node have codes that begin with ERR_.
  if (syscall !== undefined || cmd !== undefined) return true
  return name === 'Error' && typeof code === 'string' && (code.startsWith('ERR_') || code === 'MODULE_NOT_FOUND')
}

/**
 * The text for the caller; `undefined` when it gets a general one. An error may be anything, even an object that throws
 * when it is read.
 */
export function shownText(thrown: unknown, mode: ShownErrors): string | undefined {
  try {
    if (mode === 'none') return undefined
    const text = messageOf(thrown, mode)
    return text === undefined ? undefined : withoutStack(text) || undefined
  } catch {
    return undefined
  }
}

function messageOf(thrown: unknown, mode: ShownErrors): string | undefined {
  if (!isError(thrown))
    return mode === 'all'
      ? typeof thrown === 'string'
        ? thrown
        : (JSON.stringify(thrown) ?? String(thrown))
      : undefined
  if (!isBuiltIn(thrown)) return String(thrown.message)
  return mode === 'all' ? `${thrown.name}: ${thrown.message}` : undefined
}

function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || Object.prototype.toString.call(thrown) === '[object Error]'
}

const STACK_LINE = /\n\s+at [^\n]*(?::\d+|<anonymous>|native)\)?(?=\n|$)/

/** Some libraries put the stack of another error into their message. */
function withoutStack(text: string): string {
  const at = text.search(STACK_LINE)
  return (at === -1 ? text : text.slice(0, at)).trim()
}

/** Short enough to be read out; long enough to be found in a log. */
export function referenceFrom(id: string): string {
  return id.slice(-8)
}

export function generalText(tool: string, reference: string): string {
  return `Tool "${tool}" failed because of an error in the server. Its log has the cause under the reference ${reference}.`
}
