/** One file of a skill: a resource that knows its digest. */
import { digestOf, type SkillFile } from '../../skills/index.ts'
import { isPromise } from '../definition.ts'
import { DefinedResource, type ResourceOptions } from '../resources/resource.ts'
import { isTextual, typeOfFile } from './mime-types.ts'

export type SkillContent = string | Uint8Array

/** A function is called when the file is first needed, and then no more; for a dynamic skill at every reading. */
export type SkillSource = SkillContent | (() => SkillContent | Promise<SkillContent>)

type Load = () => SkillContent | Promise<SkillContent>

const encoder = new TextEncoder()

/** Files of a skill come and go with it. */
export class DefinedSkillFile extends DefinedResource {
  readonly #load: Load

  constructor(uri: string, options: ResourceOptions, load: Load) {
    super(uri, options, load)
    this.#load = load
  }

  /** As an entry lists it. */
  async listed(): Promise<SkillFile> {
    const bytes = bytesOf(await this.#load())
    return { uri: this.key, digest: await digestOf(bytes), size: bytes.length }
  }
}

/** Gives the contents, as text where the type says that they are. */
export function loaderOf(what: string, path: string, source: unknown, dynamic: boolean): Load {
  const type = typeOfFile(path)
  const finish = (content: unknown): SkillContent => readable(checkContent(what, content), type)
  if (typeof source !== 'function') {
    const content = finish(source)
    return () => content
  }
  const call = (): SkillContent | Promise<SkillContent> => {
    const made: unknown = source()
    return isPromise(made) ? Promise.resolve(made).then(finish) : finish(made)
  }
  return dynamic ? call : once(call)
}

/** In bytes, where that is known before it is needed. */
export function knownSize(source: unknown): number {
  return typeof source === 'string' || source instanceof Uint8Array ? bytesOf(source).length : 0
}

/** Makes it when it is first asked for; a failure is not kept. */
export function once<T>(make: () => T | Promise<T>): () => T | Promise<T> {
  let kept: { readonly value: T | Promise<T> } | undefined
  return () => {
    if (kept !== undefined) return kept.value
    const value = make()
    kept = { value }
    if (isPromise(value)) {
      value.then(
        (made) => {
          kept = { value: made }
        },
        () => {
          kept = undefined
        },
      )
    }
    return value
  }
}

function checkContent(what: string, content: unknown): SkillContent {
  if (typeof content === 'string' || content instanceof Uint8Array) return content
  throw new TypeError(
    `${what} is ${content === null ? 'null' : typeof content}: a file is a text or bytes, or a function that gives them`,
  )
}

function readable(content: SkillContent, type: string | undefined): SkillContent {
  if (typeof content === 'string' || type === undefined || !isTextual(type)) return content
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return content
  }
}

function bytesOf(content: SkillContent): Uint8Array {
  return typeof content === 'string' ? encoder.encode(content) : content
}
