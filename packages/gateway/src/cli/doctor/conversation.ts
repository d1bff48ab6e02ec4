/** How a server fares in conversation: what it speaks, what it lists, and how long it takes. */
import type { Tool } from 'parley-mcp'
import type { Client } from 'parley-mcp/client'
import { count, elapsed, oneLine } from '../text.ts'
import type { Findings } from './check.ts'

const SLOW_MS = 5000
/** What the most particular of clients take. */
const TAKEN_EVERYWHERE = /^[A-Za-z0-9_-]{1,64}$/

export interface Conversation {
  /** In milliseconds. */
  readonly connectedIn: number
  readonly signal: AbortSignal
}

export async function conversationChecks(findings: Findings, client: Client, { connectedIn, signal }: Conversation): Promise<void> {
  const { server, version, session } = client
  const who = `${oneLine(server.name, 60)} ${oneLine(server.version, 30)} speaks ${version} (${session.era} era) over ${session.transport}, ready in ${elapsed(connectedIn)}`
  if (connectedIn > SLOW_MS)
    findings.warning('speaks', who, 'clients that wait for less give up: install what it fetches at its start beforehand, or raise "initialiseTimeout"')
  else findings.ok('speaks', who)
  if (client.capabilities.tools === undefined) return findings.ok('lists tools', 'it offers none')
  const began = performance.now()
  try {
    const tools = await client.tools({ signal })
    const took = performance.now() - began
    const found = `${count(tools.length, 'tool')} in ${elapsed(took)}`
    if (took > SLOW_MS) findings.warning('lists tools', found, 'a list this slow delays every client that connects')
    else if (tools.length === 0)
      findings.warning('lists tools', 'it says that it has tools, and lists none', 'check its settings: tools may need an option or a login')
    else findings.ok('lists tools', found)
    toolChecks(findings, tools)
  } catch (error) {
    signal.throwIfAborted()
    findings.problem('lists tools', oneLine((error as Error).message, 500), 'the server fails at its own list: see its log, or ask its author')
  }
}

function toolChecks(findings: Findings, tools: readonly Tool[]): void {
  const names = tools.map((tool) => tool.name)
  const twice = [...new Set(names.filter((name, at) => names.indexOf(name) !== at))]
  const odd = names.filter((name) => !TAKEN_EVERYWHERE.test(name))
  const wordless = tools.filter((tool) => (tool.description ?? '').trim() === '').map((tool) => tool.name)
  const shapeless = tools.filter((tool) => (tool.inputSchema as { type?: unknown } | undefined)?.type !== 'object').map((tool) => tool.name)
  if (twice.length > 0) findings.warning('tool names', `listed more than once: ${few(twice)}`, 'clients take the first or fail: rename one')
  if (odd.length > 0)
    findings.warning(
      'tool names',
      `not taken by every client: ${few(odd)}`,
      'use 1 to 64 letters, digits, "_" and "-"; "rename" in the configuration does it, too',
    )
  if (wordless.length > 0)
    findings.warning('tool descriptions', `${count(wordless.length, 'tool')} without any: ${few(wordless)}`, 'models choose tools by their descriptions')
  if (shapeless.length > 0) findings.warning('tool inputs', `no object schema: ${few(shapeless)}`, 'an input schema must have "type": "object"')
}

function few(names: readonly string[]): string {
  return `${names
    .slice(0, 5)
    .map((name) => oneLine(name, 70))
    .join(', ')}${names.length > 5 ? ', …' : ''}`
}
