/** Hands one request of a client to a server and its outcome back: whatever era and version each of them is of. */
import { type ErrorKind, eraOf, fromWire, isVerdict, type Loss, ParleyError, plan } from 'parley-mcp'
import {
  type Answer,
  type Body,
  bodyText,
  cacheableMethods,
  exactWriter,
  type Inbound,
  isObject,
  type RequestOptions,
  readableResult,
  Serialised,
  withMetadata,
} from 'parley-mcp/engine'
import { type BridgedCall, capabilityGap, type Line, ownParams, type Upstream, withoutHandle } from '../upstream/index.ts'
import { type ListRequest, listOf } from './known-list.ts'
import { linksRequired, linksVisited } from './url-required.ts'

/** The key in `_meta` by which a client asks what translation has lost, and under which it is told. */
export const REPORT_KEY = 'dev.parley/translation'

/** What is handed on is nobody's to keep. */
const ONCE = { kept: false } as const

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

export type Way = 'relayed' | 'same' | 'translated'

/** How a request is sent; some are more than one. */
export type Send = (params: Body, options: RequestOptions) => Promise<Body>

/** `params` are those the server is sent: names are its own. */
export async function relay(call: BridgedCall, line: Line, params: Body, upstream: Upstream, send?: Send): Promise<Answer> {
  const { inbound } = call
  const visited = linksVisited(inbound)
  if (visited !== undefined) return visited
  const way = wayFor(call, line)
  const own = withoutHandle(way === 'translated' ? ownParams(inbound, params) : way === 'relayed' ? params : sentParams(inbound, params))
  call.maxRounds = upstream.config.maxRounds
  const options = optionsFor(call, way !== 'translated')
  if (line.stateless) call.demands?.attend(call, own, options)
  const list = send === undefined ? listOf(call, line, way, upstream) : undefined
  const kept: { text?: string } = {}
  if (list !== undefined) Object.assign(options, list.options)
  else keepText(kept, options, call.handsOnText && way !== 'translated' && options.onLoss === undefined)
  try {
    const { bulkhead } = upstream
    if (!call.isPart) upstream.rate.demand()
    // Who has to wait may change its mind; a signal is not made for anybody else.
    const waiting = bulkhead.full ? { signal: inbound.signal } : undefined
    const received = await bulkhead.run((place) => {
      call.begin(place)
      return send === undefined ? line.request(inbound.method, own, options) : send(own, options)
    }, waiting)
    if (list?.known !== undefined) return list.known
    const answer = readable(received, call, line, way, upstream)
    return answerOf(answer, { call, way, list, isUntouched: answer === received, text: answer === received ? kept.text : undefined })
  } catch (error) {
    return outcomeOf(upstream.discreet(line.open ? error : (upstream.supervisor.unavailable() ?? error)), call, line, own)
  } finally {
    line.lastUsedAt = upstream.clock.now()
    call.end()
  }
}

interface Passing {
  readonly call: BridgedCall
  readonly way: Way
  readonly list: ListRequest | undefined
  /** Whether nobody here has changed the answer yet. */
  readonly isUntouched: boolean
  /** As the server wrote it, where that may go on. */
  readonly text: string | undefined
}

/** What the client is given of what the server answered. */
function answerOf(answer: Body, { call, way, list, isUntouched, text }: Passing): Answer {
  const isKept = isUntouched && call.keep?.(answer) === true
  const result = call.change === undefined ? answer : call.change(answer)
  const remembered = isKept ? undefined : list?.remember(result, result === answer)
  if (remembered !== undefined) return remembered
  if (way === 'same') return new Serialised(text ?? JSON.stringify(result), ONCE)
  if (text !== undefined && isEnveloped(call.method, result)) return new Serialised(text, ONCE)
  return way === 'relayed' ? reportedWhole(call, result) : reported(call, result)
}

/** What is no result of its method does not reach a client as one; lists were looked at where they were read. */
function readable(received: Body, call: BridgedCall, line: Line, way: Way, { name }: Upstream): Body {
  try {
    const mended = readableResult(call.method, received, way === 'translated' ? undefined : line.client.version)
    if (mended === undefined) return received
    line.client.session.reportLosses(mended.losses)
    for (const loss of mended.losses) call.lose(loss)
    return mended.result
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    throw new ParleyError(error.kind, { message: `Server "${name}": ${error.message}`, data: { server: name } })
  }
}

/** Of a result that goes on as it came, only the text is of interest; others keep theirs as long as nobody changes them. */
function keepText(kept: { text?: string }, options: RequestOptions, passes: boolean): void {
  if (!passes) {
    options.keepsText = true
    return
  }
  options.onText = (json) => {
    kept.text = json
  }
}

/**
 * `relayed`: both are of the stateless era, and the server sees the client's own envelope. `same`: both speak the same version of the other era, and
 * nothing of what they say to each other is touched. Otherwise it is translated.
 */
function wayFor(call: BridgedCall, line: Line): Way {
  const { inbound } = call
  if (inbound.caller.version !== line.client.version) return 'translated'
  if (line.stateless) return 'relayed'
  return call.handsOnText && !asksForReport(inbound) ? 'same' : 'translated'
}

/** As the client wrote them, but for what the gateway has changed: the name of a tool, and a wish for a task that the server does not know. */
function sentParams(inbound: Inbound, params: Body): Body {
  if (params === inbound.params) return inbound.sent
  const { task, ...sent } = inbound.sent
  const wish = params['task'] === undefined ? {} : { task }
  return params['name'] === undefined ? { ...sent, ...wish } : { ...sent, ...wish, name: params['name'] }
}

