/**
 * What a client knows of the tools of a server in its own process beside what travels: what they threw, and their
 * output schemas.
 */
import { ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { SchemaObject } from '../../schema/index.ts'
import type { Acceptor } from '../../session/index.ts'
import { type CallOutcome, withDeclaredValue } from './call-outcome.ts'

/** A cause is looked up as soon as its answer arrives; those of calls that throw nothing are never looked up. */
const MAX_KEPT = 32

type Convert = (result: Body) => CallOutcome | Promise<CallOutcome>

export class LocalTools {
  readonly #server: Acceptor
  readonly #thrown: { readonly text: string; readonly thrown: unknown }[] = []

  constructor(server: Acceptor) {
    this.#server = server
  }

  /** The server has answered with that text because a handler threw. */
  readonly note = (text: string, thrown: unknown): void => {
    if (text !== '') this.#thrown.push({ text, thrown })
    if (this.#thrown.length > MAX_KEPT) this.#thrown.shift()
  }

  /**
   * The same conversion; a failure has what the handler threw as `cause`, and the value is what the tool declares in
   * every version.
   */
  converting(name: string, convert: Convert): Convert {
    return (result) => {
      if (result['isError'] === true) return this.#naming(convert, result)
      const schema = result['structuredContent'] === undefined ? this.#server.outputSchema?.(name) : undefined
      return schema === undefined ? convert(result) : declared(convert(result), schema)
    }
  }

  #naming(convert: Convert, result: Body): CallOutcome | Promise<CallOutcome> {
    try {
      return convert(result)
    } catch (error) {
      throw error instanceof ToolError ? this.#withCause(error) : error
    }
  }

  #withCause(error: ToolError): ToolError {
    const at = this.#thrown.findIndex(({ text }) => error.message.startsWith(text))
    const [found] = at === -1 ? [] : this.#thrown.splice(at, 1)
    if (found === undefined) return error
    const { message, structured, outcome } = error
    return new ToolError(message, { outcome, cause: found.thrown, ...(structured && { structured }) })
  }
}

async function declared(
  outcome: CallOutcome | Promise<CallOutcome>,
  schema: SchemaObject | Promise<SchemaObject>,
): Promise<CallOutcome> {
  const settled = await outcome
  return (await withDeclaredValue(settled, await schema)) ?? settled
}
