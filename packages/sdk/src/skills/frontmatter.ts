/** The head of a SKILL.md: read, checked and written. */
import { isObject, type JsonObject, type JsonValue } from '../jsonrpc/index.ts'
import { nameFault } from './place.ts'
import { parseYaml } from './yaml.ts'
import { writeYaml } from './yaml-write.ts'

/** What a skill says of itself; every field its author wrote is there. */
export interface Frontmatter extends JsonObject {
  name: string
  description: string
}

export interface SkillText {
  readonly frontmatter: JsonObject
  /** What follows the frontmatter. */
  readonly body: string
}

const HEAD = /^\ufeff?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/

const MAX_DESCRIPTION = 1024
const MAX_COMPATIBILITY = 500

/** Throws a `SyntaxError` that says what is wrong with the frontmatter. */
export function readSkill(text: string): SkillText {
  const head = HEAD.exec(text)
  if (head === null)
    throw new SyntaxError('has no frontmatter: it must begin with a line "---", some fields, and another line "---"')
  return { frontmatter: parseYaml(head[1] as string), body: text.slice(head[0].length) }
}

/** The text of a SKILL.md. */
export function writeSkill(frontmatter: Frontmatter, body: string): string {
  return `---\n${writeYaml(frontmatter)}---\n\n${body}`
}

/** Which rule of the format a frontmatter breaks. */
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

/** Whether two values are the same JSON; the order of keys means nothing. */
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
