/** The part of a call that may go on after its answer: what a handler returns when it is done with its questions. */
import type { Context } from '../context.ts'
import type { ToolResult } from './results.ts'

/** The function that does the rest, and gives what the tool returns in the end. */
type BackgroundRun<Value> = (ctx: Context) => Value | ToolResult<Value> | Promise<Value | ToolResult<Value>>

export class Background<Value = unknown> {
  readonly run: BackgroundRun<Value>

  constructor(run: BackgroundRun<Value>) {
    this.run = run
  }
}

/**
 * To be returned by the handler of a tool with `deferTask`: the rest becomes a task where the client takes one, and
 * simply runs where not. `run` gets a context of its own, because by then the call it began with may have been
 * answered.
 */
export function background<Value>(run: BackgroundRun<Value>): Background<Value> {
  if (typeof run !== 'function') throw new TypeError('background(run) needs the function that does the rest')
  return new Background(run)
}
