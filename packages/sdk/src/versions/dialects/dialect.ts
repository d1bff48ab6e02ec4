/**
 * Dialects: other wire forms of one protocol version, hung beside it in the graph of translations and compiled by the
 * same machinery.
 */
import type { Body } from '../../jsonrpc/index.ts'
import type { Change, Part, Rule } from '../change.ts'
import { fuse } from '../fuse.ts'
import type { TranslationContext } from '../operation.ts'
import type { ProtocolVersion } from '../version.ts'
import { erlmcp } from './erlmcp.ts'

/** `in` reads the dialect into standard messages of its version, `out` writes standard messages in the dialect. */
export type DialectDirection = 'in' | 'out'

export type MethodKind = 'request' | 'notification'

/** What differs from the version beside which the dialect hangs. */
export interface Dialect {
  readonly version: ProtocolVersion
  /**
   * `up` of a change leads into the version, `down` into the dialect; rules go by the dialect's method names, `*` is
   * every method without a rule of its own.
   */
  readonly changes: readonly Change[]
  /** The dialect's name of a method; which one it is may depend on the parameters. */
  readonly wireMethod: (method: string, params: Body | undefined) => string
  readonly standardMethod: (wire: string, kind: MethodKind) => string
}

const dialects = { erlmcp } satisfies Record<string, Dialect>

export type DialectName = keyof typeof dialects

/** Dialects refuse and drop nothing, so there is always a message. */
export type DialectPlan = (value: Body | undefined, context?: TranslationContext) => Body | undefined

export const dialectNames: readonly DialectName[] = Object.keys(dialects) as DialectName[]

export function isDialect(name: unknown): name is DialectName {
  return typeof name === 'string' && Object.hasOwn(dialects, name)
}

export function dialect(name: DialectName): Dialect {
  return dialects[name]
}

const compiled = new Map<DialectName, Record<DialectDirection, Record<Part, Map<string, DialectPlan | undefined>>>>()

/** What is done to one part of a method, by the dialect's name of the method; `undefined` means: hand on untouched. */
export function dialectPlan(
  name: DialectName,
  wire: string,
  part: Part,
  direction: DialectDirection,
): DialectPlan | undefined {
  let plans = compiled.get(name)
  if (plans === undefined) {
    plans = compileAll(dialects[name])
    compiled.set(name, plans)
  }
  const known = plans[direction][part]
  return known.get(known.has(wire) ? wire : '*')
}

function compileAll({
  changes,
}: Dialect): Record<DialectDirection, Record<Part, Map<string, DialectPlan | undefined>>> {
  const ways = (direction: DialectDirection) => ({
    params: compile(changes, direction, 'params'),
    result: compile(changes, direction, 'result'),
    error: compile(changes, direction, 'error'),
  })
  return { in: ways('in'), out: ways('out') }
}

/** Only methods that rules name get a plan of their own: other names come from peers, and there is no end to them. */
function compile(
  changes: readonly Change[],
  direction: DialectDirection,
  part: Part,
): Map<string, DialectPlan | undefined> {
  const instructions = changes.flatMap((change) =>
    ((direction === 'in' ? change.up : change.down) ?? [])
      .filter((rule) => rule.part === part)
      .map((rule) => ({ change, rule })),
  )
  const methods = new Set(instructions.flatMap(({ rule }) => methodsOf(rule)))
  return new Map(
    [...methods].map((method) => [
      method,
      fuse(
        method,
        instructions.filter(({ rule }) => methodsOf(rule).includes(method)),
      ) as DialectPlan | undefined,
    ]),
  )
}

function methodsOf({ method }: Rule): readonly string[] {
  return typeof method === 'string' ? [method] : method
}
