/**
 * How long can a regular expression take? Patterns come from peers too, and a backtracking engine can be made to run
 * for ever.
 */
import { type Automaton, automatonOf } from './automaton.ts'
import { type Overlap, overlapping } from './overlap.ts'
import { type Piece, parsePattern } from './parse.ts'
import { anchored, canFail, emptyChoices, looksIn } from './shape.ts'

const MAX_SOURCE = 2000
/** Steps of a backtracking match that are tolerated: well under a second, more where it keeps groups. */
const MAX_STEPS = 2e8
/** Steps of the examination itself. */
const MAX_PAIRS = 200_000
const MAX_LOOPS = 30
/** Steps per character that need no limit on the length. */
const CHEAP = 200
/** Ways through the loop-free parts that are tolerated: `a?a?a?…` is exponential in the length of the pattern. */
const MAX_FACTOR = 20_000
/** First precisely; then with repetition simplified, for patterns that are long rather than intricate. */
const ATTEMPTS = [
  { copies: 64, size: 500 },
  { copies: 4, size: MAX_SOURCE },
]

/** What one match of a pattern can cost. */
export interface PatternCost {
  /** The longest text it may be matched against. */
  readonly longest: number
  /** At most `factor * length ** degree` steps. */
  readonly degree: number
  readonly factor: number
}

/** What is wrong with a pattern, or what a match can cost. */
export function examine(source: string): string | PatternCost {
  if (source.length > MAX_SOURCE) return `is longer than ${MAX_SOURCE} characters`
  try {
    new RegExp(source, 'u')
  } catch (error) {
    return `is not a regular expression: ${(error as Error).message}`
  }
  const piece = parsePattern(source)
  const work = piece === undefined ? 'unknown' : workOf(piece, source, anchored(piece))
  if (work === 'unknown') return 'is too complex to be checked'
  if (work === 'exponential' || work.factor > MAX_FACTOR)
    return 'can take exponential time on hostile input; let it match each text in one way only'
  return { ...work, longest: longestFor(work) }
}

/** How many steps it can take to match texts, of which the longest and the sum of their lengths are known. */
export function stepsFor({ degree, factor }: Work, longest: number, total: number): number {
  return factor * total * longest ** Math.max(0, degree - 1)
}

function longestFor({ degree, factor }: Work): number {
  if (degree === 0 || (degree === 1 && factor <= CHEAP)) return Number.POSITIVE_INFINITY
  return Math.max(1, Math.floor((MAX_STEPS / factor) ** (1 / degree)))
}

type Work = Omit<PatternCost, 'longest'>
type MatchCost = Work | 'exponential' | 'unknown'

function workOf(piece: Piece, source: string, fromStart: boolean): MatchCost {
  const empty = emptyChoices(piece)
  if (empty === undefined) return 'exponential'
  const automaton = ATTEMPTS.reduce<Automaton | undefined>(
    (found, { copies, size }) => found ?? automatonOf(piece, copies, size),
    undefined,
  )
  const own = automaton === undefined ? 'unknown' : ownWork(automaton, source, fromStart, canFail(piece))
  if (typeof own === 'string') return own
  let [once, each]: [Work, Work] = [NO_WORK, NO_WORK]
  for (const look of looksIn(piece, fromStart)) {
    const inner = workOf(look.body, source, true)
    if (typeof inner === 'string') return inner
    if (look.looped && inner.degree > 0) return 'exponential'
    if (look.early) once = plus(once, inner)
    else each = plus(each, inner)
  }
  // A lookaround further on may be asked at every step.
  const steps: Work = { degree: own.degree + each.degree, factor: own.factor * 2 ** empty * (1 + each.factor) }
  return plus(steps, once)
}

const NO_WORK: Work = { degree: 0, factor: 0 }
const plus = (a: Work, b: Work): Work => ({ degree: Math.max(a.degree, b.degree), factor: a.factor + b.factor })

/** The work without that of lookarounds. */
function ownWork(automaton: Automaton, source: string, fromStart: boolean, asserts: boolean): MatchCost {
  const loops = loopsOf(automaton.follow)
  if (loops.length > MAX_LOOPS || loops.some((loop) => pairsOf(automaton, loop) > MAX_PAIRS)) return 'unknown'
  const overlap = overlapping(automaton.chars, source)
  const factor = factorOf(automaton, loops, overlap)
  if (factor === undefined) return 'unknown'
  if (factor > MAX_FACTOR || loops.some((loop) => isAmbiguous(automaton, loop, overlap))) return 'exponential'
  // Without an anchor every start is tried; with loops, that costs more only where they can still fail afterwards.
  const failing = asserts || loops.some((loop) => [...loop].some((p) => !automaton.last.has(p)))
  const restarts = fromStart ? 0 : 1
  if (loops.length === 0) return { degree: restarts, factor }
  return { degree: 1 + freedomOf(automaton, loops, overlap) + (failing ? restarts : 0), factor }
}

/**
 * How many loops on one way through the pattern can each end in many places: those that compete with one before them.
 */
function freedomOf(automaton: Automaton, loops: readonly Loop[], overlap: Overlap): number {
  const depths: number[] = []
  for (const [index, loop] of loops.entries()) {
    const before = loops.slice(0, index)
    const free = before.some((other) => compete(automaton, other, loop, overlap)) ? 1 : 0
    depths.push(free + before.reduce((most, _other, at) => Math.max(most, depths[at] as number), 0))
  }
  return Math.max(0, ...depths)
}

