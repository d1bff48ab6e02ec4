/**
 * Matching of URI templates. A template is not a regular expression here: a table of "from this position the rest can
 * match" is filled from the end, so the time is (parts × length) whatever the input, and each expression then takes as
 * much as leaves a match for the rest.
 */
import { encodeReserved } from './expand.ts'
import type { Operator, TemplatePart, Variable } from './template.ts'

/** Exploded variables are lists; a variable that is not in the URI is absent. */
export type UriVariables = Record<string, string | string[]>

export type Matcher = (uri: string) => UriVariables | undefined

/** The part of a URI that one expression, or several neighbours of one query, stands for. */
interface VariableCapture {
  readonly operator: Operator
  readonly variables: readonly Variable[]
  /** By character code: 1 where the expression's text cannot contain it. */
  readonly excluded: Uint8Array
}

type Element = string | VariableCapture

const MAX_URI_LENGTH = 8192

export function compileMatcher(source: string, parts: readonly TemplatePart[]): Matcher {
  const elements = compileElements(source, parts)
  const head = typeof elements[0] === 'string' ? elements[0] : ''
  const last = elements[elements.length - 1]
  const tail = typeof last === 'string' ? last : ''
  return (uri) => {
    if (uri.length > MAX_URI_LENGTH) return undefined
    const text = normalise(uri)
    if (!text.startsWith(head) || !text.endsWith(tail)) return undefined
    return capture(elements, text)
  }
}

/** Percent-encoding in one spelling, so that equal URIs are equal texts. */
function normalise(uri: string): string {
  const encoded = encodeReserved(uri)
  return encoded.includes('%') ? encoded.replace(/%[0-9a-f]{2}/gi, (triplet) => triplet.toUpperCase()) : encoded
}

function compileElements(source: string, parts: readonly TemplatePart[]): Element[] {
  const drafts = mergeQueries(parts.flatMap(splitPath))
  return drafts.map((draft, index) => {
    if (typeof draft === 'string') return normalise(draft)
    const exploded = draft.variables.findIndex((variable) => variable.explode)
    if (!draft.operator.named && exploded !== -1 && exploded !== draft.variables.length - 1) {
      throw new TypeError(
        `URI template ${JSON.stringify(source.slice(0, 200))} cannot be matched: {${draft.variables[exploded]?.name}*} must come last`,
      )
    }
    return { ...draft, excluded: exclusions(draft, drafts.slice(index + 1)) }
  })
}

type Draft = string | Omit<VariableCapture, 'excluded'>

/** `{/a,b}` says the same as `{/a}{/b}`, and the second form is easier to tell apart. */
function splitPath(part: TemplatePart): Draft[] {
  if (typeof part === 'string' || part.operator.named || part.operator.first === '' || part.operator.first === '#')
    return [part]
  return part.variables.map((variable) => ({ operator: part.operator, variables: [variable] }))
}

/** `{?a}{&b}` is one query. */
function mergeQueries(drafts: readonly Draft[]): Draft[] {
  const merged: Draft[] = []
  for (const draft of drafts) {
    const before = merged[merged.length - 1]
    if (
      typeof draft !== 'string' &&
      typeof before === 'object' &&
      draft.operator.first === '&' &&
      before.operator.separator === '&'
    ) {
      merged[merged.length - 1] = { operator: before.operator, variables: [...before.variables, ...draft.variables] }
    } else {
      merged.push(draft)
    }
  }
  return merged
}

function exclusions(
  { operator, variables }: Omit<VariableCapture, 'excluded'>,
  following: readonly Draft[],
): Uint8Array {
  let signs = operator.reserved ? '' : operator.separator === '&' ? '#' : '/?#'
  if (operator.first === '/' && variables[0]?.explode) signs = '?#'
  for (const next of following) {
    if (typeof next === 'string' || next.operator.first === '') break
    signs += next.operator.first
  }
  const table = new Uint8Array(128)
  for (const sign of signs) table[sign.charCodeAt(0)] = 1
  return table
}

function capture(elements: readonly Element[], text: string): UriVariables | undefined {
  const width = text.length + 1
  const reach = reachable(elements, text)
  if (reach[0] !== 1) return undefined
  const found: [Variable, string | string[]][] = []
  let at = 0
  for (let index = 0; index < elements.length; index++) {
    const element = elements[index] as Element
    if (typeof element === 'string') {
      at += element.length
      continue
    }
    const start = at + element.operator.first.length
    const end = text.startsWith(element.operator.first, at)
      ? longest(element, text, start, reach, (index + 1) * width)
      : -1
    if (end === -1) continue
    if (!read(element, text.slice(start, end), found)) return undefined
    at = end
  }
  return agree(found)
}

