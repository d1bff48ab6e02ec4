/** Resources: something that can be read, at one URI or at all URIs of a template. */
import { ParleyError } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Annotations, Resource } from '../../protocol/index.ts'
import { type CacheHint, type WrittenHint, writtenHint } from '../cache-hints.ts'
import type { Completer, Completers } from '../completion.ts'
import type { Context } from '../context.ts'
import { checkHandler, type Definition, type Listed, type Presentation, presented } from '../definition.ts'
import type { UriVariables } from '../uri/match.ts'
import { isTemplate, UriTemplate } from '../uri/template.ts'
import type { VariablesOf } from '../uri/variables.ts'
import type { ContentsValue } from './contents.ts'

/** One resource in a template's list; `name` defaults to the end of the URI. */
export type ListedResource = Omit<Resource, 'name'> & { name?: string }

export interface ResourceOptions<Uri extends string = string> extends Presentation {
  /** Default: the last segment of the URI, or the template. */
  name?: string
  mimeType?: string
  /** In bytes; for fixed URIs. */
  size?: number
  annotations?: Annotations
  /** For templates: the resources there are, asked for at every listing. */
  list?: () => readonly ListedResource[] | Promise<readonly ListedResource[]>
  /** For templates: suggestions by variable. */
  complete?: { readonly [Name in keyof VariablesOf<Uri>]?: Completer }
  /** Whether clients may subscribe to changes. Default true. */
  subscribe?: boolean
  /**
   * How long and for which clients the contents may be cached. Default: the setting of the server for all resources.
   */
  cache?: CacheHint
}

/** `null` and `undefined` mean that there is no such resource. */
export type ReadValue = ContentsValue | null | undefined

export type ResourceHandler<Uri extends string> = (
  variables: VariablesOf<Uri>,
  ctx: Context,
) => ReadValue | Promise<ReadValue>

export interface ResourceDefinition<Uri extends string = string> extends Definition {
  readonly kind: 'resource'
  readonly key: Uri
}

export function resource<const Uri extends string>(
  uri: Uri,
  options: ResourceOptions<NoInfer<Uri>>,
  handler: ResourceHandler<NoInfer<Uri>>,
): ResourceDefinition<Uri> {
  checkHandler('resource', String(uri), handler)
  const made = isTemplate(uri)
    ? new DefinedTemplate(uri, options, handler as never)
    : new DefinedResource(uri, options, handler as never)
  return made as never
}

/** The error of a resource that does not exist; a handler may throw it. */
export function notFound(uri?: string): ParleyError {
  return uri === undefined
    ? new ParleyError('resource_not_found')
    : new ParleyError('resource_not_found', { message: `Resource not found: ${uri.slice(0, 500)}`, data: { uri } })
}

type Handler = (variables: UriVariables, ctx: Context) => unknown

/** A resource with one URI, as the server sees it. */
export class DefinedResource implements Listed, Definition {
  readonly kind = 'resource'
  readonly key: string
  readonly mimeType: string | undefined
  readonly subscribable: boolean
  readonly cache: WrittenHint | undefined
  readonly handler: Handler
  readonly #shown: Body

  constructor(uri: string, options: ResourceOptions, handler: Handler) {
    if (!URL.canParse(uri)) throw new TypeError(`Not an absolute URI: ${JSON.stringify(uri).slice(0, 200)}`)
    for (const option of ['list', 'complete'] as const) {
      if (options[option] !== undefined)
        throw new TypeError(`Resource ${JSON.stringify(uri)}: "${option}" is for templates such as "users://{id}"`)
    }
    this.key = uri
    this.mimeType = options.mimeType
    this.subscribable = options.subscribe ?? true
    this.cache = writtenHint(options.cache)
    this.handler = handler
    this.#shown = { uri, name: options.name ?? lastSegment(uri), ...presented(options), ...described(options) }
    if (options.size !== undefined) this.#shown['size'] = options.size
  }

  show(): Body {
    return this.#shown
  }
}

/** All resources of a template, as the server sees them. */
export class DefinedTemplate implements Listed, Definition {
  readonly kind = 'resource'
  readonly key: string
  readonly template: UriTemplate
  readonly mimeType: string | undefined
  readonly subscribable: boolean
  readonly cache: WrittenHint | undefined
  readonly handler: Handler
  readonly completers: Completers
  readonly list: ResourceOptions['list']
  readonly #shown: Body

  constructor(uriTemplate: string, options: ResourceOptions, handler: Handler) {
    this.key = uriTemplate
    this.template = new UriTemplate(uriTemplate)
    // A template that cannot be matched would never be read: better to hear of it now.
    this.template.compile()
    this.mimeType = options.mimeType
    this.subscribable = options.subscribe ?? true
    this.cache = writtenHint(options.cache)
    this.handler = handler
    this.completers = (options.complete ?? {}) as Completers
    this.list = options.list
    this.#shown = { uriTemplate, name: options.name ?? uriTemplate, ...presented(options), ...described(options) }
    for (const name of Object.keys(this.completers)) {
      if (!this.template.variables.includes(name))
        throw new TypeError(`Template ${JSON.stringify(uriTemplate)} has no variable "${name}" to complete`)
    }
  }

  show(): Body {
    return this.#shown
  }

  /** What `list` gives, with names, and the template's type where an entry has none. */
  async enumerate(): Promise<Body[]> {
    const entries = (await this.list?.()) ?? []
    return entries.map((entry) => ({
      ...entry,
      name: entry.name ?? lastSegment(entry.uri),
      ...(entry.mimeType === undefined && this.mimeType !== undefined ? { mimeType: this.mimeType } : {}),
    }))
  }
}

function described({ mimeType, annotations }: ResourceOptions): Body {
  return { ...(mimeType === undefined ? {} : { mimeType }), ...(annotations === undefined ? {} : { annotations }) }
}

/** `file:///a/b.txt` → `b.txt`. */
function lastSegment(uri: string): string {
  const path = (uri.split(/[?#]/, 1)[0] as string).replace(/\/+$/, '')
  return path.slice(path.search(/[^/:]*$/)) || uri
}
