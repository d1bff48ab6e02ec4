/** Do lists repeat an item? Answered in one pass, since the library compares every item with every other. */
import { isRecord } from './keywords.ts'

/** Characters compared in one step. */
const STRIDE = 16

/**
 * Zero when no list anywhere in the value has duplicates; otherwise the steps the library may need to look for them in
 * the worst of the lists.
 */
export function searchCost(value: unknown): number {
  const ids = new Map<string, number>()
  let weight = 0
  let worst = 0
  let repeated = false
  /** Equal values get the same number, so that no text is longer than the value it stands for. */
  const numberOf = (text: string): number => {
    const known = ids.get(text)
    if (known !== undefined) return known
    ids.set(text, ids.size)
    return ids.size - 1
  }
  const visit = (node: unknown): number => {
    weight++
    if (Array.isArray(node)) {
      const before = weight
      const items = node.map(visit)
      const first = firstRepeated(items)
      repeated ||= first < items.length
      worst = Math.max(worst, Math.min(first + 1, items.length) * (weight - before))
      return numberOf(`[${items.join()}]`)
    }
    if (isRecord(node)) {
      const keys = Object.keys(node).sort()
      return numberOf(`{${keys.map((key) => `${visit(key)}:${visit(node[key])}`).join()}}`)
    }
    if (typeof node === 'string') weight += Math.floor(node.length / STRIDE)
    return numberOf(JSON.stringify(node))
  }
  visit(value)
  return repeated ? worst : 0
}

/** Where the first item stands that comes again later; the length when none does. */
function firstRepeated(items: readonly number[]): number {
  const last = new Map(items.map((item, index) => [item, index]))
  const found = items.findIndex((item, index) => last.get(item) !== index)
  return found === -1 ? items.length : found
}