/** `reach[i * width + p]` is 1 when the elements from `i` on can match the text from `p` on. */
function reachable(elements: readonly Element[], text: string): Uint8Array {
  const width = text.length + 1
  const reach = new Uint8Array((elements.length + 1) * width)
  reach[elements.length * width + text.length] = 1
  for (let index = elements.length - 1; index >= 0; index--) {
    const element = elements[index] as Element
    const [row, next] = [index * width, (index + 1) * width]
    if (typeof element === 'string') {
      for (let at = text.length - element.length; at >= 0; at--) {
        if (reach[next + at + element.length] === 1 && text.startsWith(element, at)) reach[row + at] = 1
      }
    } else {
      reachCapture(element, text, reach, row, next)
    }
  }
  return reach
}

function reachCapture(
  { operator, excluded }: VariableCapture,
  text: string,
  reach: Uint8Array,
  row: number,
  next: number,
): void {
  const first = operator.first
  if (first !== '') reach[row + text.length] = reach[next + text.length] as number
  /** Whether any number of allowed characters from `at + 1` on leads to a match of the rest. */
  let body = reach[next + text.length] === 1
  for (let at = text.length - 1; at >= 0; at--) {
    const allowed = excluded[text.charCodeAt(at)] !== 1
    if (first === '') reach[row + at] = allowed && body ? 1 : 0
    else reach[row + at] = reach[next + at] === 1 || (body && text[at] === first) ? 1 : 0
    body = reach[next + at] === 1 || (allowed && body)
  }
}

/** The furthest end of the expression's text from which the rest still matches; -1 for none. */
function longest(
  { operator, excluded }: VariableCapture,
  text: string,
  start: number,
  reach: Uint8Array,
  next: number,
): number {
  let end = operator.first !== '' && reach[next + start] === 1 ? start : -1
  for (let at = start; at < text.length && excluded[text.charCodeAt(at)] !== 1; at++) {
    if (reach[next + at + 1] === 1) end = at + 1
  }
  return end
}

function read({ operator, variables }: VariableCapture, text: string, found: [Variable, string | string[]][]): boolean {
  return operator.named ? readNamed(operator, variables, text, found) : readListed(operator, variables, text, found)
}

function readListed(
  operator: Operator,
  variables: readonly Variable[],
  text: string,
  found: [Variable, string | string[]][],
): boolean {
  const only = variables[0] as Variable
  const pieces = variables.length === 1 && !only.explode ? [text] : text.split(operator.separator)
  const values = pieces.map((piece) => decode(operator, piece))
  if (values.includes(undefined)) return false
  for (const [index, variable] of variables.entries()) {
    if (index >= values.length) break
    if (variable.explode) found.push([variable, values.slice(index) as string[]])
    else found.push([variable, values[index] as string])
  }
  return variables[variables.length - 1]?.explode === true || values.length <= variables.length
}

/** Names may come in any order, since that is what a query means; names the template does not have do not match. */
function readNamed(
  operator: Operator,
  variables: readonly Variable[],
  text: string,
  found: [Variable, string | string[]][],
): boolean {
  const lists = new Map<string, string[]>()
  for (const pair of text === '' ? [] : text.split(operator.separator)) {
    const equals = pair.indexOf('=')
    const name = equals === -1 ? pair : pair.slice(0, equals)
    const variable = variables.find((candidate) => candidate.name === name)
    const value = decode(operator, equals === -1 ? '' : pair.slice(equals + 1))
    if (variable === undefined || value === undefined) return false
    const earlier = lists.get(name)
    if (earlier === undefined) {
      const values = [value]
      lists.set(name, values)
      found.push([variable, variable.explode ? values : value])
    } else if (variable.explode) {
      earlier.push(value)
    } else {
      return false
    }
  }
  return true
}

/** Where reserved characters are written as they are, their encoded forms mean something else and stay encoded. */
function decode(operator: Operator, text: string): string | undefined {
  if (!text.includes('%')) return text
  try {
    return operator.reserved ? decodeURI(text) : decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A variable that occurs twice has one value; of a prefix only the beginning is known. */
function agree(found: readonly [Variable, string | string[]][]): UriVariables | undefined {
  const values = new Map<string, string | string[]>()
  for (const [variable, value] of found) {
    if (variable.prefix !== undefined) continue
    const other = values.get(variable.name)
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(value)) return undefined
    values.set(variable.name, value)
  }
  for (const [{ name, prefix }, value] of found) {
    if (prefix === undefined) continue
    if ([...value].length > prefix) return undefined
    const whole = values.get(name)
    if (whole === undefined) values.set(name, value)
    else if (typeof whole !== 'string' || !whole.startsWith(value as string)) return undefined
  }
  return Object.fromEntries(values)
}
