/** Prompts: templates that a user picks and fills in. */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { PromptArgument } from '../../protocol/index.ts'
import {
  type CompiledSchema,
  compileSchema,
  describeIssues,
  type OutputOf,
  type SchemaLike,
  type SchemaObject,
  type Validated,
} from '../../schema/index.ts'
import type { Completer, Completers } from '../completion.ts'
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
import type { PromptValue } from './messages.ts'

/** One argument of a prompt, described by hand. */
export interface ArgumentDescription {
  title?: string
  description?: string
  required?: boolean
  complete?: Completer
}

export type ArgumentDescriptions = Readonly<Record<string, ArgumentDescription>>

/** What the handler receives: what the schema makes of the arguments, or strings. */
export type PromptArgumentsOf<Arguments> = Arguments extends
  | { readonly '~standard': unknown }
  | { readonly type: string }
  ? OutputOf<Arguments>
  : Arguments extends undefined
    ? Record<string, never>
    : { [Name in keyof Arguments as Arguments[Name] extends { required: true } ? Name : never]: string } & {
        [Name in keyof Arguments as Arguments[Name] extends { required: true } ? never : Name]?: string
      }

export interface PromptOptions<Arguments = undefined> extends Presentation {
  /** A schema, or a description by argument. All arguments arrive as strings. */
  arguments?: Arguments
  /** Suggestions by argument. */
  complete?: Readonly<Record<string, Completer>>
}

export type PromptHandler<Arguments> = (
  args: PromptArgumentsOf<Arguments>,
  ctx: Context,
) => PromptValue | Promise<PromptValue>

export interface PromptDefinition<Name extends string = string> extends Definition {
  readonly kind: 'prompt'
  readonly key: Name
}

export function prompt<
  const Name extends string,
  const Arguments extends SchemaLike | ArgumentDescriptions | undefined = undefined,
>(name: Name, options: PromptOptions<Arguments>, handler: PromptHandler<NoInfer<Arguments>>): PromptDefinition<Name> {
  checkHandler('prompt', checkName('prompt', name), handler)
  checkOptions('prompt', name, options, RENAMED)
  return new DefinedPrompt(name, options as PromptOptions<never>, handler as never) as never
}

const RENAMED = { argsSchema: 'arguments' }

/** How a prompt knows its arguments. */
interface Arguments {
  list(): PromptArgument[] | Promise<PromptArgument[]>
  validate(args: Body): Validated | Promise<Validated>
}

/** A prompt as the server sees it. */
export class DefinedPrompt implements Listed, Definition {
  readonly kind = 'prompt'
  readonly key: string
  readonly description: string | undefined
  readonly completers: Completers
  readonly handler: (args: unknown, ctx: Context) => unknown
  readonly arguments: Arguments
  readonly #options: PromptOptions<SchemaLike | ArgumentDescriptions>
  #shown: Body | Promise<Body> | undefined

  constructor(
    name: string,
    options: PromptOptions<SchemaLike | ArgumentDescriptions>,
    handler: (args: unknown, ctx: Context) => unknown,
  ) {
    const { arguments: given = {}, complete = {} } = options
    this.key = name
    this.description = options.description
    this.handler = handler
    this.#options = options
    this.arguments = isSchema(given)
      ? schemaArguments(name, compileSchema(given, 'input'))
      : describedArguments(given as ArgumentDescriptions)
    this.completers = isSchema(given) ? complete : { ...completersOf(given as ArgumentDescriptions), ...complete }
    if (!isSchema(given)) this.#checkCompleters(Object.keys(given))
  }

  show(): Body | Promise<Body> {
    this.#shown ??= this.#describe()
    return this.#shown
  }

