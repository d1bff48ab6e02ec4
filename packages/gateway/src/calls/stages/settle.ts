/** The stage that turns the server's answer or error into one of the client's version and era. */
import { type ErrorKind, eraOf, fromWire, isVerdict, ParleyError, plan } from 'parley-mcp'
import {
  type Answer,
  type Body,
  type Inbound,
  InputRequired,
  isObject,
  Serialised,
  type Stage,
} from 'parley-mcp/engine'
import { capabilityGap } from '../../upstream/index.ts'
import { type Call, conversationOf } from '../call.ts'
import { ONCE, reported, reportedUnchanged } from '../report.ts'
import { isEnveloped, paramsToSend, relayMode } from './send.ts'

export const settle: Stage<Call> = async (call, next) => {
  const conversation = conversationOf(call)
  const { upstream } = call.site
  try {
    return answerTo(call, await next(call))
  } catch (error) {
    return errorTo(
      call,
      upstream.errorForClients(conversation.open ? error : (upstream.supervisor.unavailable() ?? error)),
    )
  } finally {
    conversation.noteAnswered(upstream.clock.now())
    call.end()
  }
}

/** The server's own text, if it can be passed on. */
function answerTo(call: Call, result: Answer): Answer {
  if (result instanceof Serialised || result instanceof InputRequired) return result
  const mode = call.received?.mode ?? relayMode(call)
  const text = call.received?.body === result ? call.received.text : undefined
  if (mode === 'same') return new Serialised(text ?? JSON.stringify(result), ONCE)
  if (text !== undefined && isEnveloped(call.method, result)) return new Serialised(text, ONCE)
  return (mode === 'relayed' ? reportedUnchanged : reported)(call, call.losses, result)
}

/** The error in the client's version. Some errors become a result that the model can read. */
function errorTo(call: Call, error: unknown): Answer {
  const { client, stateless } = conversationOf(call)
  if (!(error instanceof ParleyError)) throw error
  if (stateless && call.questions?.wereRefusedWith(error))
    return toolError(error, call, `Rejected by the client: ${error.message}`)
  if (call.questions?.isExhausted) return toolError(error, call, error.message)
  const { received } = error
  if (received === undefined) return lostDuringQuestions(error, call)
  if (call.caller.version === client.version) throw fromWire(received, true)
  const translation = plan(client.version, call.caller.version, call.method, 'error')
  if (translation === undefined) throw error
  const wire: Body = { ...received, message: withGap(error, call) }
  const outcome = translation(wire, {
    request: paramsToSend(call, relayMode(call)),
    clientCapabilities: call.caller.capabilities as Body,
    onLoss: (loss) => call.lose(loss),
  })
  if (!isVerdict(outcome)) throw fromWire((outcome ?? wire) as never)
  if (outcome.verdict === 'result') return outcome.result
  throw outcome.verdict === 'refuse' ? outcome.error : error
}

/** For tool calls, a result that the model can report to its user. Other calls fail with the error. */
function toolError(error: ParleyError, { method, cancelled }: Inbound, text: string): Body {
  if (method !== 'tools/call' || cancelled) throw error
  return { content: [{ type: 'text', text }], isError: true }
}

const LOST_SERVER: ReadonlySet<ErrorKind> = new Set<ErrorKind>([
  'connection_closed',
  'transport_error',
  'session_lost',
  'peer_unresponsive',
  'refusal_unavailable',
])

/** The server was lost after the user was asked something. The model must know that it has to make the call again. */
function lostDuringQuestions(error: ParleyError, call: Call): Body {
  const isToldToModel =
    call.questions?.hasAsked &&
    call.method === 'tools/call' &&
    eraOf(call.caller.version) === 'stateless' &&
    LOST_SERVER.has(error.kind)
  if (!isToldToModel || call.cancelled) throw error
  return {
    content: [
      {
        type: 'text',
        text: `The call was lost while it waited for an answer, and has to be made again: ${error.message}`,
      },
    ],
    isError: true,
  }
}

/** X5: says so when the client's version does not have a capability that the server requires. */
function withGap({ message, data }: ParleyError, { caller }: Inbound): string {
  const required: unknown = data?.['requiredCapabilities']
  const gap = isObject(required) ? capabilityGap(caller.version, required) : ''
  return gap === '' ? message : `${message}: ${gap}`
}
