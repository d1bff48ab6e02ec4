/** Hands one request of a client to a server and its outcome back: whatever era and version each of them is of. */
import { fromWire, isVerdict, type Loss, ParleyError, plan } from 'parley-mcp'
import { type Answer, type Body, type Inbound, isObject, type RequestOptions, Serialised } from 'parley-mcp/engine'
import type { Line, Upstream } from '../upstream/index.ts'
import { type BridgedCall, ownParams } from './call.ts'
import { capabilityGap } from './gap.ts'
import { linksRequired, linksVisited } from './url-required.ts'

/** The key in `_meta` by which a client asks what translation has lost, and under which it is told. */
export const REPORT_KEY = 'dev.parley/translation'

/** How a request is sent; some are more than one. */
export type Send = (params: Body, options: RequestOptions) => Promise<Body>

/** `params` are those the server is sent: names are its own. */
export async function relay(call: BridgedCall, line: Line, params: Body, upstream: Upstream, send?: Send): Promise<Answer> {
  const { inbound } = call
  const relayed = line.stateless && inbound.caller.version === line.client.version
  const visited = linksVisited(inbound)
  if (visited !== undefined) return visited
  const own = relayed ? params : ownParams(params)
  const options = optionsFor(call, relayed)
  try {
    const result = await upstream.bulkhead.run(() => (send === undefined ? line.request(inbound.method, own, options) : send(own, options)))
    return relayed ? result : reported(call, result)
  } catch (error) {
    return outcomeOf(line.open ? error : (upstream.supervisor.unavailable() ?? error), call, line, own)
  } finally {
    call.end()
  }
}

export function optionsFor(call: BridgedCall, relayed: boolean): RequestOptions {
  const { inbound } = call
  const meta = inbound.params['_meta']
  const options: RequestOptions = { owner: call, signal: inbound.signal }
  if (relayed) options.relayed = true
  if (!isObject(meta)) return options
  if (meta['progressToken'] !== undefined) options.onProgress = ({ progress, total, message }) => inbound.progress(progress, total, message)
  if (meta[REPORT_KEY] !== undefined) options.onLoss = (loss) => call.lose(loss)
  return options
}

/** X2: a client that asks for it is told with each result what it lost on its way. */
export function reported(call: BridgedCall, result: Body): Answer {
  const { inbound } = call
  if (!isObject(inbound.params['_meta']) || inbound.params['_meta'][REPORT_KEY] === undefined) return result
  const written = inbound.written(result, (loss) => call.lose(loss))
  const meta = isObject(written['_meta']) ? written['_meta'] : {}
  const before: unknown = meta[REPORT_KEY]
  const losses = [...(Array.isArray(before) ? before : []), ...call.losses.map(shownLoss)]
  return new Serialised(JSON.stringify({ ...written, _meta: { ...meta, [REPORT_KEY]: losses } }))
}

function shownLoss({ rule, path, severity, detail }: Loss): Body {
  return { rule, path, loss: severity, detail }
}

/** What becomes of an error on its way to the client (errors between the eras, 8.1 to 8.3). */
function outcomeOf(error: unknown, call: BridgedCall, line: Line, params: Body): Answer {
  const { inbound } = call
  if (!(error instanceof ParleyError)) throw error
  if (error === call.refused && line.stateless) return refusedByClient(error, inbound)
  const code = error.receivedCode
  if (code === undefined) throw error
  const links = linksRequired(error, inbound, line)
  if (links !== undefined) return links
  const translation = plan(line.client.version, inbound.caller.version, inbound.method, 'error')
  if (translation === undefined) throw error
  const data = error.toWire(line.client.version).data
  const wire: Body = { code, message: withGap(error, inbound), ...(data === undefined ? {} : { data }) }
  const outcome = translation(wire, { request: params, clientCapabilities: inbound.caller.capabilities as Body, onLoss: (loss) => call.lose(loss) })
  if (!isVerdict(outcome)) throw fromWire((outcome ?? wire) as never)
  if (outcome.verdict === 'result') return outcome.result
  throw outcome.verdict === 'refuse' ? outcome.error : error
}

/** A model can tell its user; a program gets the error. */
function refusedByClient(error: ParleyError, inbound: Inbound): Body {
  if (inbound.method !== 'tools/call' || inbound.cancelled) throw error
  return { content: [{ type: 'text', text: `Rejected by the client: ${error.message}` }], isError: true }
}

/** X5: what the server misses may be something the client's version does not have. */
function withGap({ message, data }: ParleyError, { caller }: Inbound): string {
  const required: unknown = data?.['requiredCapabilities']
  const gap = isObject(required) ? capabilityGap(caller.version, required) : ''
  return gap === '' ? message : `${message}: ${gap}`
}
