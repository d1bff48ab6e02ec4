/**
 * What a client knows from the list of tools: output schemas, header parameters, task support, and what is repeatable.
 */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Tool, ToolExecution } from '../../protocol/index.ts'
import { describeIssues, type SchemaObject, type Validated, validateJson } from '../../schema/index.ts'
import { type HeaderParam, headerParamsOf } from '../../versions/index.ts'
import { type CallOutcome, outcomeOf, successOf, toolErrorOf, withDeclaredValue } from './call-outcome.ts'

type TaskSupport = NonNullable<ToolExecution['taskSupport']>

type Check = (result: Body) => CallOutcome | Promise<CallOutcome>

/** Reads the tools again and repeats the check. `undefined` if that would not help. */
type Mismatch = (name: string, result: Body) => Promise<CallOutcome> | undefined

/** The server chooses the names, so their number is limited. Further tools are not checked. */
const MAX_TOOLS = 10_000

export class KnownTools {
  readonly #checks = new Map<string, Check>()
  readonly #repeatable = new Set<string>()
  /** Not cleared by `forget`: some tools can only be called as tasks. */
  readonly #taskSupport = new Map<string, TaskSupport>()
  readonly #headers = new Map<string, readonly HeaderParam[]>()
  /** Tools left out of the list, and why. */
  readonly #invalid = new Map<string, string>()

  readonly #onMismatch: Mismatch

  constructor(onMismatch: Mismatch = () => undefined) {
    this.#onMismatch = onMismatch
  }

  /**
   * Creates one check per tool here, so that calls create none. `defaultSupport`: for tools that say nothing of tasks.
   */
  learn(tools: readonly Tool[], defaultSupport: TaskSupport | undefined): void {
    for (const tool of tools) {
      const { readOnlyHint, idempotentHint } = tool.annotations ?? {}
      if (readOnlyHint !== true && idempotentHint !== true) this.#repeatable.delete(tool.name)
      else if (this.#repeatable.size < MAX_TOOLS) this.#repeatable.add(tool.name)
      const support = tool.execution?.taskSupport ?? defaultSupport
      if (support === undefined) this.#taskSupport.delete(tool.name)
      else if (this.#taskSupport.size < MAX_TOOLS) this.#taskSupport.set(tool.name, support)
      if (tool.outputSchema === undefined) this.#checks.delete(tool.name)
      else if (this.#checks.size < MAX_TOOLS)
        this.#checks.set(tool.name, this.#checkAgainst(tool.name, tool.outputSchema))
    }
  }

  /**
   * Returns the tools whose header parameters are valid. Reports each other tool once (D-46). Not cleared by `forget`:
   * outdated headers cost no more than missing ones.
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

  /** `undefined` if the tool was not listed. */
  headerParamsOf(name: string): readonly HeaderParam[] | undefined {
    return this.#headers.get(name)
  }

  forget(): void {
    this.#checks.clear()
    this.#repeatable.clear()
  }

  /** Whether the tool is annotated as read-only or idempotent. */
  isRepeatable(name: string): boolean {
    return this.#repeatable.has(name)
  }

  /** C-23: whether the tool can or must run as a task. `undefined` if the tool was not listed. */
  taskSupportOf(name: string): TaskSupport | undefined {
    return this.#taskSupport.get(name)
  }

  get empty(): boolean {
    return this.#checks.size === 0
  }

  /**
   * Throws like `successOf`, and `invalid_answer` if the content does not fit. `undefined` without an output schema.
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
        return settled instanceof Promise
          ? settled.catch((error) => this.#checkAgain(check, name, result, error))
          : settled
      } catch (error) {
        return this.#checkAgain(check, name, result, error)
      }
    }
    return check
  }

  /** The schema may have changed since the call began. */
  #checkAgain(used: Check, name: string, result: Body, error: unknown): CallOutcome | Promise<CallOutcome> {
    const present = this.#checks.get(name)
    if (present !== used) return (present ?? successOf)(result)
    const secondCheck = this.#onMismatch(name, result)
    if (secondCheck === undefined) throw error
    return secondCheck
  }
}

function checked(name: string, schema: SchemaObject, outcome: CallOutcome): CallOutcome | Promise<CallOutcome> {
  if (outcome.structured === undefined) {
    return withDeclaredValue(outcome, schema).then((found) => found ?? missingContent(name))
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

function missingContent(name: string): never {
  throw new ParleyError('invalid_answer', {
    message: `Tool "${name}" declares an output schema but answered without structured content that fits it`,
  })
}
