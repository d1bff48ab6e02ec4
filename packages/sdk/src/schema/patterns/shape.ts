/**
 * What the tree of a pattern tells before any automaton is made: where it is anchored, where it can match nothing,
 * where it looks around.
 */
import type { Piece } from './parse.ts'

export function anchored(piece: Piece): boolean {
  if (piece.kind === 'start') return true
  if (piece.kind === 'alt') return piece.options.every(anchored)
  return piece.kind === 'seq' && piece.parts[0] !== undefined && anchored(piece.parts[0])
}

function partsOf(piece: Piece): readonly Piece[] {
  if (piece.kind === 'seq') return piece.parts
  if (piece.kind === 'alt') return piece.options
  return piece.kind === 'repeat' ? [piece.body] : []
}

/** Can it fail where a character fits? */
export function canFail(piece: Piece): boolean {
  return ['assert', 'start', 'look', 'back'].includes(piece.kind) || partsOf(piece).some(canFail)
}

function nullable(piece: Piece): boolean {
  if (piece.kind === 'char') return false
  if (piece.kind === 'seq') return piece.parts.every(nullable)
  if (piece.kind === 'alt') return piece.options.some(nullable)
  return piece.kind !== 'repeat' || piece.min === 0 || nullable(piece.body)
}

/**
 * How often there are two ways of matching nothing, as in `(a?|b?)`. Undefined when a loop multiplies them, or repeats
 * a group reference, without bound.
 */
export function emptyChoices(piece: Piece, looped = false): number | undefined {
  if (piece.kind === 'back' && looped) return undefined
  let total = 0
  if (piece.kind === 'alt') total = Math.max(0, piece.options.filter(nullable).length - 1)
  if (piece.kind === 'repeat' && nullable(piece.body)) {
    if (piece.min > 1) return undefined
    total = 1
  }
  if (looped && total > 0) return undefined
  for (const part of partsOf(piece)) {
    const inner = emptyChoices(part, looped || (piece.kind === 'repeat' && piece.max > 1))
    if (inner === undefined) return undefined
    total += inner
  }
  return total
}

export interface Look {
  readonly body: Piece
  readonly looped: boolean
  /** Asked once: it stands at the very start. */
  readonly early: boolean
}

/** The lookarounds of a pattern, without those inside lookarounds. */
export function looksIn(piece: Piece, fromStart: boolean): Look[] {
  const looks: Look[] = []
  const visit = (node: Piece, looped: boolean, atStart: boolean): boolean => {
    if (node.kind === 'look') looks.push({ body: node.body, looped, early: atStart })
    if (node.kind === 'repeat') visit(node.body, looped || node.max > 1, atStart && node.max <= 1)
    if (node.kind === 'alt') for (const option of node.options) visit(option, looped, atStart)
    let early = atStart
    if (node.kind === 'seq') for (const part of node.parts) early = visit(part, looped, early)
    return node.kind === 'seq' ? early : early && ['look', 'start', 'assert', 'empty'].includes(node.kind)
  }
  visit(piece, false, fromStart)
  return looks
}
