/**
 * Where an error comes from, for whoever waits: an answer arrives in the engine, and a stack from there names nobody's
 * line.
 */
import { ParleyError, ToolError } from '../../errors/index.ts'

type Capture = (target: object, below: (...args: never[]) => unknown) => void

/** A line of a stack that is not the runtime's own. */
const SOMEBODY = /\n {4}at (?!.*\bnode:)/

/**
 * A failure as whoever awaits it should see it. A stack that is captured while a promise is on its way is followed to
 * those who await it, where the runtime can do that, so the promise of the request is made to follow this one, and only
 * requests that fail pay for it.
 */
export function namingCaller(error: unknown): Promise<never> {
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => (fail = reject))
  // Not before somebody follows: that takes a turn, and the next one is the first in which the way is known.
  queueMicrotask(() => queueMicrotask(() => fail(error)))
  return failed.catch(nameCaller)
}

function nameCaller(error: unknown): never {
  if (error instanceof ParleyError || error instanceof ToolError) {
    const stack = stackHere()
    if (SOMEBODY.test(stack)) error.stack = `${error.name}: ${error.message}${stack.slice(stack.indexOf('\n'))}`
  }
  throw error
}

function stackHere(): string {
  const { captureStackTrace } = Error as { captureStackTrace?: Capture }
  const trace: { stack?: unknown } = {}
  captureStackTrace?.(trace, nameCaller)
  return typeof trace.stack === 'string' ? trace.stack : ''
}
