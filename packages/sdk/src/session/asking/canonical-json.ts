/** JSON in one spelling, so that equal values have equal texts however their keys were ordered. */

/** Text that is ready, among values that are still to be written. */
class Written {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** Without recursion: how deep a value may be nested is an option, and the stack is not. */
export function canonicalJson(value: unknown): string {
  const rest: unknown[] = [value]
  let text = ''
  while (rest.length > 0) {
    const next = rest.pop()
    if (next instanceof Written) text += next.text
    else if (typeof next !== 'object' || next === null) text += JSON.stringify(next) ?? 'null'
    else for (const part of (Array.isArray(next) ? arrayParts(next) : objectParts(next as Record<string, unknown>)).reverse()) rest.push(part)
  }
  return text
}

function arrayParts(array: readonly unknown[]): unknown[] {
  const parts: unknown[] = [new Written('[')]
  for (const [at, item] of array.entries()) parts.push(...(at === 0 ? [] : [new Written(',')]), item)
  return [...parts, new Written(']')]
}

function objectParts(object: Readonly<Record<string, unknown>>): unknown[] {
  const keys = Object.keys(object).filter((key) => object[key] !== undefined)
  const parts: unknown[] = [new Written('{')]
  for (const [at, key] of keys.sort().entries()) parts.push(new Written(`${at === 0 ? '' : ','}${JSON.stringify(key)}:`), object[key])
  return [...parts, new Written('}')]
}
