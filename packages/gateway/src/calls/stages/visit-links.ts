/**
 * The stages that turn -32042 of 2025-11-25 into questions for clients of the stateless era. The client's answer makes
 * the call again.
 */
import { ParleyError } from 'parley-mcp'
import { type Answer, type Body, type Inbound, InputRequired, isObject, type Stage } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'

const URL_REQUIRED = -32042

/** The sealed state between two attempts of the client. */
interface State {
  readonly k: 'url'
  /** The server's ids of the links, by the keys of the questions. */
  readonly ids: Readonly<Record<string, string>>
}

/** Asks the client to open the links instead of failing. When the user has refused, the call is not made again. */
export const visitLinks: Stage<Call> = async (call, next) => {
  const refused = linksVisited(call)
  if (refused !== undefined) return refused
  try {
    return await next(call)
  } catch (error) {
    const shown = call.site.upstream.errorForClients(error)
    const links = shown instanceof ParleyError ? linksRequired(shown, call) : undefined
    if (links === undefined) throw error
    return links
  }
}

/** Makes the call once more when the server reports that the user has opened the links. */
export const retryAfterLinks: Stage<Call> = async (call, next) => {
  const conversation = conversationOf(call)
  const links = linksToServe(call, conversation)
  const answer = await next(call)
  const served = whenLinksServed(answer, links, call, conversation)
  if (served === undefined) return answer
  await served
  const repeated = call.repeat()
  try {
    return await next(repeated)
  } finally {
    call.lasting = repeated.lasting
  }
}

/** The questions, if the error demands links and the client can be asked to open them. */
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

/** The answer when the user has refused to open a link. `undefined`: the call is made again. */
function linksVisited(inbound: Inbound): Answer | undefined {
  if (stateOf(inbound) === undefined || !isRefused(inbound)) return undefined
  const text = `The user did not open the link that ${inbound.method} needs`
  if (inbound.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true }
  throw new ParleyError('internal_error', { message: text })
}

/** The links that the user has agreed to open and that the server may still report. Empty in another conversation. */
function linksToServe(inbound: Inbound, conversation: Conversation): readonly string[] {
  const state = stateOf(inbound)
  if (state === undefined || isRefused(inbound) || !conversation.canNotify) return []
  const opened = Object.keys(inbound.retry?.responses ?? {}).flatMap((key) =>
    Object.hasOwn(state.ids, key) ? [state.ids[key] as string] : [],
  )
  return opened.filter((id) => conversation.awaitedLinks.has(id))
}

/** When the server has refused the call again: resolves when another attempt makes sense, or returns `undefined`. */
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
