/** How long can a regular expression take? Patterns come from peers too, and a backtracking engine can be made to run for ever. */
import { type Automaton, automatonOf } from './automaton.ts'
import { type Piece, parsePattern } from './pattern-parse.ts'

const MAX_SOURCE = 2000
/** Steps of a backtracking match that are tolerated: about a second. */
const MAX_STEPS = 1e9
/** Steps of the examination itself. */
const MAX_PAIRS = 200_000
const MAX_LOOPS = 30
/** Each doubles the work: `a?a?a?…` is exponential in the length of the pattern. */
const MAX_CHOICES = 20
/** First precisely; then with repetition simplified, for patterns that are long rather than intricate. */
const ATTEMPTS = [
  { copies: 64, size: 500 },
  { copies: 4, size: MAX_SOURCE },
]

/** What is wrong with a pattern, or the longest string it may be matched against. */
export function examine(source: string): string | number {
  if (source.length > MAX_SOURCE) return `is longer than ${MAX_SOURCE} characters`
  try {
    new RegExp(source, 'u')
  } catch (error) {
    return `is not a regular expression: ${(error as Error).message}`
  }
  const { main, asides } = parsePattern(source)
  let degree = 0
  for (const piece of [main, ...asides]) {
    const automaton = ATTEMPTS.reduce<Automaton | undefined>((found, { copies, size }) => found ?? automatonOf(piece, copies, size), undefined)
    const found = automaton === undefined ? 'unknown' : degreeOf(automaton, source, piece !== main || anchored(main))
    if (found === 'unknown') return 'is too complex to be checked'
    if (found === 'exponential') return 'can take exponential time on hostile input; let it match each text in one way only'
    degree = Math.max(degree, found)
  }
  return degree < 2 ? Number.POSITIVE_INFINITY : Math.floor(MAX_STEPS ** (1 / degree))
}

/** The exponent of the worst running time. */
function degreeOf(automaton: Automaton, source: string, fromStart: boolean): number | 'exponential' | 'unknown' {
  const loops = loopsOf(automaton.follow)
  if (loops.length > MAX_LOOPS || loops.some((loop) => pairsOf(automaton, loop) > MAX_PAIRS)) return 'unknown'
  const overlap = overlapping(automaton.chars, source)
  const choices = choicesOf(automaton, loops, overlap)
  if (choices === undefined) return 'unknown'
  if (choices > MAX_CHOICES || loops.some((loop) => isAmbiguous(automaton, loop, overlap))) return 'exponential'
  let degree = 0
  for (const loop of loops) {
    const rivals = loops.filter((other) => other !== loop && compete(automaton, loop, other, overlap))
    // Without an anchor every start is tried; that costs only where a loop can still fail afterwards.
    const restarts = !fromStart && [...loop].some((p) => !automaton.last.has(p)) ? 1 : 0
    degree = Math.max(degree, 1 + rivals.length + restarts)
  }
  return degree
}

/** Two loops share the work in many ways when one text can be read by the first, by the second, and on the way between them. */
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

/** The largest number of undecided steps on one way through the pattern, outside its loops. */
function choicesOf(automaton: Automaton, loops: readonly Loop[], overlap: Overlap): number | undefined {
  const size = automaton.chars.length
  const looped = new Set(loops.flatMap((loop) => [...loop]))
  let pairs = 0
  const undecided = (targets: readonly number[]): boolean =>
    targets.some((p, index) =>
      targets.slice(index + 1).some((q) => {
        pairs++
        return pairs > MAX_PAIRS || overlap(p, q)
      }),
    )
  const most: number[] = new Array<number>(size).fill(0)
  const beyond = (targets: readonly number[]): number => targets.reduce((highest, q) => Math.max(highest, most[q] ?? 0), 0)
  for (let p = size - 1; p >= 0; p--) {
    const targets = [...(automaton.follow[p] as ReadonlySet<number>)]
    const doubled = targets.some((q) => automaton.doubled.has(p * size + q))
    const own = !looped.has(p) && (doubled || undecided(targets)) ? 1 : 0
    most[p] = own + beyond(targets.filter((q) => q > p))
  }
  const total = (undecided(automaton.first) ? 1 : 0) + beyond(automaton.first)
  return pairs > MAX_PAIRS ? undefined : total
}

type Overlap = (p: number, q: number) => boolean
type Loop = ReadonlySet<number>

/** Exponential means: one text leads round a loop on two different ways. Followed in the product of the loop with itself. */
function isAmbiguous(automaton: Automaton, loop: Loop, overlap: Overlap): boolean {
  const size = automaton.chars.length
  const next = (p: number): number[] => [...(automaton.follow[p] as ReadonlySet<number>)].filter((q) => loop.has(q))
  if ([...loop].some((p) => next(p).some((q) => automaton.doubled.has(p * size + q)))) return true
  const back = new Map<number, number[]>()
  const diagonal = [...loop].map((p) => p * size + p)
  const forward = (pair: number): number[] => {
    const pairs: number[] = []
    for (const p of next(Math.floor(pair / size))) for (const q of next(pair % size)) if (overlap(p, q)) pairs.push(p * size + q)
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

/** Two positions overlap when one character fits both. Tried out on samples that include every character and range end of the pattern and its neighbours. */
function overlapping(chars: readonly string[], source: string): Overlap {
  const distinct = [...new Set(chars)]
  const ids = chars.map((char) => distinct.indexOf(char))
  const known = new Map<number, boolean>()
  const rows: boolean[][] = []
  let samples: readonly string[] | undefined
  const row = (id: number): readonly boolean[] => {
    samples ??= samplesFor(source)
    const one = new RegExp(`^(?:${distinct[id]})$`, 'u')
    rows[id] ??= samples.map((sample) => one.test(sample))
    return rows[id]
  }
  return (p, q) => {
    const [a, b] = [ids[p] as number, ids[q] as number]
    if (a === b) return true
    const key = a < b ? a * distinct.length + b : b * distinct.length + a
    const found = known.get(key)
    if (found !== undefined) return found
    const other = row(b)
    const result = row(a).some((fits, index) => fits && other[index] === true)
    known.set(key, result)
    return result
  }
}

function samplesFor(source: string): string[] {
  const points = new Set<number>()
  for (let point = 0; point < 0x180; point++) points.add(point)
  for (let point = 0x180; point < 0x20000; point += 257) points.add(point)
  const escaped = [...source.matchAll(/\\(?:u\{([\da-fA-F]+)\}|[ux]([\da-fA-F]{2,4}))/g)].map((found) => Number.parseInt((found[1] ?? found[2]) as string, 16))
  for (const point of [...Array.from(source, (char) => char.codePointAt(0) as number), ...escaped]) {
    for (const near of [point - 1, point, point + 1]) if (near >= 0 && near <= 0x10ffff) points.add(near)
  }
  return Array.from(points, (point) => String.fromCodePoint(point))
}

function anchored(piece: Piece): boolean {
  if (piece.kind === 'start') return true
  if (piece.kind === 'alt') return piece.options.every(anchored)
  return piece.kind === 'seq' && piece.parts[0] !== undefined && anchored(piece.parts[0])
}
