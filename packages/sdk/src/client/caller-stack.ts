/** Where an error comes from, for whoever waits: an answer arrives in the engine, and a stack from there names nobody's line. */
import { ParleyError, ToolError } from '../errors/index.ts'

type Capture = (target: object, below: (...args: never[]) => unknown) => void

/** A line of a stack that is not the runtime's own. */
const SOMEBODY = /\n {4}at (?!.*\bnode:)/

/**
 * To handle the failures of a promise that callers wait for, however many async functions there are in between: a stack captured there is followed to
 * those who await it, where the runtime can do that. Costs nothing until something fails.
 */
export function namingCaller(error: unknown): never {
  if (error instanceof ParleyError || error instanceof ToolError) {
    const stack = stackHere()
    if (SOMEBODY.test(stack)) error.stack = `${error.name}: ${error.message}${stack.slice(stack.indexOf('\n'))}`
  }
  throw error
}

function stackHere(): string {
  const { captureStackTrace } = Error as { captureStackTrace?: Capture }
  const trace: { stack?: unknown } = {}
  captureStackTrace?.(trace, namingCaller)
  return typeof trace.stack === 'string' ? trace.stack : ''
}
