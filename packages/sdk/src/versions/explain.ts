/** What happens to messages between two versions, as data and as text: the steps read aloud. */

import type { Change, Part, Rule } from './change.ts'
import { type Flow, flows } from './flows/flows.ts'
import { capabilitiesOf, features, methodsOf } from './methods.ts'
import type { Operation, Profile, Severity } from './operation.ts'
import { path } from './plan.ts'
import { ruleInfo } from './rules.ts'
import { eraOf, type ProtocolVersion } from './version.ts'

export interface ExplainOptions {
  /** Only what happens in this profile. */
  profile?: Profile
  /** Only what touches this method. */
  method?: string
}

/** One place of a message, and what is done there. */
export interface Action {
  readonly methods: readonly string[]
  readonly part: Part
  /** `''` for the part itself, else a place such as `tools[]`. */
  readonly at: string
  readonly does: string
  /** Set when it is done in one profile only. */
  readonly profile?: Profile
  /** True for what frames every message of a version. */
  readonly envelope?: boolean
}

export interface Entry {
  readonly change: string
  readonly rules: readonly string[]
  readonly direction: 'up' | 'down'
  /** Methods whose messages are rewritten, or that appear and disappear. */
  readonly methods: readonly string[]
  readonly why: string
  /** Empty for notes: methods, flows and wording that need no rewriting. */
  readonly actions: readonly Action[]
  readonly loses?: string
  readonly severity?: Severity
  /** Set when everything the change does, it does in one profile only. */
  readonly profile?: Profile
}

export interface Explanation {
  readonly from: ProtocolVersion
  readonly to: ProtocolVersion
  readonly entries: readonly Entry[]
  /** Conversations that take another form; none within one era. */
  readonly flows: readonly Flow[]
  /** Methods only the target has, and methods only the source has. */
  readonly addedMethods: readonly string[]
  readonly removedMethods: readonly string[]
  readonly addedCapabilities: readonly string[]
  readonly removedCapabilities: readonly string[]
  readonly addedFeatures: readonly string[]
  readonly removedFeatures: readonly string[]
}

export function explain(from: ProtocolVersion, to: ProtocolVersion, options: ExplainOptions = {}): Explanation {
  const [methodsBefore, methodsAfter] = [from, to].map((version) =>
    methodsOf(version).map((method) => method.name),
  ) as [string[], string[]]
  const [capabilitiesBefore, capabilitiesAfter] = [from, to].map((version) =>
    capabilitiesOf(version).map((one) => one.path),
  ) as [string[], string[]]
  return {
    from,
    to,
    entries: path(from, to).flatMap(({ changes, direction }) =>
      changes.flatMap((change) => entryOf(change, direction, options)),
    ),
    flows: flowsBetween(from, to, options),
    addedMethods: missing(methodsAfter, methodsBefore),
    removedMethods: missing(methodsBefore, methodsAfter),
    addedCapabilities: missing(capabilitiesAfter, capabilitiesBefore),
    removedCapabilities: missing(capabilitiesBefore, capabilitiesAfter),
    addedFeatures: missing(features(to), features(from)),
    removedFeatures: missing(features(from), features(to)),
  }
}

function flowsBetween(from: ProtocolVersion, to: ProtocolVersion, { method }: ExplainOptions): Flow[] {
  if (eraOf(from) === eraOf(to)) return []
  return flows.filter((flow) => method === undefined || flow.methods.includes(method))
}

/** What of `these` is not among `those`. */
function missing(these: readonly string[], those: readonly string[]): string[] {
  return these.filter((one) => !those.includes(one))
}

