/** The last loss of each server, rule and path. Calls and lists often repeat it, and then it is only counted. */
import type { Loss } from 'parley-mcp'

/** Beyond this number of paths all paths of the rule are forgotten. */
const MAX_PATHS_PER_RULE = 200

export interface LastLoss {
  readonly loss: Loss
  /** The time of its last log line. */
  readonly saidAt: number
  readonly count: () => void
}

export class LastLosses {
  readonly #servers = new Map<string, Map<string, Map<string, LastLoss>>>()

  /** The same loss, if it was the last one at its path. */
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

/** For two losses of one rule and path. */
function isSame(one: Loss, other: Loss): boolean {
  return (
    one === other || (one.detail === other.detail && one.method === other.method && one.severity === other.severity)
  )
}
