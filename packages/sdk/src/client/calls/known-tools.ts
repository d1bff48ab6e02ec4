/**
 * What a client has learnt from lists of tools: their output schemas, to hold answers against, and which of them may be
 * called twice.
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Tool, ToolExecution } from '../../protocol/index.ts'
import { describeIssues, type SchemaObject, type Validated, validateJson } from '../../schema/index.ts'
import { type HeaderParam, headerParamsOf } from '../../versions/index.ts'
import { type CallOutcome, outcomeOf, successOf, toolErrorOf, withDeclaredValue } from './call-outcome.ts'

type TaskSupport = NonNullable<ToolExecution['taskSupport']>

type Check = (result: Body) => CallOutcome | Promise<CallOutcome>

/**
 * Gives the outcome after all, when the schema turns out to be another one by now; `undefined` when that is not to be
 * expected.
 */
type Mismatch = (name: string, result: Body) => Promise<CallOutcome> | undefined

/** Names come from the server: more are not remembered, which only means that they are not checked. */
const MAX_TOOLS = 10_000

export class KnownTools {
  readonly #checks = new Map<string, Check>()
  readonly #repeatable = new Set<string>()
  /** Kept until the tool is listed anew: a tool that runs only as a task cannot be called without knowing it. */
  readonly #taskSupport = new Map<string, TaskSupport>()
  readonly #headers = new Map<string, readonly HeaderParam[]>()
  /** Tools that were left out, and why. */
  readonly #invalid = new Map<string, string>()

  readonly #onMismatch: Mismatch

  constructor(onMismatch: Mismatch = () => undefined) {
    this.#onMismatch = onMismatch
  }

  /**
   * One function per tool, made when it is listed: calls then need none of their own. `unsaid` is what saying nothing
   * of tasks means.
   */
  learn(tools: readonly Tool[], unsaid: TaskSupport | undefined): void {
    for (const tool of tools) {
      const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
      if (readOnlyHint !== true && idempotentHint !== true) this.#repeatable.delete(tool.name)
      else if (this.#repeatable.size < MAX_TOOLS) this.#repeatable.add(tool.name)
      const support = tool.execution?.taskSupport ?? unsaid
      if (support === undefined) this.#taskSupport.delete(tool.name)
      else if (this.#taskSupport.size < MAX_TOOLS) this.#taskSupport.set(tool.name, support)
      if (tool.outputSchema === undefined) this.#checks.delete(tool.name)
      else if (this.#checks.size < MAX_TOOLS)
        this.#checks.set(tool.name, this.#checkAgainst(tool.name, tool.outputSchema))
    }
  }

  /**
   * The tools whose arguments can travel in headers; the others are told of once and left out (D-46). Kept until a tool
   * is listed anew: headers that are out of date cost no more than none.
   */
  learnHeaders(tools: Tool[], onInvalid: (error: ParleyError) => void): Tool[] {
    const valid = tools.filter((tool) => {
      const found = headerParamsOf(tool.inputSchema)
      if (typeof found === 'string') {
        this.#headers.delete(tool.name)
        if (this.#invalid.get(tool.name) !== found && this.#invalid.size < MAX_TOOLS) {
          this.#invalid.set(tool.name, found)
          onInvalid(
            new ParleyError('invalid_answer', { message: `Tool "${tool.name}" is left out of the list: ${found}` }),
          )
        }
        return false
      }
      this.#invalid.delete(tool.name)
      if (this.#headers.size < MAX_TOOLS || this.#headers.has(tool.name)) this.#headers.set(tool.name, found)
      return true
    })
    return valid.length === tools.length ? tools : valid
  }

  /** `undefined` when it was not listed. */
  headerParamsOf(name: string): readonly HeaderParam[] | undefined {
    return this.#headers.get(name)
  }

  forget(): void {
    this.#checks.clear()
    this.#repeatable.clear()
  }

  /** Whether the server says that a second call does no harm. */
  isRepeatable(name: string): boolean {
    return this.#repeatable.has(name)
  }

  /** C-23: whether it can or must run as a task; `undefined` when it was not listed. */
  taskSupportOf(name: string): TaskSupport | undefined {
    return this.#taskSupport.get(name)
  }

  get empty(): boolean {
    return this.#checks.size === 0
  }

  /**
   * Throws like `successOf`, and `invalid_answer` for structured content that breaks the promise; `undefined` when none
   * was made.
   */
  checkOf(name: string): Check | undefined {
    return this.#checks.get(name)
  }

  #checkAgainst(name: string, schema: SchemaObject): Check {
    const check: Check = (result) => {
      const outcome = outcomeOf(result)
      if (outcome.isError) throw toolErrorOf(outcome)
      try {
        const settled = checked(name, schema, outcome)
        return settled instanceof Promise ? settled.catch((error) => this.#doubt(check, name, result, error)) : settled
      } catch (error) {
        return this.#doubt(check, name, result, error)
      }
    }
    return check
  }

  /** The tool may have been listed anew while the call was under way, or should be. */
  #doubt(used: Check, name: string, result: Body, error: unknown): CallOutcome | Promise<CallOutcome> {
    const present = this.#checks.get(name)
    if (present !== used) return (present ?? successOf)(result)
    const again = this.#onMismatch(name, result)
    if (again === undefined) throw error
    return again
  }
}

function checked(name: string, schema: SchemaObject, outcome: CallOutcome): CallOutcome | Promise<CallOutcome> {
  if (outcome.structured === undefined) {
    return withDeclaredValue(outcome, schema).then((found) => found ?? unstructured(name))
  }
  const validated = validateJson(schema, outcome.structured)
  return validated instanceof Promise
    ? validated.then((settled) => accept(name, settled, outcome))
    : accept(name, validated, outcome)
}

function accept(name: string, validated: Validated, outcome: CallOutcome): CallOutcome {
  if (validated.ok) return outcome
  throw new ParleyError('invalid_answer', {
    message: `The structured content of tool "${name}" does not fit its output schema: ${describeIssues(validated.issues)}`,
  })
}

function unstructured(name: string): never {
  throw new ParleyError('invalid_answer', {
    message: `Tool "${name}" declares an output schema but answered without structured content that fits it`,
  })
}
