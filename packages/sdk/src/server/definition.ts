/** What tools, resources and prompts have in common: a kind, a key that is unique within it, and how they are shown. */
import type { Body } from '../jsonrpc/index.ts'
import type { Icon, Meta } from '../protocol/index.ts'

export type DefinitionKind = 'tool' | 'resource' | 'prompt'

export interface Definition {
  readonly kind: DefinitionKind
  /** Name of a tool or a prompt, URI or URI template of a resource. */
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
}

const NAME = /^[A-Za-z0-9_.-]{1,128}$/

export function checkName(kind: DefinitionKind, name: unknown): string {
  if (typeof name === 'string' && NAME.test(name)) return name
  const given = typeof name === 'string' ? JSON.stringify(name.slice(0, 140)) : typeof name
  throw new TypeError(`Invalid ${kind} name ${given}: use 1 to 128 letters, digits, "_", "-" and "."`)
}

export function checkHandler(kind: DefinitionKind, key: string, handler: unknown): void {
  if (typeof handler !== 'function') throw new TypeError(`The ${kind} ${JSON.stringify(key)} has no handler: pass a function as the last argument`)
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
