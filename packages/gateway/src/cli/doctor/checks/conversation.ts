/** Checks a connected server: its version, its lists, and how long they take. */
import type { Tool } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { DEFINITION_RULE } from 'parley-mcp/engine'
import { count, elapsed, oneLine } from '../../terminal/text.ts'
import type { SubjectReport } from '../report/subject-report.ts'

const SLOW_MS = 5000
/** Names that even the strictest clients accept. */
const TAKEN_EVERYWHERE = /^[A-Za-z0-9_-]{1,64}$/

const LIST_FIX = 'the server cannot make its list: see its log, or ask its author'

export interface ConversationOptions {
  /** In milliseconds. */
  readonly connectedIn: number
  readonly signal: AbortSignal
}

export async function conversationChecks(
  report: SubjectReport,
  client: Client,
  { connectedIn, signal }: ConversationOptions,
): Promise<void> {
  const { server, version, session } = client
  const who = `${oneLine(server.name, 60)} ${oneLine(server.version, 30)} speaks ${version} (${session.era} era) over ${session.transport}, ready in ${elapsed(connectedIn)}`
  if (connectedIn > SLOW_MS)
    report.warning(
      'speaks',
      who,
      'clients with a shorter timeout give up: install beforehand what it fetches at its start, or raise "initialiseTimeout"',
    )
  else report.ok('speaks', who)
  if (client.capabilities.tools === undefined) report.ok('lists tools', 'it offers none')
  else await toolListChecks(report, client, signal)
  await otherListChecks(report, client, signal)
  definitionChecks(report, client)
}

/** Reports definitions that the client had to correct or leave out. */
function definitionChecks(report: SubjectReport, client: Client): void {
  const bad = client.losses().filter(({ rule }) => rule === DEFINITION_RULE)
  for (const method of new Set(bad.map((loss) => loss.method))) {
    const details = bad
      .filter((loss) => loss.method === method)
      .map(({ detail }) => detail.replace(/ (?:was mended|is left out): it /, ' '))
    const others = details.length === 1 ? '' : `; ${count(details.length - 1, 'other problem')} as well`
    const fix = 'some clients refuse the whole list because of it: correct the definition in the server'
    report.problem(
      method === 'tools/list' ? 'tool definitions' : `definitions in ${method}`,
      `${oneLine(details[0] ?? '', 300)}${others}`,
      fix,
    )
  }
}

async function toolListChecks(report: SubjectReport, client: Client, signal: AbortSignal): Promise<void> {
  const began = performance.now()
  try {
    const tools = await client.tools({ signal })
    const took = performance.now() - began
    const found = `${count(tools.length, 'tool')} in ${elapsed(took)}`
    if (took > SLOW_MS) report.warning('lists tools', found, 'a list this slow delays every client that connects')
    else if (tools.length === 0)
      report.warning(
        'lists tools',
        'it declares tools, but lists none',
        'check its settings: tools may need an option or a login',
      )
    else report.ok('lists tools', found)
    toolChecks(report, tools)
  } catch (error) {
    signal.throwIfAborted()
    report.problem('lists tools', oneLine((error as Error).message, 500), LIST_FIX)
  }
}

/** Reports only failures. */
async function otherListChecks(report: SubjectReport, client: Client, signal: AbortSignal): Promise<void> {
  const { resources, prompts } = client.capabilities
  const lists: readonly (readonly [name: string, declared: boolean, list: () => Promise<unknown>])[] = [
    ['lists resources', resources !== undefined, () => client.resources({ signal })],
    ['lists resource templates', resources !== undefined, () => client.templates({ signal })],
    ['lists prompts', prompts !== undefined, () => client.prompts({ signal })],
  ]
  for (const [name, declared, list] of lists) {
    if (!declared) continue
    try {
      await list()
    } catch (error) {
      signal.throwIfAborted()
      report.problem(name, oneLine((error as Error).message, 500), LIST_FIX)
    }
  }
}

function toolChecks(report: SubjectReport, tools: readonly Tool[]): void {
  const names = tools.map((tool) => tool.name)
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
  const odd = names.filter((name) => typeof name === 'string' && !TAKEN_EVERYWHERE.test(name))
  const wordless = tools
    .filter((tool) => (tool.description ?? '') === '' || /^\s*$/.test(String(tool.description)))
    .map((tool) => tool.name)
  if (twice.length > 0)
    report.warning('tool names', `listed more than once: ${few(twice)}`, 'clients use the first or fail: rename one')
  if (odd.length > 0)
    report.warning(
      'tool names',
      `not accepted by every client: ${few(odd)}`,
      'use 1 to 64 letters, digits, "_" and "-", in the server or with "rename" in the configuration',
    )
  if (wordless.length > 0)
    report.warning(
      'tool descriptions',
      `${count(wordless.length, 'tool')} without a description: ${few(wordless)}`,
      'models choose tools by their descriptions',
    )
}

function few(names: readonly string[]): string {
  return `${names
    .slice(0, 5)
    .map((name) => oneLine(name, 70))
    .join(', ')}${names.length > 5 ? ', …' : ''}`
}
