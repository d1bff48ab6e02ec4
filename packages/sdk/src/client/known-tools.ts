/** Output schemas of the tools a client has seen listed, so that answers can be checked against what the server promised. */
import { ParleyError } from '../errors/index.ts'
import type { Body } from '../jsonrpc/index.ts'
import type { Tool } from '../protocol/index.ts'
import { describeIssues, type JsonSchema, type Validated, validateJson } from '../schema/index.ts'
import { type CallOutcome, outcomeOf, toolErrorOf } from './outcome.ts'

type Check = (result: Body) => CallOutcome | Promise<CallOutcome>

/** Names come from the server: more are not remembered, which only means that they are not checked. */
const MAX_TOOLS = 10_000

export class KnownTools {
  readonly #checks = new Map<string, Check>()

  /** One function per tool, made when it is listed: calls then need none of their own. */
  learn(tools: readonly Tool[]): void {
    for (const tool of tools) {
      if (tool.outputSchema === undefined) this.#checks.delete(tool.name)
      else if (this.#checks.size < MAX_TOOLS) this.#checks.set(tool.name, checkAgainst(tool.name, tool.outputSchema))
    }
  }

  forget(): void {
    this.#checks.clear()
  }

  get empty(): boolean {
    return this.#checks.size === 0
  }

  /** Throws like `successOf`, and `invalid_answer` for structured content that breaks the promise; `undefined` when none was made. */
  checkOf(name: string): Check | undefined {
    return this.#checks.get(name)
  }
}

function checkAgainst(name: string, schema: JsonSchema): Check {
  return (result) => {
    const outcome = outcomeOf(result)
    if (outcome.isError) throw toolErrorOf(outcome)
    return checked(name, schema, outcome)
  }
}

function checked(name: string, schema: JsonSchema, outcome: CallOutcome): CallOutcome | Promise<CallOutcome> {
  if (outcome.structured === undefined) {
    throw new ParleyError('invalid_answer', { message: `Tool "${name}" declares an output schema but answered without structured content` })
  }
  const validated = validateJson(schema, outcome.structured)
  return validated instanceof Promise ? validated.then((settled) => accept(name, settled, outcome)) : accept(name, validated, outcome)
}

function accept(name: string, validated: Validated, outcome: CallOutcome): CallOutcome {
  if (validated.ok) return outcome
  throw new ParleyError('invalid_answer', {
    message: `The structured content of tool "${name}" does not fit its output schema: ${describeIssues(validated.issues)}`,
  })
}
