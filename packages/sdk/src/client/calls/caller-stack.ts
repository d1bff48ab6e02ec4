/**
 * Gives errors the stack of the caller that awaits the request. Without it, the stack shows only where the answer
 * arrived in the engine.
 */
import { ParleyError, ToolError } from '../../errors/index.ts'

type Capture = (target: object, below: (...args: never[]) => unknown) => void

/** A stack line outside the runtime's own code. */
const CALLER_LINE = /\n {4}at (?!.*\bnode:)/

/**
 * Rejects with the error after its stack was replaced. A stack that is captured in a promise reaction includes the
 * functions that await the promise, if the runtime supports that. The promise of the request follows the returned
 * promise. Only failed requests pay for this.
 */
export function withCallerStack(error: unknown): Promise<never> {
  let fail: (error: unknown) => void = () => {}
  const failed = new Promise<never>((_, reject) => (fail = reject))
  // The awaiting functions are known only two microtasks later.
  queueMicrotask(() => queueMicrotask(() => fail(error)))
  return failed.catch(replaceStack)
}

function replaceStack(error: unknown): never {
  if (error instanceof ParleyError || error instanceof ToolError) {
    const stack = awaitingStack()
    if (CALLER_LINE.test(stack)) error.stack = `${error.name}: ${error.message}${stack.slice(stack.indexOf('\n'))}`
  }
  throw error
}

function awaitingStack(): string {
  const { captureStackTrace } = Error as { captureStackTrace?: Capture }
  const trace: { stack?: unknown } = {}
  captureStackTrace?.(trace, replaceStack)
  return typeof trace.stack === 'string' ? trace.stack : ''
}
