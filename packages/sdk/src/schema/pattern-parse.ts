/** A regular expression as a tree, coarse enough to reason about its running time: which characters, in which order, how often. */

export type Piece =
  | { readonly kind: 'char'; readonly source: string }
  | { readonly kind: 'start' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'seq'; readonly parts: readonly Piece[] }
  | { readonly kind: 'alt'; readonly options: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly body: Piece; readonly min: number; readonly max: number }

export interface ParsedPattern {
  readonly main: Piece
  /** Bodies of lookarounds: matched on their own, wherever they stand. */
  readonly asides: readonly Piece[]
}

const EMPTY: Piece = { kind: 'empty' }
const ANY = '[^]'

const ATOM =
  /\[(?:\\.|[^\]\\])*\]|\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|u[\da-fA-F]{4}|x[\da-fA-F]{2}|c[A-Za-z]|k<[^>]*>|[1-9]\d*|.)|./suy
const GROUP = /\((?:\?(?:<[=!]|[=!]|<[^>]*>|[a-z-]*:))?/uy
const QUANTIFIER = /(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/uy

const SIGNS: Readonly<Record<string, readonly [number, number]>> = { '*': [0, Number.POSITIVE_INFINITY], '+': [1, Number.POSITIVE_INFINITY], '?': [0, 1] }

/** Only for sources that the platform's own `RegExp` accepts with the `u` flag. */
export function parsePattern(source: string): ParsedPattern {
  let at = 0
  const asides: Piece[] = []

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
    if (!/^\(\?<?[=!]$/.test(opening)) return body
    asides.push(body)
    return EMPTY
  }

  const quantified = (body: Piece): Piece => {
    const found = take(QUANTIFIER)
    if (found === undefined) return body
    const [, sign, least, comma, most] = found
    const [min, max] = sign === undefined ? bounds(Number(least), comma, most) : (SIGNS[sign] as readonly [number, number])
    return { kind: 'repeat', body, min, max }
  }

  return { main: alternatives(), asides }
}

function bounds(least: number, comma: string | undefined, most: string | undefined): readonly [number, number] {
  if (comma !== ',') return [least, least]
  return [least, most === '' || most === undefined ? Number.POSITIVE_INFINITY : Number(most)]
}

function atom(source: string): Piece {
  if (source === '^') return { kind: 'start' }
  if (source === '$' || source === '\\b' || source === '\\B') return EMPTY
  return { kind: 'char', source: /^\\(?:[1-9]|k<)/.test(source) ? ANY : source }
}
