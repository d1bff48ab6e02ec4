/**
 * What tools, resources, prompts and skills have in common: a kind, a key that is unique within it, and how they are
 * shown.
 */
import type { Body } from '../jsonrpc/index.ts'
import type { Icon, Meta } from '../protocol/index.ts'

export type DefinitionKind = 'tool' | 'resource' | 'prompt' | 'skill'

export interface Definition {
  readonly kind: DefinitionKind
  /** Name of a tool or a prompt, URI or URI template of a resource, URI of the SKILL.md of a skill. */
  readonly key: string
}

/** How something presents itself to people. */
export interface Presentation {
  /** For people; the name is for programs. */
  title?: string
  description?: string
  icons?: readonly Icon[]
  /** Shown as `_meta`. */
  meta?: Meta
}

/** An item of a list. */
export interface Listed {
  readonly key: string
  /** As it appears in lists, in the newest vocabulary. */
  show(): Body | Promise<Body>
  /** Throws what `show` would, where that can be known at once. */
  verify?(): void
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function checkName(kind: DefinitionKind, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  const given = typeof name === 'string' ? JSON.stringify(name.slice(0, 140)) : typeof name
  throw new TypeError(`Invalid ${kind} name ${given}: use 1 to 128 letters, digits, "_", "-" and "."`)
}

export function checkHandler(kind: DefinitionKind, key: string, handler: unknown): void {
  if (typeof handler !== 'function')
    throw new TypeError(`The ${kind} ${JSON.stringify(key)} has no handler: pass a function as the last argument`)
}

/** What other SDKs call an option would be overlooked here without a word. */
export function checkOptions(
  kind: DefinitionKind,
  key: string,
  options: unknown,
  renamed: Readonly<Record<string, string>>,
): void {
  const what = `The ${kind} ${JSON.stringify(key)}`
  if (typeof options !== 'object' || options === null)
    throw new TypeError(`${what} has no options: pass an object, which may be empty, after the name`)
  for (const [foreign, own] of Object.entries(renamed)) {
    if (Object.hasOwn(options, foreign))
      throw new TypeError(`${what} has an option "${foreign}", which is not known here: use "${own}"`)
  }
}

/** Whether the JSON Schema of these can be had without loading a library. */
export function convertAtOnce(...schemas: unknown[]): boolean {
  return schemas.every((schema) => {
    const standard = (schema as { '~standard'?: { jsonSchema?: unknown } } | undefined)?.['~standard']
    return standard === undefined || standard.jsonSchema !== undefined
  })
}

/** The fields of `Presentation` that are set, as the protocol spells them. */
export function presented({ title, description, icons, meta }: Presentation): Body {
  const shown: Body = {}
  if (title !== undefined) shown['title'] = title
  if (description !== undefined) shown['description'] = description
  if (icons !== undefined) shown['icons'] = icons
  if (meta !== undefined) shown['_meta'] = meta
  return shown
}

/** Handlers and validators may be synchronous, and then nothing waits. */
export function isPromise<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}