export function asksForReport({ params }: Inbound): boolean {
  const meta = params['_meta']
  return isObject(meta) && meta[REPORT_KEY] !== undefined
}

export function optionsFor(call: BridgedCall, relayed: boolean): RequestOptions {
  const { inbound } = call
  const meta = inbound.params['_meta']
  // C-40: a server that lets its client hang up meanwhile lets this one.
  const options: RequestOptions = { owner: call, cancelledWith: call, rounds: call, onReleased: (retry) => inbound.release(retry) }
  const write = exactWriter(inbound.sent)
  if (write !== undefined) options.write = write
  if (relayed) options.relayed = true
  else if (inbound.onLoss !== undefined) options.onLoss = (loss) => call.lose(loss)
  if (!isObject(meta)) return options
  if (meta['progressToken'] !== undefined) options.onProgress = ({ progress, total, message, more }) => inbound.progress(progress, total, message, more)
  if (meta[REPORT_KEY] !== undefined) options.onLoss = (loss) => call.lose(loss)
  return options
}

/** Whether a server of the stateless era has written all that belongs to a result (D-02, D-42); what it has not is added here. */
export function isEnveloped(method: string, { resultType, ttlMs, cacheScope }: Body): boolean {
  return resultType !== undefined && (resultType !== 'complete' || !cacheable.has(method) || (ttlMs !== undefined && cacheScope !== undefined))
}

/** X2: a client that asks for it is told with each result what it lost on its way. */
export function reported(call: BridgedCall, result: Body): Answer {
  const { inbound } = call
  if (!asksForReport(inbound)) return result
  const written = inbound.written(result, (loss) => call.lose(loss))
  const meta = written['_meta']
  const before: unknown = isObject(meta) ? meta[REPORT_KEY] : undefined
  const losses = [...(Array.isArray(before) ? before : []), ...call.losses.map(shownLoss)]
  return new Serialised(bodyText(withMetadata(written, { [REPORT_KEY]: losses }), 'internal_error'), ONCE)
}

/** Nothing was translated; a gateway behind this one may have more to tell. */
function reportedWhole({ inbound, losses }: BridgedCall, result: Body): Body {
  if (!asksForReport(inbound)) return result
  const meta = result['_meta']
  const before: unknown = isObject(meta) ? meta[REPORT_KEY] : undefined
  if (Array.isArray(before) && losses.length === 0) return result
  return withMetadata(result, { [REPORT_KEY]: [...(Array.isArray(before) ? before : []), ...losses.map(shownLoss)] })
}

function shownLoss({ rule, path, severity, detail }: Loss): Body {
  return { rule, path, loss: severity, detail }
}

/** What becomes of an error on its way to the client (errors between the eras, 8.1 to 8.3). */
function outcomeOf(error: unknown, call: BridgedCall, line: Line, params: Body): Answer {
  const { inbound } = call
  if (!(error instanceof ParleyError)) throw error
  if (line.stateless && call.wasRefusedWith(error)) return refusedByClient(error, inbound)
  if (call.exhausted) return toldToModel(error, inbound, error.message)
  const { received } = error
  if (received === undefined) return lostWhileParked(error, call)
  const links = linksRequired(error, inbound, line)
  if (links !== undefined) return links
  if (inbound.caller.version === line.client.version) throw fromWire(received, true)
  const translation = plan(line.client.version, inbound.caller.version, inbound.method, 'error')
  if (translation === undefined) throw error
  const wire: Body = { ...received, message: withGap(error, inbound) }
  const outcome = translation(wire, { request: params, clientCapabilities: inbound.caller.capabilities as Body, onLoss: (loss) => call.lose(loss) })
  if (!isVerdict(outcome)) throw fromWire((outcome ?? wire) as never)
  if (outcome.verdict === 'result') return outcome.result
  throw outcome.verdict === 'refuse' ? outcome.error : error
}

function refusedByClient(error: ParleyError, inbound: Inbound): Body {
  return toldToModel(error, inbound, `Rejected by the client: ${error.message}`)
}

/** A model can tell its user; a program gets the error. */
function toldToModel(error: ParleyError, inbound: Inbound, text: string): Body {
  if (inbound.method !== 'tools/call' || inbound.cancelled) throw error
  return { content: [{ type: 'text', text }], isError: true }
}

const LOST: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['connection_closed', 'transport_error', 'session_lost', 'peer_unresponsive', 'refusal_unavailable'])

/** The server is gone in the middle of a conversation with the user (8.2): the model has to know that it must begin anew. */
function lostWhileParked(error: ParleyError, { inbound, asked }: BridgedCall): Body {
  const tells = asked && inbound.method === 'tools/call' && eraOf(inbound.caller.version) === 'stateless' && LOST.has(error.kind)
  if (!tells || inbound.cancelled) throw error
  return { content: [{ type: 'text', text: `The call was lost while it waited for an answer, and has to be made again: ${error.message}` }], isError: true }
}

/** X5: what the server misses may be something the client's version does not have. */
function withGap({ message, data }: ParleyError, { caller }: Inbound): string {
  const required: unknown = data?.['requiredCapabilities']
  const gap = isObject(required) ? capabilityGap(caller.version, required) : ''
  return gap === '' ? message : `${message}: ${gap}`
}
