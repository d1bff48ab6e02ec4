/**
 * The position automaton of a pattern: one state per character of the pattern, and which may follow which. Except round
 * a loop, later ones follow earlier ones.
 */
import type { Piece } from './parse.ts'

export interface Automaton {
  /** What each position matches: the source of a single-character pattern. */
  readonly chars: readonly string[]
  readonly follow: readonly ReadonlySet<number>[]
  /** Steps that can be taken in more than one way, as in `(a*)*`, and in how many: `from * chars.length + to`. */
  readonly doubled: ReadonlyMap<number, number>
  readonly first: readonly number[]
  readonly last: ReadonlySet<number>
}

interface AutomatonPart {
  readonly nullable: boolean
  readonly first: readonly number[]
  readonly last: readonly number[]
}

/** A reference to a group can be any text. */
const ANY_TEXT: Piece = { kind: 'repeat', body: { kind: 'char', source: '[^]' }, min: 0, max: Number.POSITIVE_INFINITY }
const NOTHING: AutomatonPart = { nullable: true, first: [], last: [] }
const MAX_STEPS = 50_000
const SPREAD = 4
const ROOM = 8

/**
 * Counted repetition is written out up to `copies`; beyond that it is taken as unlimited. Undefined when the automaton
 * would be larger than `size`.
 */
export function automatonOf(piece: Piece, copies: number, size: number): Automaton | undefined {
  const chars: string[] = []
  const follow: Set<number>[] = []
  const twice: [number, number][] = []
  let steps = 0
  const tooLarge = (): boolean => chars.length > size || steps > MAX_STEPS

  const link = (from: readonly number[], to: readonly number[]): void => {
    steps += from.length * to.length
    if (tooLarge()) return
    for (const p of from) {
      const next = follow[p] as Set<number>
      for (const q of to) {
        if (next.has(q)) twice.push([p, q])
        next.add(q)
      }
    }
  }

  const join = (left: AutomatonPart, right: AutomatonPart): AutomatonPart => {
    link(left.last, right.first)
    return {
      nullable: left.nullable && right.nullable,
      first: left.nullable ? [...left.first, ...right.first] : left.first,
      last: right.nullable ? [...left.last, ...right.last] : right.last,
    }
  }

  const optional = (part: AutomatonPart): AutomatonPart => ({ ...part, nullable: true })

  const loop = (part: AutomatonPart): AutomatonPart => {
    link(part.last, part.first)
    return part
  }

  /**
   * Copies that differ in number are kept few: written out, they would hide how many ways there are to share a text
   * among them.
   */
  const repeat = (body: Piece, min: number, max: number, room: number): AutomatonPart => {
    const simple = body.kind === 'char'
    const written = simple ? max <= copies && max - min <= SPREAD : max <= Math.max(1, room)
    if (!written) {
      const looped = loop(build(body, 0))
      return min === 0 ? optional(looped) : looped
    }
    const inner = max > 1 ? Math.floor(room / max) : room
    let result = NOTHING
    for (let i = 0; i < min; i++) result = join(result, build(body, inner))
    const further = (left: number): AutomatonPart => {
      if (left === 0) return NOTHING
      const part = build(body, inner)
      return optional(join(part, further(left - 1)))
    }
    return join(result, further(max - min))
  }

  const build = (node: Piece, room: number): AutomatonPart => {
    if (tooLarge()) return NOTHING
    switch (node.kind) {
      case 'char': {
        const position = chars.push(node.source) - 1
        follow.push(new Set())
        return { nullable: false, first: [position], last: [position] }
      }
      case 'seq':
        return node.parts.reduce<AutomatonPart>((left, part) => join(left, build(part, room)), NOTHING)
      case 'alt': {
        const options = node.options.map((option) => build(option, room))
        return {
          nullable: options.some((o) => o.nullable),
          first: options.flatMap((o) => o.first),
          last: options.flatMap((o) => o.last),
        }
      }
      case 'repeat':
        return repeat(node.body, node.min, node.max, room)
      case 'back':
        return build(ANY_TEXT, room)
      default:
        return NOTHING
    }
  }

  const whole = build(piece, ROOM)
  if (tooLarge()) return undefined
  const doubled = new Map<number, number>()
  for (const [p, q] of twice) doubled.set(p * chars.length + q, (doubled.get(p * chars.length + q) ?? 1) + 1)
  return { chars, follow, doubled, first: whole.first, last: new Set(whole.last) }
}
