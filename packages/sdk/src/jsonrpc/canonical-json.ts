/** JSON in one spelling, so that equal values have equal texts however their keys were ordered. */

/** A list or an object whose members are being written. */
interface Open {
  readonly value: Readonly<Record<string, unknown>> | readonly unknown[]
  /** Of an object, in order. */
  readonly keys: readonly string[] | undefined
  at: number
}

/** Without recursion: how deep a value may be nested is an option, and the stack is not. */
export function canonicalJson(value: unknown): string {
  if (!isContainer(value)) return leaf(value)
  const root = opened(value)
  const open: Open[] = [root]
  let text = bracketOf(root)
  for (let last: Open | undefined = root; last !== undefined; last = open[open.length - 1]) {
    const { value: container, keys, at } = last
    if (at === (keys ?? (container as readonly unknown[])).length) {
      text += keys === undefined ? ']' : '}'
      open.pop()
      continue
    }
    last.at++
    if (at > 0) text += ','
    if (keys !== undefined) text += `${JSON.stringify(keys[at])}:`
    const member =
      keys === undefined
        ? (container as readonly unknown[])[at]
        : (container as Readonly<Record<string, unknown>>)[keys[at] as string]
    if (!isContainer(member)) text += leaf(member)
    else if (Array.isArray(member) && !member.some(isContainer)) text += JSON.stringify(member)
    else {
      const inner = opened(member)
      text += bracketOf(inner)
      open.push(inner)
    }
  }
  return text
}

function opened(value: object): Open {
  return { value: value as Open['value'], keys: keysOf(value), at: 0 }
}

function bracketOf({ keys }: Open): string {
  return keys === undefined ? '[' : '{'
}

function keysOf(value: object): readonly string[] | undefined {
  if (Array.isArray(value)) return undefined
  return Object.keys(value)
    .filter((key) => (value as Record<string, unknown>)[key] !== undefined)
    .sort()
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function leaf(value: unknown): string {
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  return JSON.stringify(value) ?? 'null'
}