/**
 * Two loops share the work in many ways when one text can be read by the first, by the second, and on the way between
 * them.
 */
function compete(automaton: Automaton, loop: Loop, other: Loop, overlap: Overlap): boolean {
  const shared = (p: number): boolean => [...loop].some((q) => overlap(p, q)) && [...other].some((q) => overlap(p, q))
  const reached = reachable([...loop], (p) => [...(automaton.follow[p] as ReadonlySet<number>)].filter(shared))
  return [...other].some((p) => reached.has(p))
}

function pairsOf(automaton: Automaton, loop: Loop): number {
  let edges = 0
  for (const p of loop) edges += (automaton.follow[p] as ReadonlySet<number>).size
  return edges * edges
}

/** The size of the tree of attempts for one text, where going round a loop counts as one. */
function factorOf(automaton: Automaton, loops: readonly Loop[], overlap: Overlap): number | undefined {
  const size = automaton.chars.length
  const loopOf = new Map<number, Loop>()
  for (const loop of loops) for (const p of loop) loopOf.set(p, loop)
  const sizes = new Array<number>(size).fill(0)
  let pairs = 0
  const attempts = (targets: readonly number[], from?: number): number => {
    pairs += targets.length ** 2
    if (pairs > MAX_PAIRS) return 0
    const ways = (q: number): number =>
      (sizes[q] as number) * (from === undefined ? 1 : (automaton.doubled.get(from * size + q) ?? 1))
    // Those that one character fits are among those that overlap with any one of them.
    return targets.reduce(
      (most, p) =>
        Math.max(
          most,
          targets.reduce((sum, q) => (overlap(p, q) ? sum + ways(q) : sum), 0),
        ),
      0,
    )
  }
  for (let p = size - 1; p >= 0; p--) {
    if (sizes[p] !== 0) continue
    const loop = loopOf.get(p)
    const members = loop === undefined ? [p] : [...loop]
    const exits = members.map((member) =>
      attempts(
        [...(automaton.follow[member] as ReadonlySet<number>)].filter((q) => loop?.has(q) !== true),
        member,
      ),
    )
    // In a loop that never hesitates, one text is at one place at a time.
    const together =
      loop !== undefined && hesitates(automaton, loop, overlap)
        ? exits.reduce((sum, exit) => sum + exit, 0)
        : Math.max(...exits)
    for (const member of members) sizes[member] = 1 + together
  }
  const total = attempts(automaton.first)
  return pairs > MAX_PAIRS ? undefined : Math.max(1, total)
}

function hesitates(automaton: Automaton, loop: Loop, overlap: Overlap): boolean {
  return [...loop].some((p) => {
    const targets = [...(automaton.follow[p] as ReadonlySet<number>)].filter((q) => loop.has(q))
    return targets.some((a, index) => targets.slice(index + 1).some((b) => overlap(a, b)))
  })
}

type Loop = ReadonlySet<number>

/**
 * Exponential means: one text leads round a loop on two different ways. Followed in the product of the loop with
 * itself.
 */
function isAmbiguous(automaton: Automaton, loop: Loop, overlap: Overlap): boolean {
  const size = automaton.chars.length
  const next = (p: number): number[] => [...(automaton.follow[p] as ReadonlySet<number>)].filter((q) => loop.has(q))
  if ([...loop].some((p) => next(p).some((q) => automaton.doubled.has(p * size + q)))) return true
  const back = new Map<number, number[]>()
  const diagonal = [...loop].map((p) => p * size + p)
  const forward = (pair: number): number[] => {
    const pairs: number[] = []
    for (const p of next(Math.floor(pair / size)))
      for (const q of next(pair % size)) if (overlap(p, q)) pairs.push(p * size + q)
    for (const target of pairs) {
      const sources = back.get(target)
      if (sources === undefined) back.set(target, [pair])
      else sources.push(pair)
    }
    return pairs
  }
  const ahead = reachable(diagonal, forward)
  const home = reachable(diagonal, (pair) => back.get(pair) ?? [])
  return [...ahead].some((pair) => home.has(pair) && Math.floor(pair / size) !== pair % size)
}

/** The strongly connected parts of the automaton that can be gone round. */
function loopsOf(follow: readonly ReadonlySet<number>[]): Loop[] {
  if (follow.every((targets, p) => [...targets].every((q) => q > p))) return []
  const into: number[][] = follow.map(() => [])
  for (const [p, targets] of follow.entries()) for (const q of targets) into[q]?.push(p)
  const loops: Loop[] = []
  const seen = new Set<number>()
  for (let p = 0; p < follow.length && loops.length <= MAX_LOOPS; p++) {
    if (seen.has(p)) continue
    const ahead = reachable([...(follow[p] as ReadonlySet<number>)], (q) => follow[q] as ReadonlySet<number>)
    if (!ahead.has(p)) continue
    const loop = new Set([...reachable([p], (q) => into[q] as number[])].filter((q) => ahead.has(q)))
    for (const q of loop) seen.add(q)
    loops.push(loop)
  }
  return loops
}

function reachable(start: readonly number[], next: (from: number) => Iterable<number>): Set<number> {
  const seen = new Set(start)
  for (const from of seen) for (const to of next(from)) seen.add(to)
  return seen
}
