/** The two exits for failure: what the peer is told, and what is kept for the local log (E2). */
import { ParleyError, ToolError } from '../errors/index.ts'
import type { Session } from '../session/index.ts'

/** Where a failure happened. */
export interface FailureInfo {
  /** The method that was being answered, or what else was going on. */
  readonly during: string
  /** Name of the tool or prompt, or URI. */
  readonly name?: string | undefined
  readonly session?: Session | undefined
}

export type OnError = (error: unknown, info: FailureInfo) => void

export const logToConsole: OnError = (error, { during, name }) => {
  console.error(`parley: ${during}${name === undefined ? '' : ` ${JSON.stringify(name)}`} failed:`, error)
}

/** Catalogue errors made on this side are meant for the peer; those that came from some other peer are not. */
export function isForPeer(thrown: unknown): thrown is ParleyError {
  return thrown instanceof ParleyError && thrown.receivedCode === undefined
}

/** What the peer is told where there is no tool result to put a message for the model into. */
export function masked(thrown: unknown): ParleyError {
  if (thrown instanceof ToolError) return new ParleyError('internal_error', { message: thrown.message, cause: thrown })
  return new ParleyError('internal_error', { cause: thrown })
}
