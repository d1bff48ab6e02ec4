/** Parts of a result that nobody has touched since they came: they are written in the words they came in, with every digit, and without the work of writing them. */
import { LONG, membersIn } from './exact-text.ts'
import type { Body } from './message.ts'

/** What is shorter is written sooner than looked up. */
const WORTH_NOTING = 1024

const texts = new WeakMap<object, string>()
/** Nobody who notes nothing pays for looking. */
let noted = false

/** `json` is known to be valid, and `result` what was read from it. */
export function noteParts(result: Body, json: string): void {
  if (json.length < WORTH_NOTING && !LONG.test(json)) return
  for (const [name, text] of membersIn(json) ?? []) {
    const value = result[name]
    if (typeof value !== 'object' || value === null) continue
    texts.set(value, text)
    noted = true
  }
}

/** A body with its noted parts as they came; undefined when it has none. */
export function textWithParts(body: Body): string | undefined {
  if (!noted || !Object.values(body).some(isNoted)) return undefined
  const members: string[] = []
  for (const [name, value] of Object.entries(body)) {
    const json: string | undefined = (isNoted(value) ? texts.get(value) : undefined) ?? JSON.stringify(value)
    if (json !== undefined) members.push(`${JSON.stringify(name)}:${json}`)
  }
  return `{${members.join(',')}}`
}

function isNoted(value: unknown): value is object {
  return typeof value === 'object' && value !== null && texts.has(value)
}
