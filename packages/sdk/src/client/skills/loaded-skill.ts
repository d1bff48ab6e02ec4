/** A loaded skill. Its files are checked against the entry that it was loaded by. */
import { ParleyError } from '../../errors/index.ts'
import { type Body, isObject } from '../../jsonrpc/index.ts'
import type { RequestOptions } from '../../session/index.ts'
import {
  digestOf,
  directoryOf,
  type Frontmatter,
  fileUri,
  MANIFEST,
  pathWithin,
  readSkill,
  resolvePath,
  SKILL_LIMITS,
  type SkillEntry,
  type SkillFile,
  sameJson,
} from '../../skills/index.ts'

type Read = (uri: string, options: RequestOptions | undefined) => Promise<Body>

/** Text, or bytes if the server sent bytes. */
export type SkillFileContent = string | Uint8Array

interface Contents {
  readonly content: SkillFileContent
  readonly bytes: Uint8Array
}

export class LoadedSkill {
  /** The entry at the time of loading. A user's approval applies to its digests. */
  readonly entry: SkillEntry
  /** The whole SKILL.md. */
  readonly text: string
  /** SKILL.md without its frontmatter. */
  readonly instructions: string
  readonly #read: Read
  /** The bytes read so far. For dynamic skills, the total is not known in advance. */
  #total: number

  private constructor(entry: SkillEntry, text: string, instructions: string, size: number, read: Read) {
    this.entry = entry
    this.text = text
    this.instructions = instructions
    this.#total = size
    this.#read = read
  }

  /** Reads SKILL.md. Throws if it does not match the entry. The entry must be valid. */
  static async load(given: SkillEntry, read: Read, options: RequestOptions | undefined): Promise<LoadedSkill> {
    const entry = structuredClone(given)
    const { bytes } = await verified(entry.uri, fileOf(entry, entry.uri), read, options)
    const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
    let body: string
    try {
      const skill = readSkill(text)
      const differing = differenceOf(skill.frontmatter, entry.frontmatter)
      if (differing !== undefined)
        throw mismatch(
          entry.uri,
          'frontmatter',
          `${JSON.stringify(differing).slice(0, 100)} differs in its frontmatter`,
        )
      body = skill.body
    } catch (error) {
      throw error instanceof SyntaxError
        ? mismatch(entry.uri, 'frontmatter', `its frontmatter ${error.message}`)
        : error
    }
    return new LoadedSkill(entry, text, body, bytes.length, read)
  }

  get uri(): string {
    return this.entry.uri
  }

  get name(): string {
    return this.entry.frontmatter.name
  }

  get description(): string {
    return this.entry.frontmatter.description
  }

  get frontmatter(): Frontmatter {
    return this.entry.frontmatter
  }

  /** Paths within the skill. `undefined` for a dynamic skill, whose files only the server knows. */
  get files(): readonly string[] | undefined {
    const { resources } = this.entry
    return resources === 'dynamic' ? undefined : resources.map(({ uri }) => pathWithin(this.#directory, uri) as string)
  }

  /** Reads a file by its path in the skill: `references/forms.md`. Throws if it does not match the entry. */
  async read(path: string, options?: RequestOptions): Promise<SkillFileContent> {
    const resolved = resolvePath(path)
    if (resolved === undefined) throw unlisted(this.uri, path)
    if (resolved === MANIFEST) return this.text
    const { resources } = this.entry
    if (resources === 'dynamic') return await this.#readDynamic(fileUri(this.#directory, resolved), options)
    const file = resources.find(({ uri }) => pathWithin(this.#directory, uri) === resolved)
    if (file === undefined) throw unlisted(this.uri, path)
    return (await verified(file.uri, file, this.#read, options)).content
  }

  get #directory(): string {
    return directoryOf(this.uri) as string
  }

  async #readDynamic(uri: string, options: RequestOptions | undefined): Promise<SkillFileContent> {
    const { content, bytes } = await verified(uri, undefined, this.#read, options)
    this.#total += bytes.length
    if (this.#total > SKILL_LIMITS.bytes)
      throw mismatch(uri, 'size', `the skill has more than ${SKILL_LIMITS.bytes} bytes`)
    return content
  }
}

async function verified(
  uri: string,
  file: SkillFile | undefined,
  read: Read,
  options: RequestOptions | undefined,
): Promise<Contents> {
  const contents = contentsOf(uri, await read(uri, options))
  if (file === undefined) return contents
  const { length } = contents.bytes
  if (length !== file.size) throw mismatch(uri, 'size', `it has ${length} bytes instead of ${file.size}`)
  if ((await digestOf(contents.bytes)) !== file.digest) throw mismatch(uri, 'digest', 'its digest differs')
  return contents
}

function contentsOf(uri: string, { contents }: Body): Contents {
  const all: unknown[] = Array.isArray(contents) ? contents : []
  const own = all.find((one) => isObject(one) && one['uri'] === uri) ?? (all.length === 1 ? all[0] : undefined)
  if (isObject(own) && typeof own['text'] === 'string')
    return { content: own['text'], bytes: new TextEncoder().encode(own['text']) }
  const bytes = isObject(own) && typeof own['blob'] === 'string' ? decoded(own['blob']) : undefined
  if (bytes === undefined)
    throw new ParleyError('invalid_answer', {
      message: `The answer to resources/read has no contents of ${uri.slice(0, 500)}`,
    })
  return { content: bytes, bytes }
}

function decoded(base64: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(base64), (sign) => sign.charCodeAt(0))
  } catch {
    return undefined
  }
}

function fileOf({ resources }: SkillEntry, wanted: string): SkillFile | undefined {
  return resources === 'dynamic' ? undefined : resources.find(({ uri }) => uri === wanted)
}

/** The first field that differs. */
function differenceOf(one: Body, other: Body): string | undefined {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].find(
    (field) => !Object.hasOwn(one, field) || !Object.hasOwn(other, field) || !sameJson(one[field], other[field]),
  )
}

/** The file was changed at the server or on the way. `skills/get` returns the current entry. */
function mismatch(uri: string, check: 'size' | 'digest' | 'frontmatter', what: string): ParleyError {
  return new ParleyError('invalid_answer', {
    message: `${uri.slice(0, 500)} is not what the entry of its skill says: ${what}`,
    data: { uri, check },
  })
}

function unlisted(uri: string, path: string): ParleyError {
  return new ParleyError('invalid_answer', {
    message: `${JSON.stringify(path.slice(0, 200))} is not a file of ${uri.slice(0, 500)}`,
    data: { uri, path: path.slice(0, 200), check: 'files' },
  })
}
