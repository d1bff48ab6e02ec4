/**
 * Compiles the steps between two versions into one function per method and part, fused so that a list is walked once.
 */
import type { Body } from '../jsonrpc/index.ts'
import type { MethodInfo } from '../protocol/index.ts'
import type { Change, Part, Rule } from './change.ts'
import { fuse, type Instruction } from './fuse.ts'
import { isKnownMethod, methodIn } from './methods.ts'
import type { Profile, TranslationContext } from './operation.ts'
import { drop, refuse, type Verdict } from './verdict.ts'
import { type ProtocolVersion, steps, versions } from './version.ts'

/** Translates one part of one method; the same reference comes back when nothing had to change. */
export type Plan = (value: Body | undefined, context?: TranslationContext) => Body | undefined | Verdict

export interface PlanOptions {
  profile?: Profile
  /**
   * `message` (the default) makes whole messages of the target version: envelope fields are added and removed, methods
   * the target does not have are refused or dropped. `body` leaves both to the session that speaks the version.
   */
  scope?: 'message' | 'body'
}

interface Table {
  readonly params: Map<string, Plan | null>
  readonly result: Map<string, Plan | null>
  readonly error: Map<string, Plan | null>
}

/** By pair of versions, profile and scope; a plan is looked up for every message, so no key is put together. */
const tables: (Table | undefined)[] = []

const position: ReadonlyMap<string, number> = new Map(versions.map((version, at) => [version, at]))

/** `undefined` means: hand on untouched. */
export function plan(
  from: ProtocolVersion,
  to: ProtocolVersion,
  method: string,
  part: Part,
  options: PlanOptions = {},
): Plan | undefined {
  if (from === to) return undefined
  const { profile = 'lenient', scope = 'message' } = options
  const pair = (position.get(from) as number) * versions.length + (position.get(to) as number)
  const slot = pair * 4 + (profile === 'strict' ? 2 : 0) + (scope === 'body' ? 1 : 0)
  tables[slot] ??= { params: new Map(), result: new Map(), error: new Map() }
  const known = tables[slot][part]
  const found = known.get(method)
  if (found !== undefined) return found ?? undefined
  const made = compile(from, to, method, part, profile, scope)
  if (isKnownMethod(method)) known.set(method, made ?? null)
  return made
}

function compile(
  from: ProtocolVersion,
  to: ProtocolVersion,
  method: string,
  part: Part,
  profile: Profile,
  scope: 'message' | 'body',
): Plan | undefined {
  if (scope === 'message') {
    const absent = absentInTarget(from, to, method, part)
    if (absent !== undefined) return absent
  }
  return fuse(method, instructions(from, to, method, part, profile, scope))
}

/**
 * A method that the version of the sender knows and that of the receiver does not. Unknown methods are extensions and
 * pass.
 */
function absentInTarget(from: ProtocolVersion, to: ProtocolVersion, method: string, part: Part): Plan | undefined {
  const known: MethodInfo | undefined = methodIn(from, method)
  if (part !== 'params' || known === undefined || methodIn(to, method) !== undefined) return undefined
  if (known.kind === 'notification') return () => drop(`${method} does not exist in ${to}`)
  return () => refuse('method_not_found', `${method} does not exist in protocol version ${to}`)
}

function instructions(
  from: ProtocolVersion,
  to: ProtocolVersion,
  method: string,
  part: Part,
  profile: Profile,
  scope: 'message' | 'body',
): Instruction[] {
  const found: Instruction[] = []
  for (const { changes, direction } of path(from, to)) {
    for (const change of changes) {
      for (const rule of (direction === 'up' ? change.up : change.down) ?? []) {
        if (applies(rule, method, part, profile, scope)) found.push({ change, rule })
      }
    }
  }
  return found
}

function applies(rule: Rule, method: string, part: Part, profile: Profile, scope: 'message' | 'body'): boolean {
  const named = typeof rule.method === 'string' ? rule.method === method : rule.method.includes(method)
  return (
    named &&
    rule.part === part &&
    (rule.profile ?? profile) === profile &&
    !(rule.envelope === true && scope === 'body')
  )
}

/** The steps on the way, in the order in which a message takes them. */
export function path(
  from: ProtocolVersion,
  to: ProtocolVersion,
): { changes: readonly Change[]; direction: 'up' | 'down' }[] {
  const [start, end] = [versions.indexOf(from), versions.indexOf(to)]
  if (start <= end) return steps.slice(start, end).map((step) => ({ changes: step.changes, direction: 'up' as const }))
  return steps
    .slice(end, start)
    .reverse()
    .map((step) => ({ changes: step.changes, direction: 'down' as const }))
}