function entryOf(change: Change, direction: 'up' | 'down', options: ExplainOptions): Entry[] {
  const all = (direction === 'up' ? change.up : change.down) ?? []
  const actions = all
    .filter((rule) => options.profile === undefined || (rule.profile ?? options.profile) === options.profile)
    .map(actionOf)
  const methods = unique([...actions.flatMap((action) => action.methods), ...methodsOfChange(change)])
  if (options.method !== undefined && !methods.includes(options.method)) return []
  // A change that works in the other profile only says nothing about this one.
  if (all.length > 0 && actions.length === 0) return []
  const profiles = unique(actions.map((action) => action.profile))
  const loses =
    change.loses !== undefined && (direction === 'down' || change.down === undefined) ? { loses: change.loses } : {}
  const severity = 'loses' in loses && change.severity !== undefined ? { severity: change.severity } : {}
  const profile = profiles.length === 1 && profiles[0] !== undefined ? { profile: profiles[0] } : {}
  return [
    {
      change: change.name,
      rules: change.rules,
      direction,
      methods,
      why: change.why,
      actions,
      ...loses,
      ...severity,
      ...profile,
    },
  ]
}

function methodsOfChange({ methods }: Change): string[] {
  return [
    ...(methods?.removed ?? []),
    ...[...(methods?.added ?? []), ...(methods?.changed ?? [])].map((method) => method.name),
  ]
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

function actionOf(rule: Rule): Action {
  const operations = (Array.isArray(rule.apply) ? rule.apply : [rule.apply]) as readonly Operation[]
  return {
    methods: typeof rule.method === 'string' ? [rule.method] : rule.method,
    part: rule.part,
    at: rule.at ?? '',
    does: operations.map(words).join(', '),
    ...(rule.profile === undefined ? {} : { profile: rule.profile }),
    ...(rule.envelope === true ? { envelope: true } : {}),
  }
}

function words(operation: Operation): string {
  switch (operation.op) {
    case 'omit':
      return `removes ${operation.keys.join(', ')}`
    case 'defaults':
      return `adds ${Object.keys(operation.values).join(', ')}`
    case 'rename':
      return `renames ${operation.from} to ${operation.to}`
    case 'edit':
      return operation.does
  }
}

/** The same for people: one paragraph per change. */
export function explainText(from: ProtocolVersion, to: ProtocolVersion, options: ExplainOptions = {}): string {
  const { entries, flows: crossing, addedMethods, removedMethods } = explain(from, to, options)
  if (from === to) return `From ${from} to ${to}: nothing changes.\n`
  const lines = [`From ${from} to ${to}`, '']
  if (addedMethods.length > 0) lines.push(`Only in ${to}: ${addedMethods.join(', ')}`)
  if (removedMethods.length > 0) lines.push(`Only in ${from}: ${removedMethods.join(', ')}`)
  for (const entry of entries) lines.push(...paragraph(entry))
  for (const flow of crossing) lines.push(...crossingOf(flow))
  return `${lines.join('\n')}\n`
}

function crossingOf({ name, rules, handshake, stateless, handshakeClient, statelessClient }: Flow): string[] {
  return [
    '',
    `flow: ${name} (${rules.join(', ')})`,
    `  Handshake era: ${handshake}.`,
    `  Since 2026-07-28: ${stateless}.`,
    `  Handshake client, stateless server [${handshakeClient.verdict}]: ${handshakeClient.how}.`,
    `  Stateless client, handshake server [${statelessClient.verdict}]: ${statelessClient.how}.`,
  ]
}

function paragraph(entry: Entry): string[] {
  const lines = [
    '',
    `${entry.change} (${entry.rules.join(', ')})${entry.profile === undefined ? '' : `, ${entry.profile} only`}`,
    `  ${entry.why}`,
  ]
  for (const id of entry.rules) lines.push(`  ${id}: ${ruleInfo(id)?.summary ?? ''}`)
  for (const action of entry.actions) {
    const shown = action.methods.length > 4 ? `${action.methods.length} methods` : action.methods.join(', ')
    const place = action.at === '' ? action.part : `${action.part} ${action.at}`
    const notes = [action.profile, action.envelope === true ? 'envelope' : undefined].filter(
      (note) => note !== undefined,
    )
    lines.push(`  - ${shown}, ${place}: ${action.does}${notes.length === 0 ? '' : ` (${notes.join(', ')})`}`)
  }
  if (entry.loses !== undefined)
    lines.push(`  Loses${entry.severity === undefined ? '' : ` [${entry.severity}]`}: ${entry.loses}`)
  return lines
}
