/** For a server in the same process: the errors that its tools threw, and their output schemas. */
import { ToolError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { SchemaObject } from '../../schema/index.ts'
import type { Acceptor } from '../../session/index.ts'
import { type CallOutcome, withDeclaredValue } from './call-outcome.ts'

/** Calls that do not throw leave their errors here, so the number is limited. */
const MAX_ERRORS = 32

type Convert = (result: Body) => CallOutcome | Promise<CallOutcome>

export class LocalTools {
  readonly #server: Acceptor
  readonly #thrown: { readonly text: string; readonly thrown: unknown }[] = []

  constructor(server: Acceptor) {
    this.#server = server
  }

  /** A handler threw, and the server answered with this text. */
  readonly addError = (text: string, thrown: unknown): void => {
    if (text !== '') this.#thrown.push({ text, thrown })
    if (this.#thrown.length > MAX_ERRORS) this.#thrown.shift()
  }

  /**
   * Wraps `convert`: failures get the thrown error as `cause`, and the value fits the output schema in every version.
   */
  wrapConvert(name: string, convert: Convert): Convert {
    return (result) => {
      if (result['isError'] === true) return this.#withErrorCause(convert, result)
      const schema = result['structuredContent'] === undefined ? this.#server.outputSchema?.(name) : undefined
      return schema === undefined ? convert(result) : withDeclared(convert(result), schema)
    }
  }

  #withErrorCause(convert: Convert, result: Body): CallOutcome | Promise<CallOutcome> {
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

async function withDeclared(
  outcome: CallOutcome | Promise<CallOutcome>,
  schema: SchemaObject | Promise<SchemaObject>,
): Promise<CallOutcome> {
  const settled = await outcome
  return (await withDeclaredValue(settled, await schema)) ?? settled
}
