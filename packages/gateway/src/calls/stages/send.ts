/** The last stage: it sends the request to the server, as the same text or translated. */
import { eraOf, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Body,
  cacheableMethods,
  type EngineRequestOptions,
  exactWriter,
  isObject,
  META,
  readableResult,
} from 'parley-mcp/engine'
import { withoutHandle } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import type { RelayMode } from '../call-site.ts'
import { asksForReport, REPORT_KEY } from '../report.ts'
import { showsToHandshake } from './show-tools.ts'

const cacheable: ReadonlySet<string> = new Set(cacheableMethods)

export async function send(call: Call): Promise<Answer> {
  const conversation = conversationOf(call)
  const mode = relayMode(call)
  const params = paramsToSend(call, mode)
  const options = optionsFor(call, mode !== 'translated')
  if (mode === 'translated' && conversation.stateless && !call.isContinued)
    call.site.demands?.apply(call, params, options)
  const raw: { text?: string } = {}
  if (call.list !== undefined) Object.assign(options, call.list.options)
  else keepText(raw, options, passesText(call) && mode !== 'translated' && options.onLoss === undefined)
  const received = await (call.sendWith === undefined
    ? conversation.request(call.method, params, options)
    : call.sendWith(params, options))
  if (call.list?.known !== undefined) return call.list.known
  const body = readable(received, call, mode)
  const isUntouched = body === received
  call.received = { body, text: isUntouched ? raw.text : undefined, isUntouched, mode }
  return body
}

export function relayMode(call: Call): RelayMode {
  const { client, stateless } = conversationOf(call)
  if (call.caller.version !== client.version) return 'translated'
  if (stateless) return 'relayed'
  return passesText(call) && !asksForReport(call) ? 'same' : 'translated'
}

export function paramsToSend(call: Call, mode: RelayMode): Body {
  const params = mode === 'translated' ? ownParams(call) : mode === 'relayed' ? call.params : sentParams(call)
  return withoutHandle(params)
}

/** Whether no stage reads the result, so that its text can be passed on unchanged. */
function passesText(call: Call): boolean {
  const { method, site } = call
  if (call.isRenamed || call.isContinued) return false
  if (eraOf(call.caller.version) === 'stateless') return call.isToStateless && method === 'tools/call'
  return !method.startsWith('tasks/') && !(method === 'tools/list' && showsToHandshake(site.upstream))
}

/** As the client wrote them, except for the name of a tool and a `task` that the server does not know. */
function sentParams(call: Call): Body {
  if (call.hasGivenParams) return call.sent
  const { params } = call
  const { task, ...sent } = call.sent
  const wantedTask = params['task'] === undefined ? {} : { task }
  return params['name'] === undefined ? { ...sent, ...wantedTask } : { ...sent, ...wantedTask, name: params['name'] }
}

/**
 * The parameters without the envelope of the stateless era, which servers of the other era do not know (D-01, D-06).
 */
export function ownParams({ caller, params }: Call): Body {
  if (eraOf(caller.version) === 'handshake') return params
  const { inputResponses: _i, requestState: _s, ...own } = params
  const meta = own['_meta'] as Body | undefined
  if (meta === undefined) return own
  const others = Object.entries(meta).filter(([key]) => !ENVELOPE.has(key))
  const { _meta: _, ...rest } = own
  return others.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(others) }
}

const ENVELOPE: ReadonlySet<string> = new Set([META.version, META.clientInfo, META.clientCapabilities, META.logLevel])

function optionsFor(call: Call, relayed: boolean): EngineRequestOptions {
  const meta = call.params['_meta']
  // C-40: when the server allows the gateway to hang up, the client may hang up as well.
  const options: EngineRequestOptions = {
    owner: call,
    cancelledWith: call,
    rounds: call,
    onReleased: (retry) => call.release(retry),
  }
  const write = exactWriter(call.sent)
  if (write !== undefined) options.write = write
  if (relayed) options.relayed = true
  else if (call.onLoss !== undefined) options.onLoss = (loss) => call.lose(loss)
  if (!isObject(meta)) return options
  if (meta['progressToken'] !== undefined)
    options.onProgress = ({ progress, total, message, more }) => call.progress(progress, total, message, more)
  if (meta[REPORT_KEY] !== undefined) options.onLoss = (loss) => call.lose(loss)
  return options
}

/** Keeps only the text of a result that is passed on unchanged. Other results carry their text until they change. */
function keepText(raw: { text?: string }, options: EngineRequestOptions, passes: boolean): void {
  if (!passes) {
    options.keepsText = true
    return
  }
  options.onText = (json) => {
    raw.text = json
  }
}

/** a client gets only valid results of its method. Lists were checked when they were read. */
function readable(received: Body, call: Call, mode: RelayMode): Body {
  const { name } = call.site.upstream
  const { client } = conversationOf(call)
  try {
    const repaired = readableResult(call.method, received, mode === 'translated' ? undefined : client.version)
    if (repaired === undefined) return received
    client.session.reportLosses(repaired.losses)
    for (const loss of repaired.losses) call.lose(loss)
    return repaired.result
  } catch (error) {
    if (!(error instanceof ParleyError)) throw error
    throw new ParleyError(error.kind, { message: `Server "${name}": ${error.message}`, data: { server: name } })
  }
}

/** Whether a result of a server of the stateless era has all required fields (D-02, D-42). */
export function isEnveloped(method: string, { resultType, ttlMs, cacheScope }: Body): boolean {
  return (
    resultType !== undefined &&
    (resultType !== 'complete' || !cacheable.has(method) || (ttlMs !== undefined && cacheScope !== undefined))
  )
}
