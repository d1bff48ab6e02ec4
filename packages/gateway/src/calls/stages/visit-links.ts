/**
 * The stages for -32042 of 2025-11-25, toward clients of the stateless era: they are shown the links, and their next
 * attempt makes the call again (8.3).
 */
import { ParleyError } from 'parley-mcp'
import { type Answer, type Body, type Inbound, InputRequired, isObject, type Stage } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'

const URL_REQUIRED = -32042

/** What the gateway remembers, sealed, between two attempts. */
interface State {
  readonly k: 'url'
  /** What the server calls the links, by the keys of the questions. */
  readonly ids: Readonly<Record<string, string>>
}

/** Shows the links in place of the error. When the user refused to open them, the call is not made again. */
export const visitLinks: Stage<Call> = async (call, next) => {
  const refused = linksVisited(call)
  if (refused !== undefined) return refused
  try {
    return await next(call)
  } catch (error) {
    const shown = call.site.upstream.discreet(error)
    const links = shown instanceof ParleyError ? linksRequired(shown, call) : undefined
    if (links === undefined) throw error
    return links
  }
}

/** Makes the call once more when the server tells that it has seen the user at the links it had asked for. */
export const retryAfterLinks: Stage<Call> = async (call, next) => {
  const conversation = conversationOf(call)
  const links = linksToServe(call, conversation)
  const answer = await next(call)
  const served = whenLinksServed(answer, links, call, conversation)
  if (served === undefined) return answer
  await served
  const again = call.again()
  try {
    return await next(again)
  } finally {
    call.lasting = again.lasting
  }
}

/** The questions in place of the error, if that is what it means and the client can be asked. */
function linksRequired(error: ParleyError, call: Call): Answer | undefined {
  if (error.receivedCode !== URL_REQUIRED || !call.caller.declares('elicitation.url')) return undefined
  const elicitations: unknown = error.data?.['elicitations']
  if (!Array.isArray(elicitations)) return undefined
  const requests: Record<string, { method: string; params: Body }> = {}
  const ids: Record<string, string> = {}
  for (const [index, each] of elicitations.entries()) {
    if (!isObject(each) || typeof each['url'] !== 'string') continue
    const key = `url.${index}`
    requests[key] = {
      method: 'elicitation/create',
      params: {
        mode: 'url',
        url: each['url'],
        message: typeof each['message'] === 'string' ? each['message'] : error.message,
      },
    }
    if (typeof each['elicitationId'] === 'string') ids[key] = each['elicitationId']
  }
  if (Object.keys(requests).length === 0) return undefined
  conversationOf(call).awaitedLinks.expect(Object.values(ids))
  return new InputRequired(requests as never, { k: 'url', ids } satisfies State)
}

/** The outcome when the user did not want to open the links; the call is made again when all were accepted. */
function linksVisited(inbound: Inbound): Answer | undefined {
  if (stateOf(inbound) === undefined || !isRefused(inbound)) return undefined
  const text = `The user did not open the link that ${inbound.method} needs`
  if (inbound.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true }
  throw new ParleyError('internal_error', { message: text })
}

/**
 * Links that the user has agreed to open, of which the server may still tell that it is content; none where it was
 * asked for them in another conversation.
 */
function linksToServe(inbound: Inbound, conversation: Conversation): readonly string[] {
  const state = stateOf(inbound)
  if (state === undefined || isRefused(inbound) || !conversation.hears) return []
  const opened = Object.keys(inbound.retry?.responses ?? {}).flatMap((key) =>
    Object.hasOwn(state.ids, key) ? [state.ids[key] as string] : [],
  )
  return opened.filter((id) => conversation.awaitedLinks.has(id))
}

/**
 * Where the server has refused the request again: kept when it is worth another attempt. `undefined` when there is
 * nothing to wait for.
 */
function whenLinksServed(
  answer: Answer,
  links: readonly string[],
  inbound: Inbound,
  conversation: Conversation,
): Promise<void> | undefined {
  return demandsLinks(answer)
    ? conversation.awaitedLinks.whenServed(links, inbound, conversation.client.session.clock)
    : undefined
}

function demandsLinks(answer: Answer): boolean {
  return answer instanceof InputRequired && isObject(answer.state) && answer.state['k'] === 'url'
}

function stateOf({ retry }: Inbound): State | undefined {
  return isObject(retry?.state) && retry.state['k'] === 'url' ? (retry.state as unknown as State) : undefined
}

function isRefused({ retry }: Inbound): boolean {
  return Object.values(retry?.responses ?? {}).some((response) => isObject(response) && response['action'] !== 'accept')
}
