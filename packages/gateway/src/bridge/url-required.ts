/** -32042 of 2025-11-25 for clients of the stateless era: they are shown the links, and their next attempt makes the call again (8.3). */
import { eraOf, ParleyError } from 'parley-mcp'
import { type Answer, type Body, type Inbound, InputRequired, isObject } from 'parley-mcp/engine'
import type { Line } from '../upstream/index.ts'

const URL_REQUIRED = -32042

/** What the gateway remembers, sealed, between two attempts. */
interface State {
  readonly k: 'url'
}

/** The questions in place of the error, if that is what it means and the client can be asked. */
export function linksRequired(error: ParleyError, inbound: Inbound, line: Line): Answer | undefined {
  if (error.receivedCode !== URL_REQUIRED || line.stateless || !isStateless(inbound) || !inbound.caller.declares('elicitation.url')) return undefined
  const elicitations: unknown = error.data?.['elicitations']
  if (!Array.isArray(elicitations)) return undefined
  const requests: Record<string, { method: string; params: Body }> = {}
  for (const [index, each] of elicitations.entries()) {
    if (!isObject(each) || typeof each['url'] !== 'string') continue
    requests[`url.${index}`] = { method: 'elicitation/create', params: { mode: 'url', url: each['url'], message: String(each['message'] ?? error.message) } }
  }
  if (Object.keys(requests).length === 0) return undefined
  return new InputRequired(requests as never, { k: 'url' } satisfies State)
}

/** The outcome when the user did not want to open the links; the call is made again when all were accepted. */
export function linksVisited(inbound: Inbound): Answer | undefined {
  const { retry } = inbound
  if (retry === undefined || !isObject(retry.state) || retry.state['k'] !== 'url') return undefined
  const refused = Object.values(retry.responses).find((response) => isObject(response) && response['action'] !== 'accept')
  if (refused === undefined) return undefined
  const text = `The user did not open the link that ${inbound.method} needs`
  if (inbound.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true }
  throw new ParleyError('internal_error', { message: text })
}

function isStateless({ caller }: Inbound): boolean {
  return eraOf(caller.version) === 'stateless'
}
