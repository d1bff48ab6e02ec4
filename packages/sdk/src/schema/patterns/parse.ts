/**
 * A regular expression as a tree, coarse enough to reason about its running time: which characters, in which order, how
 * often.
 */

export type Piece =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'start' }
  | { readonly kind: 'empty' }
  /** Consumes nothing and may fail: `$`, `\b`. */
  | { readonly kind: 'assert' }
  /** A lookaround; the body is in the order in which it is read. */
  | { readonly kind: 'look'; readonly body: Piece }
  | { readonly kind: 'back' }
  | { readonly kind: 'seq'; readonly parts: readonly Piece[] }
  | { readonly kind: 'alt'; readonly options: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly body: Piece; readonly min: number; readonly max: number }

const ATOM =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|.)|./suy
const GROUP = /\((?:\?(?:<[=!]|[=!]|<[^>]*>|[a-z-]*:))?/uy
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy

const SIGNS: Readonly<Record<string, readonly [number, number]>> = {
  '*': [0, Number.POSITIVE_INFINITY],
  '+': [1, Number.POSITIVE_INFINITY],
  '?': [0, 1],
}

/**
 * Only for sources that the platform's own `RegExp` accepts with the `u` flag. Undefined for those that change flags on
 * the way: characters mean something else then.
 */
export function parsePattern(source: string): Piece | undefined {
  let at = 0
  let modified = false

  const take = (what: RegExp): RegExpExecArray | undefined => {
    what.lastIndex = at
    const found = what.exec(source) ?? undefined
    if (found !== undefined) at += found[0].length
    return found
  }

  const alternatives = (): Piece => {
    const options = [sequence()]
    while (source[at] === '|') {
      at++
      options.push(sequence())
    }
    return options.length === 1 ? (options[0] as Piece) : { kind: 'alt', options }
  }

  const sequence = (): Piece => {
    const parts: Piece[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') parts.push(quantified(single()))
    return parts.length === 1 ? (parts[0] as Piece) : { kind: 'seq', parts }
  }

  const single = (): Piece => {
    const opening = take(GROUP)?.[0]
    if (opening === undefined) return atom(take(ATOM)?.[0] ?? source[at++] ?? '')
    const body = alternatives()
    at++
    modified ||= /^\(\?[a-z-]+:$/.test(opening)
    if (!/^\(\?<?[=!]$/.test(opening)) return body
    return { kind: 'look', body: opening.startsWith('(?<') ? backwards(body) : body }
  }

  const quantified = (body: Piece): Piece => {
    const found = take(QUANTIFIER)
    if (found === undefined) return body
    const [, sign, least, comma, most] = found
    const [min, max] =
      sign === undefined ? bounds(Number(least), comma, most) : (SIGNS[sign] as readonly [number, number])
    return { kind: 'repeat', body, min, max }
  }

  const whole = alternatives()
  return modified ? undefined : whole
}

/** Engines read a lookbehind from its end. */
function backwards(piece: Piece): Piece {
  switch (piece.kind) {
    case 'seq':
      return { kind: 'seq', parts: piece.parts.map(backwards).reverse() }
    case 'alt':
      return { kind: 'alt', options: piece.options.map(backwards) }
    case 'repeat':
      return { ...piece, body: backwards(piece.body) }
    default:
      return piece
  }
}

function bounds(least: number, comma: string | undefined, most: string | undefined): readonly [number, number] {
  if (comma !== ',') return [least, least]
  return [least, most === '' || most === undefined ? Number.POSITIVE_INFINITY : Number(most)]
}

function atom(source: string): Piece {
  if (source === '^') return { kind: 'start' }
  if (source === '$' || source === '\\b' || source === '\\B') return { kind: 'assert' }
  return /^\\(?:[1-9]|k<)/.test(source) ? { kind: 'back' } : { kind: 'char', source }
}
