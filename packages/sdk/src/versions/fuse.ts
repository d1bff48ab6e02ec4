/** Turns a chain of rules into one function: neighbouring rules for the same place become one pass. */
import { type Body, isObject } from '../jsonrpc/index.ts'
import type { Change, Rule } from './change.ts'
import { compileOperations, type Leaf } from './leaf.ts'
import { Many, type Operation, type TranslationContext } from './operation.ts'
import type { Plan } from './plan.ts'
import { Run } from './run.ts'
import { isVerdict } from './verdict.ts'

export interface Instruction {
  readonly change: Change
  readonly rule: Rule
}

/** One operation of a rule, with the rule to name when something is lost. */
export interface Assignment {
  readonly operation: Operation
  readonly owner: Instruction
}

/** Returns the same reference when nothing changed. */
type Visit = (value: unknown, run: Run) => unknown

const NOTHING: Body = Object.freeze({})
const NO_CONTEXT: TranslationContext = Object.freeze({})

export function fuse(method: string, instructions: readonly Instruction[]): Plan | undefined {
  const visits = group(instructions).map(({ at, members }) => compilePlace(at, members))
  if (visits.length === 0) return undefined
  return (value, context = NO_CONTEXT) => {
    const run = new Run(method, context)
    let current: unknown = value ?? NOTHING
    for (let at = 0; at < visits.length; at++) {
      current = (visits[at] as Visit)(current, run)
      if (isVerdict(current)) return current
    }
    return current === NOTHING ? value : (current as Body)
  }
}

interface Group {
  readonly at: string
  readonly members: Assignment[]
  /** An operation that may split elements ends its group: what follows counts the elements anew. */
  closed: boolean
}

function group(instructions: readonly Instruction[]): Group[] {
  const groups: Group[] = []
  for (const owner of instructions) {
    const at = owner.rule.at ?? ''
    for (const operation of operationsOf(owner.rule)) {
      let last = groups[groups.length - 1]
      if (last?.at !== at || last.closed) {
        last = { at, members: [], closed: false }
        groups.push(last)
      }
      last.members.push({ operation, owner })
      last.closed = operation.op === 'edit' && operation.splits
    }
  }
  return groups
}

function operationsOf(rule: Rule): readonly Operation[] {
  return Array.isArray(rule.apply) ? (rule.apply as readonly Operation[]) : [rule.apply as Operation]
}

/** `messages[].content` → visit key "messages", each element, key "content", then the operations. */
function compilePlace(at: string, members: readonly Assignment[]): Visit {
  const segments = splitPlace(at)
  let visit = objectsOnly(compileOperations(members))
  let depth = segments.filter((segment) => segment === '[]').length
  for (const segment of segments.reverse())
    visit = segment === '[]' ? eachElement(visit, --depth) : insideKey(segment, visit)
  return (value, run) => {
    run.place = at
    return visit(value, run)
  }
}

function splitPlace(at: string): string[] {
  return at === ''
    ? []
    : at.split('.').flatMap((segment) => (segment.endsWith('[]') ? [segment.slice(0, -2), '[]'] : [segment]))
}

const objectsOnly =
  (leaf: Leaf): Visit =>
  (value, run) =>
    isObject(value) ? leaf(value, run) : value

const insideKey =
  (key: string, inner: Visit): Visit =>
  (value, run) => {
    const before = isObject(value) ? value[key] : undefined
    if (before === undefined) return value
    const after = inner(before, run)
    if (after === before) return value
    return isVerdict(after) ? after : { ...(value as Body), [key]: after }
  }

const eachElement =
  (inner: Visit, depth: number): Visit =>
  (value, run) => {
    if (!Array.isArray(value)) return value
    let changed: unknown[] | undefined
    for (let index = 0; index < value.length; index++) {
      run.indexes[depth] = index
      const before: unknown = value[index]
      const after = inner(before, run)
      if (after !== before) {
        if (isVerdict(after)) return after
        changed ??= value.slice(0, index)
      }
      if (changed === undefined) continue
      if (after instanceof Many) changed.push(...after.values)
      else changed.push(after)
    }
    return changed ?? value
  }
