/** Tools: something a model can call. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { ToolAnnotations, ToolExecution } from '../../protocol/index.ts'
import {
  type CompiledSchema,
  compileSchema,
  type InputOf,
  type OutputOf,
  type SchemaLike,
  type SchemaObject,
} from '../../schema/index.ts'
import { type HeaderParam, headerParamsOf } from '../../versions/index.ts'
import type { Context } from '../context.ts'
import {
  checkHandler,
  checkName,
  checkOptions,
  convertAtOnce,
  type Definition,
  isPromise,
  type Listed,
  type Presentation,
  presented,
} from '../definition.ts'
import type { Background } from './background.ts'
import type { ToolResult } from './results.ts'

export interface ToolOptions<Input = undefined, Output = undefined> extends Presentation {
  /** What the arguments must look like; without it the tool takes none. */
  input?: Input
  /** What the handler returns; it is checked, and shown as structured content beside its text. */
  output?: Output
  annotations?: ToolAnnotations
  /**
   * Whether calls may or must run as tasks, in versions that have them; the handler need not know. Default: they must
   * not.
   */
  execution?: ToolExecution
  /**
   * Where the server decides that a call becomes a task, it runs as any other until its handler returns
   * `background(…)`: what it asks first is then asked before there is a task. Implies that calls may run as tasks.
   */
  deferTask?: boolean
}

const RENAMED = { inputSchema: 'input', outputSchema: 'output' }

/** What the handler of a tool receives. */
export type ArgumentsOf<Input> = Input extends SchemaLike ? OutputOf<Input> : Record<string, never>

/**
 * With a declared output: what it declares, a `result(…)` that carries it, or a `background(…)` that will. Has a name
 * of its own to keep errors of types short.
 */
export type ToolReturn<Value> = Value | ToolResult<Value> | Background<Value>

/** What the handler of a tool may return. */
export type ReturnOf<Output> = Output extends SchemaLike ? ToolReturn<InputOf<Output>> : unknown

export type ToolHandler<Input, Output> = (
  args: ArgumentsOf<Input>,
  ctx: Context,
) => ReturnOf<Output> | Promise<ReturnOf<Output>>

/** A tool as types see it: its name and its schemas, nothing that would have to be compared. */
export interface ToolDefinition<Name extends string = string, Input = unknown, Output = unknown> extends Definition {
  readonly kind: 'tool'
  readonly key: Name
  /** Only a type: never set. */
  readonly '~schemas'?: { readonly input: Input; readonly output: Output }
}

export function tool<
  const Name extends string,
  const Input extends SchemaLike | undefined = undefined,
  const Output extends SchemaLike | undefined = undefined,
>(
  name: Name,
  options: ToolOptions<Input, Output>,
  handler: ToolHandler<NoInfer<Input>, NoInfer<Output>>,
): ToolDefinition<Name, Input, Output> {
  checkHandler('tool', checkName('tool', name), handler)
  checkOptions('tool', name, options, RENAMED)
  return new DefinedTool(name, options as ToolOptions<SchemaLike, SchemaLike>, handler as never) as never
}

/** A tool as the server sees it. */
export class DefinedTool implements Listed, Definition {
  readonly kind = 'tool'
  readonly key: string
  readonly input: CompiledSchema
  readonly output: CompiledSchema | undefined
  readonly handler: (args: unknown, ctx: Context) => unknown
  readonly taskSupport: NonNullable<ToolExecution['taskSupport']>
  readonly deferTask: boolean
  readonly #options: ToolOptions<SchemaLike, SchemaLike>
  #shown: Body | Promise<Body> | undefined
  #headerParams: readonly HeaderParam[] | undefined

  constructor(
    name: string,
    options: ToolOptions<SchemaLike, SchemaLike>,
    handler: (args: unknown, ctx: Context) => unknown,
  ) {
    this.key = name
    this.#options = options
    this.input = options.input === undefined ? nothing : compileSchema(options.input, 'input')
    this.output = options.output === undefined ? undefined : compileSchema(options.output, 'output')
    this.handler = handler
    this.deferTask = options.deferTask === true
    this.taskSupport = taskSupportOf(name, options)
  }

  show(): Body | Promise<Body> {
    this.#shown ??= this.#describe()
    return this.#shown
  }

  verify(): void {
    if (convertAtOnce(this.#options.input, this.#options.output)) this.show()
  }

  /** Arguments that requests over HTTP also carry as headers. */
  get headerParams(): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (this.#headerParams !== undefined) return this.#headerParams
    const shown = this.show()
    return isPromise(shown) ? Promise.resolve(shown).then(() => this.#headerParams ?? []) : (this.#headerParams ?? [])
  }

  /** What `show` gave, if that was some time ago. */
  get shown(): Body | undefined {
    return this.#shown === undefined || isPromise(this.#shown) ? undefined : this.#shown
  }

  #describe(): Body | Promise<Body> {
    try {
      const input = this.input.toJsonSchema()
      const output = this.output?.toJsonSchema()
      if (!isPromise(input) && !isPromise(output)) return this.#assemble(input, output)
      return Promise.all([input, output]).then(
        ([inputSchema, outputSchema]) => {
          this.#shown = this.#assemble(inputSchema, outputSchema)
          return this.#shown
        },
        (error) => {
          this.#shown = undefined
          throw this.#broken(error)
        },
      )
    } catch (error) {
      throw this.#broken(error)
    }
  }

  #assemble(inputSchema: SchemaObject, outputSchema: SchemaObject | undefined): Body {
    const { annotations, execution } = this.#options
    const deferred = this.deferTask ? { ...execution, taskSupport: this.taskSupport } : execution
    const headerParams = headerParamsOf(inputSchema)
    if (typeof headerParams === 'string') throw new ParleyError('tool_schema_invalid', { message: headerParams })
    this.#headerParams = headerParams
    const shown: Body = { name: this.key, ...presented(this.#options), inputSchema }
    if (outputSchema !== undefined) shown['outputSchema'] = outputSchema
    if (annotations !== undefined) shown['annotations'] = annotations
    if (deferred !== undefined) shown['execution'] = deferred
    return shown
  }

  /** Whose schema it was is what the reader needs to know first. */
  #broken(cause: unknown): ParleyError {
    const isSaid = cause instanceof ParleyError
    const message = `The schema of tool "${this.key}"${isSaid ? `: ${cause.message}` : ' cannot be shown as JSON Schema'}`
    return new ParleyError('tool_schema_invalid', { message, data: { tool: this.key }, ...(isSaid ? {} : { cause }) })
  }
}

function taskSupportOf(
  name: string,
  { execution, deferTask = false }: Pick<ToolOptions, 'execution' | 'deferTask'>,
): NonNullable<ToolExecution['taskSupport']> {
  const support = execution?.taskSupport ?? (deferTask ? 'optional' : 'forbidden')
  if (deferTask && support === 'forbidden')
    throw new TypeError(`Tool "${name}": deferTask contradicts taskSupport "forbidden"`)
  if (support === 'forbidden' || support === 'optional' || support === 'required') return support
  throw new TypeError(`Tool "${name}": taskSupport must be "forbidden", "optional" or "required"`)
}

/** The schema of tools that take no arguments. */
const nothing: CompiledSchema = {
  toJsonSchema: () => ({ type: 'object', additionalProperties: false }),
  validate(value) {
    const extra = Object.keys(value as Body)
    if (extra.length === 0) return { ok: true, value }
    return {
      ok: false,
      issues: extra.slice(0, 10).map((key) => ({ path: [key], message: 'this tool takes no arguments' })),
    }
  },
}
