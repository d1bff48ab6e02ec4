/**
 * What was lost last, by server, rule and place: where calls and lists are much alike, it is lost again and again, and
 * only to be counted.
 */
import type { Loss } from 'parley-mcp'

/** Who loses in more places than these loses too much for each to be remembered. */
const MAX_PATHS_PER_RULE = 200

export interface LastLoss {
  readonly loss: Loss
  /** When it was last said. */
  readonly saidAt: number
  readonly count: () => void
}

export class LastLosses {
  readonly #servers = new Map<string, Map<string, Map<string, LastLoss>>>()

  /** The same loss, if it is the last there. */
  find(loss: Loss, server: string): LastLoss | undefined {
    const last = this.#servers.get(server)?.get(loss.rule)?.get(loss.path)
    return last !== undefined && isSame(last.loss, loss) ? last : undefined
  }

  keep(last: LastLoss, server: string): void {
    const { rule, path } = last.loss
    const rules = innerOf(this.#servers, server)
    const places = innerOf(rules, rule)
    if (places.size >= MAX_PATHS_PER_RULE) places.clear()
    places.set(path, last)
  }
}

function innerOf<V>(outer: Map<string, Map<string, V>>, name: string): Map<string, V> {
  const known = outer.get(name)
  if (known !== undefined) return known
  const inner = new Map<string, V>()
  outer.set(name, inner)
  return inner
}

/** They are of one rule and place. */
function isSame(one: Loss, other: Loss): boolean {
  return (
    one === other || (one.detail === other.detail && one.method === other.method && one.severity === other.severity)
  )
}
