/** Skills: instructions for agents and the files that belong to them, served as resources (SEP-2640). */
import type { Body, JsonObject } from '../../jsonrpc/index.ts'
import {
  directoryUri,
  type Frontmatter,
  fileUri,
  frontmatterFault,
  MANIFEST,
  pathFault,
  prefixFault,
  readSkill,
  SKILL_LIMITS,
  type SkillEntry,
  type SkillFile,
  writeSkill,
} from '../../skills/index.ts'
import { checkOptions, type Definition, type Listed, type Presentation } from '../definition.ts'
import { DefinedSkillFile, knownSize, loaderOf, once, type SkillSource } from './file.ts'
import { typeOfFile } from './mime-types.ts'

export interface SkillPlace extends Pick<Presentation, 'title' | 'icons'> {
  /** Further files by their path within the skill: `references/forms.md`. */
  files?: Readonly<Record<string, SkillSource>>
  /**
   * What comes before the name in the URI: with `acme/billing` the skill `refunds` is at
   * `skill://acme/billing/refunds/SKILL.md`.
   */
  prefix?: string
  /**
   * Contents are made anew at each reading, so that clients have no digests to check them against; some will not take
   * such a skill.
   */
  dynamic?: boolean
}

export interface SkillOptions extends SkillPlace {
  /** What the skill does and when to use it, in at most 1024 characters. */
  description: string
  license?: string
  /** What it needs to work: products, programs, network. */
  compatibility?: string
  metadata?: Readonly<Record<string, string>>
  /** Tools that it would like to use without asking, separated by spaces. */
  allowedTools?: string
  /** Further fields of the frontmatter. */
  fields?: JsonObject
}

/** Markdown without frontmatter. A function is called when it is first needed; for a dynamic skill at every reading. */
export type SkillBody = string | (() => string | Promise<string>)

export interface SkillDefinition extends Definition {
  readonly kind: 'skill'
  /** URI of its SKILL.md. */
  readonly key: string
}

/**
 * `skill('refunds', { description: … }, '# How to refund …')` or, with the text of a SKILL.md, `skill(text, { files: …
 * })`.
 */
export function skill(name: string, options: SkillOptions, body: SkillBody): SkillDefinition
export function skill(text: string, options?: SkillPlace): SkillDefinition
export function skill(first: string, options: SkillOptions | SkillPlace = {}, body?: SkillBody): SkillDefinition {
  if (body === undefined) return fromText(first, options)
  checkOptions('skill', first, options, { 'allowed-tools': 'allowedTools', name: 'the first argument' })
  const { description, license, compatibility, metadata, allowedTools, fields } = options as SkillOptions
  const frontmatter: JsonObject = {
    name: first,
    description,
    license,
    compatibility,
    metadata: metadata && { ...metadata },
    'allowed-tools': allowedTools,
  }
  // Twice through JSON at most, and what cannot be written is never promised.
  const written = JSON.parse(JSON.stringify({ ...frontmatter, ...fields })) as JsonObject
  return new DefinedSkill(checkFrontmatter(written), options, body)
}

function fromText(text: unknown, options: SkillPlace): DefinedSkill {
  if (typeof text !== 'string')
    throw new TypeError('A skill needs a name, options and instructions, or the text of its SKILL.md')
  if (!/^\ufeff?---/.test(text)) {
    throw new TypeError(
      `The skill ${JSON.stringify(text.slice(0, 80))} has no instructions: pass them after its options, or pass a SKILL.md with its frontmatter`,
    )
  }
  checkOptions('skill', MANIFEST, options, {})
  try {
    return new DefinedSkill(checkFrontmatter(readSkill(text).frontmatter), options, text, true)
  } catch (error) {
    throw error instanceof SyntaxError
      ? new TypeError(`The frontmatter of ${MANIFEST}: ${error.message}`, { cause: error })
      : error
  }
}

function checkFrontmatter(frontmatter: JsonObject): Frontmatter {
  const fault = frontmatterFault(frontmatter)
  if (fault === undefined) return frontmatter as Frontmatter
  throw new TypeError(`Invalid skill: ${fault}`)
}

/** A skill as the server sees it. */
export class DefinedSkill implements Listed, SkillDefinition {
  readonly kind = 'skill'
  readonly key: string
  readonly directory: string
  readonly dynamic: boolean
  /** SKILL.md first. */
  readonly files: readonly DefinedSkillFile[]
  readonly #frontmatter: Frontmatter
  readonly #listed: () => SkillFile[] | Promise<SkillFile[]>

