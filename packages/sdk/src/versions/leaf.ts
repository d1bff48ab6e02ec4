/** Compiles the operations for one object into one function. */
import { type Body, isObject } from '../jsonrpc/index.ts'
import type { Assignment, Instruction } from './fuse.ts'
import { Many, type Operation } from './operation.ts'
import type { Run } from './run.ts'
import { isVerdict, type Verdict } from './verdict.ts'

/** Applies operations to one object; returns the same reference when nothing changed. */
export type Leaf = (value: Body, run: Run) => Body | Many | Verdict

interface Compilable {
  readonly operation: Operation
  /** One per key for omissions, else one. */
  readonly owners: readonly Instruction[]
}

export function compileOperations(members: readonly Assignment[]): Leaf {
  const leaves = mergeOmissions(members).map(compileOperation)
  const [only] = leaves
  if (leaves.length === 1 && only !== undefined) return only
  return (value, run) => runFrom(leaves, 0, value, run)
}

function runFrom(leaves: readonly Leaf[], start: number, value: Body, run: Run): Body | Many | Verdict {
  let current = value
  for (let at = start; at < leaves.length; at++) {
    const next = (leaves[at] as Leaf)(current, run)
    if (next === current) continue
    if (next instanceof Many) return finishEach(next, leaves, at + 1, run)
    if (isVerdict(next)) return next
    current = next
  }
  return current
}

/** Once one value has become several, the later operations apply to each of them. */
function finishEach(many: Many, leaves: readonly Leaf[], start: number, run: Run): Many | Verdict {
  const finished: unknown[] = []
  for (const value of many.values) {
    const after = isObject(value) ? runFrom(leaves, start, value, run) : value
    if (isVerdict(after)) return after
    if (after instanceof Many) finished.push(...after.values)
    else finished.push(after)
  }
  return new Many(finished)
}

/** Omissions in a row are one omission: one look, one copy. */
function mergeOmissions(members: readonly Assignment[]): Compilable[] {
  const merged: { operation: Operation; owners: Instruction[] }[] = []
  for (const { operation, owner } of members) {
    const last = merged[merged.length - 1]
    if (operation.op !== 'omit') {
      merged.push({ operation, owners: [owner] })
    } else if (last?.operation.op === 'omit' && last.operation.lossless === operation.lossless) {
      // A key two versions omit is gone, and reported, once.
      const fresh = operation.keys.filter((key) => !(last.operation as { keys: readonly string[] }).keys.includes(key))
      last.operation = { ...last.operation, keys: [...last.operation.keys, ...fresh] }
      last.owners.push(...fresh.map(() => owner))
    } else {
      merged.push({ operation, owners: operation.keys.map(() => owner) })
    }
  }
  return merged
}

function compileOperation({ operation, owners }: Compilable): Leaf {
  switch (operation.op) {
    case 'omit':
      return omission(operation.keys, operation.lossless, owners)
    case 'defaults':
      return defaulting(Object.entries(operation.values))
    case 'rename':
      return renaming(operation.from, operation.to)
    case 'edit':
      return (value, run) => {
        run.owner = owners[0] as Instruction
        return operation.edit(value, run)
      }
  }
}

function omission(keys: readonly string[], lossless: boolean, owners: readonly Instruction[]): Leaf {
  // The copy is made by assignment, which would give it the prototype of the sender's choosing.
  const dropped = new Set([...keys, '__proto__'])
  return (value, run) => {
    let present = false
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as string
      if (!Object.hasOwn(value, key)) continue
      present = true
      if (!lossless && holdsData(value[key])) {
        run.owner = owners[at] as Instruction
        if (run.owner.change.severity !== undefined) run.lose(`removed ${key}`, { path: key })
      }
    }
    if (!present) return value
    const copy: Body = {}
    for (const key of Object.keys(value)) if (!dropped.has(key)) copy[key] = value[key]
    return copy
  }
}

const defaulting =
  (entries: readonly [string, unknown][]): Leaf =>
  (value) => {
    let copy: Body | undefined
    for (const [key, fallback] of entries) {
      if (value[key] !== undefined) continue
      copy ??= { ...value }
      copy[key] = fallback
    }
    return copy ?? value
  }

const renaming =
  (from: string, to: string): Leaf =>
  (value) => {
    if (!Object.hasOwn(value, from)) return value
    const copy: Body = {}
    for (const key of Object.keys(value))
      if (key !== to && key !== '__proto__') copy[key === from ? to : key] = value[key]
    return copy
  }

function holdsData(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
