/** Reads, checks and writes the frontmatter of a SKILL.md. */
import { isObject, type JsonObject, type JsonValue } from '../jsonrpc/index.ts'
import { nameFault } from './skill-uri.ts'
import { parseYaml } from './yaml.ts'
import { writeYaml } from './yaml-write.ts'

/** The frontmatter of a skill, with all fields of its author. */
export interface Frontmatter extends JsonObject {
  name: string
  description: string
}

export interface SkillText {
  readonly frontmatter: JsonObject
  /** The text after the frontmatter. */
  readonly body: string
}

const HEAD = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/

const MAX_DESCRIPTION = 1024
const MAX_COMPATIBILITY = 500

/** Throws a `SyntaxError` if the frontmatter is invalid. */
export function readSkill(text: string): SkillText {
  const head = HEAD.exec(text)
  if (head === null)
    throw new SyntaxError('has no frontmatter: it must begin with a line "---", some fields, and another line "---"')
  return { frontmatter: parseYaml(head[1] as string), body: text.slice(head[0].length) }
}

/** Returns the text of a SKILL.md. */
export function writeSkill(frontmatter: Frontmatter, body: string): string {
  return `---\n${writeYaml(frontmatter)}---\n\n${body}`
}

/** The rule of the format that a frontmatter breaks. `undefined` if it is valid. */
export function frontmatterFault(frontmatter: JsonObject): string | undefined {
  const { name, description, compatibility, metadata } = frontmatter
  const inName = nameFault(name)
  if (inName !== undefined) return `"name" is ${shown(name)}: ${inName}`
  if (typeof description !== 'string' || description.trim() === '')
    return '"description" is missing: say what the skill does and when to use it'
  if (description.length > MAX_DESCRIPTION)
    return `"description" has ${description.length} characters, ${MAX_DESCRIPTION} are allowed`
  if (compatibility !== undefined && (typeof compatibility !== 'string' || compatibility.length > MAX_COMPATIBILITY)) {
    return `"compatibility" must be a text of at most ${MAX_COMPATIBILITY} characters`
  }
  if (metadata !== undefined && !isObject(metadata)) return '"metadata" must be a mapping'
  return undefined
}

function shown(value: JsonValue | undefined): string {
  return value === undefined ? 'missing' : JSON.stringify(value).slice(0, 100)
}

/** Whether two values are the same JSON. The order of keys does not matter. */
export function sameJson(one: unknown, other: unknown): boolean {
  if (Object.is(one, other) || one === other) return true
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((item, at) => sameJson(item, other[at]))
  if (!isObject(one) || !isObject(other)) return false
  const keys = Object.keys(one)
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameJson(one[key], other[key]))
  )
}