  constructor(frontmatter: Frontmatter, options: SkillPlace, text: SkillBody, whole = false) {
    const { name, description } = frontmatter
    const { files = {}, prefix, title, icons } = options
    const fault = prefix === undefined ? undefined : prefixFault(prefix)
    if (fault !== undefined)
      throw new TypeError(`The skill ${JSON.stringify(name)} has the prefix ${JSON.stringify(prefix)}: ${fault}`)
    checkFiles(name, files, text)
    this.directory = directoryUri(name, prefix)
    this.key = fileUri(this.directory, MANIFEST)
    this.dynamic = options.dynamic ?? false
    this.#frontmatter = frontmatter
    const shown = {
      name,
      description,
      mimeType: 'text/markdown',
      subscribe: this.dynamic,
      ...(title && { title }),
      ...(icons && { icons }),
    }
    this.files = [
      new DefinedSkillFile(
        this.key,
        shown,
        loaderOf(`${MANIFEST} of ${name}`, MANIFEST, whole ? text : withHead(frontmatter, text), this.dynamic),
      ),
      ...Object.entries(files).map(([path, source]) => this.#file(name, path, source)),
    ]
    this.#listed = once(async () => withinLimit(name, await Promise.all(this.files.map((file) => file.listed()))))
  }

  /** Its entry; `nested` are the skills within its directory, whose files are files of this one, too. */
  async entry(nested: readonly DefinedSkill[] = []): Promise<SkillEntry> {
    const uri = this.key
    const frontmatter = this.#frontmatter
    if (this.dynamic || nested.some(({ dynamic }) => dynamic)) return { uri, frontmatter, resources: 'dynamic' }
    const listed = await Promise.all([this, ...nested].map((one) => one.#listed()))
    return { uri, frontmatter, resources: listed.flat() }
  }

  async show(): Promise<Body> {
    return { ...(await this.entry()) }
  }

  #file(name: string, path: string, source: SkillSource): DefinedSkillFile {
    const mimeType = typeOfFile(path)
    const options = {
      name: path.slice(path.lastIndexOf('/') + 1),
      subscribe: this.dynamic,
      ...(mimeType && { mimeType }),
    }
    return new DefinedSkillFile(
      fileUri(this.directory, path),
      options,
      loaderOf(`The file ${path} of ${name}`, path, source, this.dynamic),
    )
  }
}

function withHead(frontmatter: Frontmatter, body: SkillBody): SkillSource {
  const finish = (text: unknown): string => {
    if (typeof text !== 'string')
      throw new TypeError(`The instructions of the skill ${JSON.stringify(frontmatter.name)} are no text`)
    return writeSkill(frontmatter, text)
  }
  if (typeof body !== 'function') return finish(body)
  return () => {
    const made = body()
    return typeof made === 'string' ? finish(made) : Promise.resolve(made).then(finish)
  }
}

function checkFiles(name: string, files: Readonly<Record<string, SkillSource>>, text: SkillBody): void {
  const paths = Object.keys(files)
  const folders = new Set(
    paths.flatMap((path) => path.split('/').map((_, at, segments) => segments.slice(0, at).join('/'))),
  )
  for (const path of paths) {
    const fault = folders.has(path) ? 'it is a folder as well' : pathFault(path)
    if (fault !== undefined)
      throw new TypeError(`The skill ${JSON.stringify(name)} has a file ${JSON.stringify(path)}: ${fault}`)
  }
  if (paths.length >= SKILL_LIMITS.files) throw tooMuch(name, `${paths.length + 1} files`)
  const bytes = Object.values(files).reduce((sum, source) => sum + knownSize(source), knownSize(text))
  if (bytes > SKILL_LIMITS.bytes) throw tooMuch(name, `${bytes} bytes`)
}

function withinLimit(name: string, files: SkillFile[]): SkillFile[] {
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > SKILL_LIMITS.bytes) throw tooMuch(name, `${bytes} bytes`)
  return files
}

function tooMuch(name: string, what: string): RangeError {
  return new RangeError(
    `The skill ${JSON.stringify(name)} has ${what}; clients take ${SKILL_LIMITS.files} files of ${SKILL_LIMITS.bytes} bytes together`,
  )
}
