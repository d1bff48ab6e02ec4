/** Parts of a result that nobody has touched since they came: they are written in the words they came in, with every digit, and without the work of writing them. */
import { LONG, membersIn } from './exact-text.ts'
import type { Body } from './message.ts'

/** What is shorter is written sooner than noted and looked up. */
const WORTH_NOTING = 512

const texts = new WeakMap<object, string>()
/** Nobody who notes nothing pays for looking. */
let noted = false

/** `json` is known to be valid, and `result` what was read from it. */
export function noteParts(result: Body, json: string): void {
  if (json.length < WORTH_NOTING && !LONG.test(json)) return
  for (const [name, text] of membersIn(json) ?? []) {
    const value = result[name]
    if (typeof value !== 'object' || value === null || (text.length < WORTH_NOTING && !LONG.test(text))) continue
    texts.set(value, text)
    noted = true
  }
}

/** A body with its noted parts as they came; undefined when it has none. */
export function textWithParts(body: Body): string | undefined {
  if (!noted || !hasParts(body)) return undefined
  let written = ''
  for (const name of Object.keys(body)) {
    const value = body[name]
    const json: string | undefined = textOf(value) ?? JSON.stringify(value)
    if (json !== undefined) written += `${written === '' ? '{' : ','}${JSON.stringify(name)}:${json}`
  }
  return `${written}}`
}

/** Nearly no body has, and all are looked at. */
function hasParts(body: Body): boolean {
  for (const name in body) if (textOf(body[name]) !== undefined) return true
  return false
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null ? texts.get(value) : undefined
}
