/** Expansion of URI templates, RFC 6570 section 3.2. */
import type { Expression, Operator, TemplatePart, TemplateValue, Variable } from './template.ts'

export function expandParts(parts: readonly TemplatePart[], values: Readonly<Record<string, TemplateValue>>): string {
  let text = ''
  for (const part of parts) text += typeof part === 'string' ? encodeReserved(part) : expandExpression(part, values)
  return text
}

function expandExpression(
  { operator, variables }: Expression,
  values: Readonly<Record<string, TemplateValue>>,
): string {
  const pieces: string[] = []
  for (const variable of variables) {
    const value = Object.hasOwn(values, variable.name) ? values[variable.name] : undefined
    const piece = expandVariable(operator, variable, value)
    if (piece !== undefined) pieces.push(piece)
  }
  return pieces.length === 0 ? '' : operator.first + pieces.join(operator.separator)
}

function expandVariable(operator: Operator, variable: Variable, value: TemplateValue): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'object') return expandText(operator, variable, String(value))
  const pairs = Array.isArray(value) ? undefined : definedPairs(value as Readonly<Record<string, string | number>>)
  const items =
    pairs === undefined
      ? (value as readonly (string | number)[]).filter((item) => item !== undefined && item !== null)
      : pairs.flat()
  if (items.length === 0) return undefined
  const encode = operator.reserved ? encodeReserved : encodeUnreserved
  if (!variable.explode) return label(operator, variable.name, items.map((item) => encode(String(item))).join(','))
  if (pairs !== undefined)
    return pairs.map(([name, item]) => `${encode(name)}=${encode(String(item))}`).join(operator.separator)
  return items.map((item) => label(operator, variable.name, encode(String(item)))).join(operator.separator)
}

function expandText(operator: Operator, variable: Variable, text: string): string {
  const shown = variable.prefix === undefined ? text : [...text].slice(0, variable.prefix).join('')
  return label(operator, variable.name, operator.reserved ? encodeReserved(shown) : encodeUnreserved(shown))
}

function label(operator: Operator, name: string, encoded: string): string {
  if (!operator.named) return encoded
  return encoded === '' ? name + operator.ifEmpty : `${name}=${encoded}`
}

function definedPairs(value: Readonly<Record<string, string | number>>): [string, string | number][] {
  return Object.entries(value).filter(([, item]) => item !== undefined && item !== null)
}

/** Everything but unreserved characters is percent-encoded. */
export function encodeUnreserved(text: string): string {
  return encodeURIComponent(wellFormed(text)).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Reserved characters and percent-encoded triplets stay. */
export function encodeReserved(text: string): string {
  return text.replace(/%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+/g, (run) =>
    encodeURIComponent(wellFormed(run)),
  )
}

/** Half a surrogate pair has no UTF-8 form. */
function wellFormed(text: string): string {
  return text.replace(/\p{Surrogate}/gu, '\u{FFFD}')
}
