/** Finds the values of all keys that a text begins with, in one pass. */

interface Node<Value> {
  /** What is written on the way from the node above. */
  label: string
  value: Value | undefined
  /** By the first character of their labels. */
  readonly children: Map<string, Node<Value>>
}

export class PrefixTree<Value> {
  readonly #root: Node<Value> = node('')

  /** The value of this text; `make` gives it where there is none. */
  entry(text: string, make: () => Value): Value {
    let here = this.#root
    let at = 0
    while (at < text.length) {
      here = childFor(here, text, at)
      at += here.label.length
    }
    here.value ??= make()
    return here.value
  }

  get(text: string): Value | undefined {
    const path = pathAlong(this.#root, text)
    const length = path.reduce((sum, { label }) => sum + label.length, 0)
    return length === text.length ? path.at(-1)?.value : undefined
  }

  delete(text: string): void {
    const path = pathAlong(this.#root, text)
    const last = path.at(-1)
    if (last === undefined || this.get(text) === undefined) return
    last.value = undefined
    for (let index = path.length - 1; index > 0; index--) {
      const { value, children, label } = path[index] as Node<Value>
      if (value !== undefined || children.size > 0) return
      path[index - 1]?.children.delete(label.charAt(0))
    }
  }

  /** The values of all beginnings of a text, the longest first. */
  along(text: string): Value[] {
    const values: Value[] = []
    for (const { value } of pathAlong(this.#root, text)) if (value !== undefined) values.push(value)
    return values.reverse()
  }
}

function node<Value>(label: string): Node<Value> {
  return { label, value: undefined, children: new Map() }
}

/** The nodes that a text leads to, down from the root. */
function pathAlong<Value>(root: Node<Value>, text: string): Node<Value>[] {
  const path: Node<Value>[] = []
  let here: Node<Value> | undefined = root
  let at = 0
  while (here !== undefined && text.startsWith(here.label, at)) {
    path.push(here)
    at += here.label.length
    here = here.children.get(text.charAt(at))
  }
  return path
}

/** The node below that the text goes through. Where a label goes on differently, it is cut in two. */
function childFor<Value>(above: Node<Value>, text: string, at: number): Node<Value> {
  const sign = text.charAt(at)
  const below = above.children.get(sign)
  if (below === undefined) {
    const added = node<Value>(text.slice(at))
    above.children.set(sign, added)
    return added
  }
  const shared = sharedLength(below.label, text, at)
  if (shared === below.label.length) return below
  const between = node<Value>(below.label.slice(0, shared))
  below.label = below.label.slice(shared)
  between.children.set(below.label.charAt(0), below)
  above.children.set(sign, between)
  return between
}

function sharedLength(label: string, text: string, at: number): number {
  let length = 0
  while (length < label.length && label[length] === text[at + length]) length++
  return length
}
