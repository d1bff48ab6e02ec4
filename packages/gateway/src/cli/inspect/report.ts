/** Prints the facts about a server for people. */
import type { Severity } from 'parley-mcp'
import type { Colours } from '../terminal/colours.ts'
import { hanging, rows, wrapped } from '../terminal/layout.ts'
import { count, indent, oneLine, printable } from '../terminal/text.ts'
import { CONVERSATION_TEXTS } from './conversation.ts'
import type { Inspection } from './inspection.ts'
import { promptRow, type Row, resourceRow, templateRow, toolRow } from './list-rows.ts'
import type { LossItem, VersionLosses } from './losses.ts'
import type { ListResult } from './survey.ts'
import type { VersionSupport } from './version-support.ts'

export interface Shown {
  readonly colours: Colours
  /** How many of each list. */
  readonly first: number
  readonly all: boolean
  /** Of the terminal. */
  readonly columns: number
}

export function textOf(inspection: Inspection, shown: Shown): string {
  const { bold } = shown.colours
  const { server } = inspection
  const title = server.title !== undefined && server.title !== server.name ? ` (${oneLine(server.title)})` : ''
  return [
    `${bold(oneLine(server.name))} ${oneLine(server.version, 40)}${title}`,
    ...(server.description === undefined
      ? []
      : [`  ${hanging(oneLine(server.description, 160), { columns: shown.columns, by: 2 })}`]),
    ...rows(
      [
        ['transport', inspection.transport],
        ['version', `${inspection.version} (${inspection.era} era)`],
        ...speech(inspection),
        ...conversation(inspection),
        ['capabilities', capabilitiesIn(inspection.capabilities)],
      ],
      shown.columns,
    ),
    ...behind(inspection, shown),
    ...(inspection.instructions === null
      ? []
      : ['', bold('instructions'), ...instructions(inspection.instructions, shown)]),
    ...list('tools', inspection.tools, toolRow, shown),
    ...list('resources', inspection.resources, resourceRow, shown),
    ...list('resource templates', inspection.templates, templateRow, shown),
    ...list('prompts', inspection.prompts, promptRow, shown),
    ...losses(inspection, shown),
    '',
  ].join('\n')
}

/** For a gateway, the answer depends on the server behind it. */
function conversation({ conversation: own, behind: servers }: Inspection): Row[] {
  return servers === null ? [['conversation', own]] : []
}

function behind({ behind: servers }: Inspection, { colours, columns }: Shown): string[] {
  if (servers === null) return []
  const about = servers.flatMap(({ server, withSession, withoutSession }): Row[] => [
    [oneLine(server, 40), `client with a session: ${CONVERSATION_TEXTS[withSession]}`],
    ['', `client without: ${CONVERSATION_TEXTS[withoutSession]}`],
  ])
  return ['', colours.bold('conversations with the servers behind it'), ...rows(about, columns)]
}

/** Instructions are written for models, and may be long. */
const LINES_OF_INSTRUCTIONS = 8

function instructions(text: string, { all, colours, columns }: Shown): string[] {
  const lines = printable(text.trim()).split('\n')
  const most = all ? lines.length : LINES_OF_INSTRUCTIONS
  const rest = lines.length - most
  const shown = lines.slice(0, most).flatMap((each) => wrapped(each, columns - 2))
  return [
    indent(shown.join('\n').trimEnd()),
    ...(rest > 0 ? [colours.dim(`  … and ${count(rest, 'more line')}; --all shows them`)] : []),
  ]
}

function speech({ versions }: Inspection): Row[] {
  if (versions === null) return []
  const spoken = versions.filter((each) => each.speaks).map((each) => each.version)
  const reasons = [...new Set(versions.flatMap((each) => each.reason ?? []))]
  const others = reasons.map(
    (reason): Row => ['does not speak', `${versionsFor(versions, reason)}: ${oneLine(reason, 120)}`],
  )
  return [['speaks', spoken.join(', ')], ...others]
}

