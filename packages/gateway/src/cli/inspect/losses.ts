/**
 * What a client of another version loses with this server: the translation rules that affect what the server offers.
 */
import {
  type Entry,
  type Era,
  eraOf,
  explain,
  type MethodInfo,
  methodIn,
  newestVersion,
  type ProtocolVersion,
  plan,
  type Severity,
  versions,
} from 'parley-mcp'
import type { Survey } from './survey.ts'

/**
 * `always`: what the server lists shows it. `sometimes`: results of the server may. `asking`: only when it asks the
 * user or the model something.
 */
export type Occasion = 'always' | 'sometimes' | 'asking'

export interface LossItem {
  readonly severity: Severity
  readonly when: Occasion
  /** Of the change of the protocol, such as `structured tool output`. */
  readonly change: string
  readonly rules: readonly string[]
  readonly loses: string
  /** The affected tools, prompts and resources. */
  readonly names: readonly string[]
}

export interface VersionLosses {
  /** Of the client. */
  readonly version: ProtocolVersion
  readonly era: Era
  readonly items: readonly LossItem[]
}

type Facts = Pick<Survey, 'version' | 'capabilities' | 'tools' | 'resources' | 'templates' | 'prompts'>

const LISTS = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'templates',
} as const

/** Rules that do not affect a server without tasks, although they change messages that it has. */
const TASKS: ReadonlySet<string> = new Set(['C-24', 'C-23', 'D-47', 'D-07'])
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

const WORST_FIRST: readonly Severity[] = ['E', 'w', 'i']
const SUREST_FIRST: readonly Occasion[] = ['always', 'sometimes', 'asking']

/** For every version except the one of this connection. */
export function lossesOf(facts: Facts): VersionLosses[] {
  return versions
    .filter((version) => version !== facts.version)
    .map((version) => ({ version, era: eraOf(version), items: lossesToward(version, facts) }))
}

function lossesToward(client: ProtocolVersion, facts: Facts): LossItem[] {
  const listed = lossesInLists(client, facts)
  const items = [
    ...shapes(facts.version, client, 'server', facts, listed),
    ...shapes(client, facts.version, 'client', facts, listed),
    ...flows(client, facts),
  ]
  const rank = (item: LossItem): number => WORST_FIRST.indexOf(item.severity) * 10 + SUREST_FIRST.indexOf(item.when)
  return items.sort((one, other) => rank(one) - rank(other))
}

/** The losses in messages of one side, from one version to another. */
function shapes(
  from: ProtocolVersion,
  to: ProtocolVersion,
  speaker: 'client' | 'server',
  facts: Facts,
  listed: Map<string, string[]>,
): LossItem[] {
  return explain(from, to, { profile: 'lenient' }).entries.flatMap((entry) => {
    if (entry.loses === undefined || !offersTasksIfNeeded(entry, facts)) return []
    const names = speaker === 'server' ? [...new Set(entry.rules.flatMap((rule) => listed.get(rule) ?? []))] : []
    const when = names.length > 0 ? 'always' : occasion(entry, from, to, speaker, facts)
    if (when === undefined) return []
    return [
      {
        severity: entry.severity ?? 'i',
        when,
        change: entry.change,
        rules: entry.rules,
        loses: lowered(entry.loses),
        names,
      },
    ]
  })
}

function occasion(
  entry: Entry,
  from: ProtocolVersion,
  to: ProtocolVersion,
  speaker: 'client' | 'server',
  facts: Facts,
): Occasion | undefined {
  // The session writes the envelope of every message, and errors keep their content in any form. Neither loses
  // anything.
  const actions = entry.actions.filter((action) => action.envelope !== true && action.part !== 'error')
  if (actions.some((action) => speaker === 'server' && action.methods.some((method) => method in LISTS)))
    return undefined
  const touched = actions.flatMap((action) =>
    action.methods.filter((name) => {
      const method = methodIn(from, name)
      return method !== undefined && (action.part === 'params') === sends(method, speaker)
    }),
  )
  const vanished = entry.methods.filter((name) => {
    const method = methodIn(from, name)
    return (
      method !== undefined && methodIn(to, name) === undefined && sends(method, speaker) && method.kind === 'request'
    )
  })
  const possible = [...touched, ...vanished]
    .map((name) => methodIn(from, name) as MethodInfo)
    .filter((method) => isPossible(method, facts))
  if (possible.length === 0) return undefined
  return possible.some((method) => !isQuestion(method)) ? 'sometimes' : 'asking'
}

/** Whether this side writes the parameters. The other side writes the result. */
function sends(method: MethodInfo, speaker: 'client' | 'server'): boolean {
  return method.from === 'both' || (isQuestion(method) ? speaker === 'server' : method.from === speaker)
}

/** A request from the server to the user, the model or the client. */
function isQuestion({ kind, from }: MethodInfo): boolean {
  return kind === 'request' && (from === 'server' || from === 'embedded')
}

/**
 * Whether the server can use the method: a method needs its capability, and a question needs a call. Each translation
 * handles the opening messages itself.
 */
function isPossible(method: MethodInfo, { capabilities }: Facts): boolean {
  const { tools, prompts, resources } = capabilities
  if (isQuestion(method)) return (tools ?? prompts ?? resources) !== undefined
  const needs = method.needs?.client ?? method.needs?.server
  if (needs === undefined) return method.name === 'completion/complete'
  const [side, ...path] = needs.split('.')
  return (
    side === 'client' ||
    path.reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], capabilities) !== undefined
  )
}

function offersTasksIfNeeded({ rules }: Pick<Entry, 'rules'>, { capabilities }: Pick<Facts, 'capabilities'>): boolean {
  const { tasks, extensions } = capabilities as { tasks?: unknown; extensions?: Record<string, unknown> }
  return !rules.some((rule) => TASKS.has(rule)) || tasks !== undefined || extensions?.[TASKS_EXTENSION] !== undefined
}

/** Conversations that take another form in the other era. */
function flows(client: ProtocolVersion, facts: Facts): LossItem[] {
  return explain(facts.version, client).flows.flatMap((flow) => {
    const { name, rules, methods, handshakeClient, statelessClient } = flow
    const { verdict, how } = eraOf(client) === 'handshake' ? handshakeClient : statelessClient
    const asksOnly = name === 'progress'
    if (verdict === 'lossless' || !offersTasksIfNeeded(flow, facts)) return []
    if (methods.includes('logging/setLevel') && facts.capabilities.logging === undefined) return []
    return [
      {
        severity: 'i' as const,
        when: asksOnly ? ('asking' as const) : ('sometimes' as const),
        change: name,
        rules,
        loses: how,
        names: [],
      },
    ]
  })
}

/**
 * By rule: the names of what is listed and does not get through whole. The lists themselves are put through the
 * translation.
 */
function lossesInLists(client: ProtocolVersion, facts: Facts): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const [method, key] of Object.entries(LISTS)) {
    const items = facts[key].items as readonly { name: string }[]
    const translate =
      items.length === 0
        ? undefined
        : plan(newestVersion, client, method, 'result', { profile: 'lenient', scope: 'body' })
    const list = key === 'templates' ? 'resourceTemplates' : key
    translate?.(
      { [list]: items },
      {
        onLoss: ({ rule, path }) => {
          const name = items[Number(/\[(\d+)\]/.exec(path)?.[1])]?.name
          if (name !== undefined) found.set(rule, [...(found.get(rule) ?? []), name])
        },
      },
    )
  }
  return found
}

function lowered(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`.replace(/\.$/, '')
}
