/** How a request of this side is written, and what its transport is told beside the text. */
import type { ParleyError } from '../errors/index.ts'
import { type Body, isObject, isWorthNoting, noteParts, noteText, requestText, resultIn, type SendOptions } from '../jsonrpc/index.ts'
import { type HeaderParam, headersFor, type TranslationContext } from '../versions/index.ts'
import type { SessionCore } from './core.ts'
import type { RequestOptions } from './options.ts'
import type { Pending } from './pending.ts'

export const NO_HEADERS: readonly HeaderParam[] = []

/** The arguments that travel in headers as well; whoever knows the tool may have to ask first (D-60). */
export function annotatedParams(
  { link, endpoint }: SessionCore,
  { envelope, method, params }: Pending,
): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
  if (method !== 'tools/call' || envelope === undefined || link.mirrors !== true) return NO_HEADERS
  const name = params?.['name']
  return (typeof name === 'string' ? endpoint.headerParams?.(name) : undefined) ?? NO_HEADERS
}

/** What translating the request and its result may need to know, and who is told what that loses. */
export function contextOf(core: SessionCore, { params, options }: Pick<Pending, 'params' | 'options'>): TranslationContext {
  const context = core.translationContext(params)
  const tell = options?.onLoss
  if (tell !== undefined)
    context.onLoss = (loss) => {
      core.onLoss(loss)
      tell(loss)
    }
  return context
}

export function textOf(core: SessionCore, { id, method, route, params, options, envelope, extra }: Pending): string {
  const translated =
    route?.paramsDown === undefined || options?.relayed === true
      ? params
      : core.translate(route.paramsDown, params, contextOf(core, { params: undefined, options }))
  const token = options?.onProgress === undefined ? undefined : id
  const write = options?.write
  if (envelope !== undefined && options?.relayed === true) return envelope.relayedText(id, method, translated, token, write)
  if (envelope !== undefined) return envelope.requestText(id, method, extra === undefined ? translated : { ...translated, ...extra }, token, write)
  if (token === undefined) return requestText(id, method, translated, write)
  return requestText(id, method, { ...translated, _meta: { ...(translated?.['_meta'] as Body | undefined), progressToken: token } }, write)
}

export function sendOptions({ link }: SessionCore, { method, params, options, envelope }: Pending, annotated: readonly HeaderParam[]): SendOptions | undefined {
  if (envelope === undefined || link.mirrors !== true) return options?.relatedTo === undefined ? undefined : { relatedTo: options.relatedTo }
  const headers = envelope.headers(method, params)
  const args = params?.['arguments']
  return { headers: annotated.length > 0 && isObject(args) ? { ...headers, ...headersFor(annotated, args) } : headers }
}

/** Only what is known to be one line of JSON goes on as text. `own` is the result without its envelope, and `known` what was made of that. */
export function tellText({ onText, keepsText }: RequestOptions, frame: string, result: Body, own: Body, known: Body): void {
  if (onText === undefined && (keepsText !== true || (known !== result && !isWorthNoting(frame)))) return
  const json = resultIn(frame)
  if (json === undefined) return
  onText?.(json, known === result)
  if (keepsText !== true) return
  if (known === own) noteText(json, result, known)
  else noteParts(json, result)
}

/** Where hanging up says it, nothing else does; the specification forbids cancelling the handshake. */
export function takeBack(core: SessionCore, { id, method, envelope, options }: Pending, error: ParleyError): void {
  const { link } = core
  const handshake = method === 'initialize'
  if (link.withdraw !== undefined && (handshake || envelope !== undefined)) return link.withdraw(id)
  if (handshake) return
  const relatedTo = options?.relatedTo
  core.sendNotification('notifications/cancelled', { requestId: id, reason: error.message }, relatedTo === undefined ? undefined : { relatedTo })
}

/** Calls somebody else's code, which may fail now or later. */
export function guarded(call: () => unknown, report: (error: unknown) => void): void {
  try {
    const outcome = call()
    if (outcome instanceof Promise) outcome.catch(report)
  } catch (error) {
    report(error)
  }
}

/** The server ends the session with requests unanswered: it speaks of the session, so what holds for a connection that was lost holds for them. */
export function endsSession(core: SessionCore, { envelope }: Pending, { kind }: ParleyError): boolean {
  if (envelope !== undefined) return kind === 'shutting_down' && core.link.mirrors !== true
  return kind === 'session_closed' && core.era === 'handshake'
}