function versionsFor(versions: readonly VersionSupport[], reason: string): string {
  return versions
    .filter((each) => each.reason === reason)
    .map((each) => each.version)
    .join(', ')
}

/** `tools(listChanged), resources(subscribe)`. */
function capabilitiesIn(capabilities: object): string {
  const shown = Object.entries(capabilities).map(([name, value]) => {
    const inner =
      typeof value === 'object' && value !== null ? Object.entries(value).filter(([, each]) => each !== false) : []
    return inner.length === 0 ? name : `${name}(${inner.map(([key]) => key).join(', ')})`
  })
  return oneLine(shown.join(', '), 300) || 'none'
}

function list<T>(
  title: string,
  { items, error }: ListResult<T>,
  row: (item: T) => Row,
  { colours, first, all, columns }: Shown,
): string[] {
  if (error !== null) return ['', `${colours.bold(title)} ${colours.red('cannot be listed:')} ${oneLine(error, 300)}`]
  if (items.length === 0) return []
  const most = all ? items.length : first
  const rest = items.length - most
  return [
    '',
    `${colours.bold(title)} (${items.length})`,
    ...rows(items.slice(0, most).map(row), columns),
    ...(rest > 0 ? [colours.dim(`  … and ${rest} more; --all shows them`)] : []),
  ]
}

const SEVERITIES: Readonly<Record<Severity, string>> = { E: 'fails', w: 'noticeable', i: 'cosmetic' }

function losses({ losses: all, version, versions }: Inspection, shown: Shown): string[] {
  const direct = new Set(versions?.filter((each) => each.speaks).map((each) => each.version))
  const [title, compared] = ['what clients of other versions lose', `(compared with ${version})`]
  const gap = title.length + 1 + compared.length > shown.columns ? '\n  ' : ' '
  const heading = `${shown.colours.bold(title)}${gap}${shown.colours.dim(compared)}`
  return ['', heading, ...all.flatMap((each) => lossesOf(each, direct.has(each.version), shown))]
}

function lossesOf({ version, items }: VersionLosses, direct: boolean, { colours, all, columns }: Shown): string[] {
  const spoken = direct ? ', which the server speaks itself' : ''
  const head = `  ${version}${colours.dim(spoken)}`
  const certain = items.filter((item) => item.when !== 'asking')
  const asking = items.filter((item) => item.when === 'asking')
  if (items.length === 0) return [`${head}: nothing`]
  if (certain.length === 0 && !all) {
    const words = hanging(`  ${version}${spoken}: nothing, unless it asks the user or the model (--all)`, {
      columns,
      by: 4,
    })
    return [`  ${version}${colours.dim(words.slice(2 + version.length))}`]
  }
  const shown = all ? items : certain
  const hidden =
    all || asking.length === 0
      ? []
      : [colours.dim(`    ${asking.length} more if it asks the user or the model (--all)`)]
  return [`${head}:`, ...shown.map((item) => `    ${line(item, colours, columns)}`), ...hidden]
}

/** The indentation of the text after the severity. */
const LOSS_INDENT = 16

function line({ severity, when, change, rules, loses, names }: LossItem, colours: Colours, columns: number): string {
  const colour = { E: colours.red, w: colours.yellow, i: colours.dim }[severity]
  const occasion = when === 'always' ? namesIn(names) : when === 'sometimes' ? ' (where it happens)' : ' (if it asks)'
  const words = hanging(`${change} [${rules.join(', ')}]: ${loses}${occasion}`, { columns, by: LOSS_INDENT })
  return `${colour(SEVERITIES[severity].padEnd(10))}  ${words}`
}

function namesIn(names: readonly string[]): string {
  const few = names.slice(0, 3).map((name) => oneLine(name, 40))
  return ` (${few.join(', ')}${names.length > few.length ? ` and ${names.length - few.length} more` : ''})`
}