  verify(): void {
    if (!convertAtOnce(this.#options.arguments)) return
    const { arguments: list = [] } = this.show() as { arguments?: PromptArgument[] }
    this.#checkCompleters(list.map(({ name }) => name))
  }

  #checkCompleters(known: readonly string[]): void {
    const unknown = Object.keys(this.completers).find((name) => !known.includes(name))
    if (unknown === undefined) return
    const have = known.length === 0 ? 'it has no arguments' : `its arguments are ${known.join(', ')}`
    throw new TypeError(
      `The prompt "${this.key}" completes ${JSON.stringify(unknown)}, which is not one of its arguments: ${have}`,
    )
  }

  /** The arguments for the handler; throws what the caller should be told. */
  check(given: unknown): unknown {
    const args = given === undefined ? {} : given
    if (!isObject(args)) throw new ParleyError('invalid_params', { message: '"arguments" must be an object' })
    for (const [name, value] of Object.entries(args)) {
      if (typeof value !== 'string') throw this.#refuse([{ path: [name], message: 'must be a string' }])
    }
    const checked = this.arguments.validate(args)
    return isPromise(checked) ? checked.then((outcome) => this.#accept(outcome)) : this.#accept(checked)
  }

  #accept(checked: Validated): unknown {
    if (checked.ok) return checked.value
    throw this.#refuse(checked.issues)
  }

  #refuse(issues: Parameters<typeof describeIssues>[0]): ParleyError {
    return new ParleyError('validation_failed', {
      message: `Invalid arguments for prompt "${this.key}": ${describeIssues(issues)}`,
      data: { prompt: this.key },
    })
  }

  #describe(): Body | Promise<Body> {
    const shown = (list: PromptArgument[]): Body => {
      this.#shown = { name: this.key, ...presented(this.#options), ...(list.length === 0 ? {} : { arguments: list }) }
      return this.#shown
    }
    const list = this.arguments.list()
    if (!isPromise(list)) return shown(list)
    return list.then(shown, (error) => {
      this.#shown = undefined
      throw error
    })
  }
}

/** A description by argument holds only objects; every schema has something else at its root. */
function isSchema(given: object): given is SchemaLike {
  return typeof given === 'function' || '~standard' in given || Object.values(given).some((value) => !isObject(value))
}

function describedArguments(descriptions: ArgumentDescriptions): Arguments {
  const list = Object.entries(descriptions).map(([name, { complete: _, ...shown }]) => ({ name, ...shown }))
  const required = list.filter((argument) => argument.required === true)
  return {
    list: () => list,
    validate(args) {
      const issues = [
        ...required
          .filter(({ name }) => !Object.hasOwn(args, name))
          .map(({ name }) => ({ path: [name], message: 'is required' })),
        ...Object.keys(args).flatMap((name) =>
          Object.hasOwn(descriptions, name)
            ? []
            : [{ path: [name.slice(0, 100)], message: 'is not an argument of this prompt' }],
        ),
      ]
      return issues.length === 0 ? { ok: true, value: args } : { ok: false, issues }
    },
  }
}

function schemaArguments(name: string, schema: CompiledSchema): Arguments {
  const read = (json: SchemaObject): PromptArgument[] => {
    const required = Array.isArray(json['required']) ? json['required'] : []
    const properties = isObject(json['properties']) ? json['properties'] : {}
    return Object.entries(properties).map(([key, property]) => {
      const { title, description } = isObject(property) ? property : {}
      const argument: PromptArgument = { name: key, required: required.includes(key) }
      if (typeof title === 'string') argument.title = title
      if (typeof description === 'string') argument.description = description
      return argument
    })
  }
  const broken = (cause: unknown): ParleyError => {
    const why = cause instanceof ParleyError ? `: ${cause.message}` : ' cannot be shown as JSON Schema'
    return new ParleyError('internal_error', { message: `The schema of prompt "${name}"${why}`, cause })
  }
  return {
    list() {
      try {
        const json = schema.toJsonSchema()
        if (!isPromise(json)) return read(json)
        return json.then(read, (error) => {
          throw broken(error)
        })
      } catch (error) {
        throw broken(error)
      }
    },
    validate: (args) => schema.validate(args),
  }
}

function completersOf(descriptions: ArgumentDescriptions): Completers {
  return Object.fromEntries(
    Object.entries(descriptions).flatMap(([name, { complete }]) => (complete === undefined ? [] : [[name, complete]])),
  )
}
