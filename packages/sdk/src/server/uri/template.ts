/** RFC 6570 URI templates: parsed once, expanded in full (level 4), matched in linear time. */
import { expandParts } from './expand.ts'
import { compileMatcher, type Matcher, type UriVariables } from './match.ts'

export interface Variable {
  readonly name: string
  /** `{list*}`. */
  readonly explode: boolean
  /** `{word:3}`. */
  readonly prefix: number | undefined
}

export interface Operator {
  /** Written before the first value. */
  readonly first: string
  readonly separator: string
  /** Whether `name=` is written. */
  readonly named: boolean
  /** Written after the name of an empty value. */
  readonly ifEmpty: string
  /** Whether reserved characters and percent-encoded triplets stay as they are. */
  readonly reserved: boolean
}

export interface Expression {
  readonly operator: Operator
  readonly variables: readonly Variable[]
}

export type TemplatePart = string | Expression

export type TemplateValue =
  | string
  | number
  | boolean
  | readonly (string | number)[]
  | Readonly<Record<string, string | number>>
  | null
  | undefined

const SIMPLE: Operator = { first: '', separator: ',', named: false, ifEmpty: '', reserved: false }

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['+', { ...SIMPLE, reserved: true }],
  ['#', { ...SIMPLE, first: '#', reserved: true }],
  ['.', { ...SIMPLE, first: '.', separator: '.' }],
  ['/', { ...SIMPLE, first: '/', separator: '/' }],
  [';', { first: ';', separator: ';', named: true, ifEmpty: '', reserved: false }],
  ['?', { first: '?', separator: '&', named: true, ifEmpty: '=', reserved: false }],
  ['&', { first: '&', separator: '&', named: true, ifEmpty: '=', reserved: false }],
])

const MAX_TEMPLATE_LENGTH = 2048
/** A match takes time for each of them and each character of a URI. */
const MAX_EXPRESSIONS = 50
const VARIABLE = /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(\*|:[1-9]\d{0,3})?$/

export class UriTemplate {
  readonly source: string
  readonly parts: readonly TemplatePart[]
  #matcher: Matcher | undefined

  /** Throws a `TypeError` that shows what is wrong with a malformed template. */
  constructor(source: string) {
    this.source = source
    this.parts = parseTemplate(source)
  }

  get variables(): readonly string[] {
    return [
      ...new Set(
        this.parts.flatMap((part) => (typeof part === 'string' ? [] : part.variables.map((variable) => variable.name))),
      ),
    ]
  }

  expand(values: Readonly<Record<string, TemplateValue>>): string {
    return expandParts(this.parts, values)
  }

  /** The values that expand to `uri`, or `undefined` when it is none of this template's. */
  match(uri: string): UriVariables | undefined {
    return this.compile()(uri)
  }

  /** Throws when the template cannot be matched at all. */
  compile(): Matcher {
    this.#matcher ??= compileMatcher(this.source, this.parts)
    return this.#matcher
  }
}

/** Whether a text holds anything to fill in. */
export function isTemplate(text: string): boolean {
  return text.includes('{')
}

function parseTemplate(source: string): TemplatePart[] {
  if (source.length > MAX_TEMPLATE_LENGTH)
    throw new TypeError(`URI template is longer than ${MAX_TEMPLATE_LENGTH} characters`)
  const parts: TemplatePart[] = []
  let at = 0
  while (at < source.length) {
    const open = source.indexOf('{', at)
    const literal = source.slice(at, open === -1 ? source.length : open)
    if (literal.includes('}')) throw malformed(source, '"}" without "{"')
    if (literal !== '') parts.push(literal)
    if (open === -1) break
    const close = source.indexOf('}', open)
    if (close === -1) throw malformed(source, '"{" without "}"')
    parts.push(parseExpression(source, source.slice(open + 1, close)))
    at = close + 1
  }
  const expressions = parts.filter((part) => typeof part !== 'string').length
  if (expressions > MAX_EXPRESSIONS)
    throw malformed(source, `it has ${expressions} expressions; at most ${MAX_EXPRESSIONS} can be matched`)
  return parts
}

function parseExpression(source: string, body: string): Expression {
  const operator = OPERATORS.get(body.charAt(0))
  const list = operator === undefined ? body : body.slice(1)
  return { operator: operator ?? SIMPLE, variables: list.split(',').map((spec) => parseVariable(source, spec)) }
}

function parseVariable(source: string, spec: string): Variable {
  const match = VARIABLE.exec(spec)
  if (match === null) throw malformed(source, `${JSON.stringify(spec)} is not a variable`)
  const modifier = match[2]
  return {
    name: match[1] as string,
    explode: modifier === '*',
    prefix: modifier?.startsWith(':') ? Number(modifier.slice(1)) : undefined,
  }
}

function malformed(source: string, why: string): TypeError {
  return new TypeError(`Malformed URI template ${JSON.stringify(source.slice(0, 200))}: ${why}`)
}
