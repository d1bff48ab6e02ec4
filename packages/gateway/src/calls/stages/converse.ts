/** The stage that chooses the conversation with the server for a call. */
import { eraOf, ParleyError } from 'parley-mcp'
import {
  type Answer,
  type Answered,
  askingMethods,
  HANDLE_KEY,
  InputRequired,
  type Stage,
  withMetadata,
} from 'parley-mcp/engine'
import type { Lease } from '../../upstream/index.ts'
import { type Call, whenOver } from '../call.ts'
import { tryLevel } from './take-turns.ts'

type Next = Parameters<Stage<Call>>[1]

const asking: ReadonlySet<string> = new Set(askingMethods)
const LISTEN = 'subscriptions/listen'

export const converse: Stage<Call> = (call, next) =>
  eraOf(call.caller.version) === 'stateless' ? lend(call, next) : useOwn(call, next)

/** A client that shook hands has its own conversation with the server. */
function useOwn(call: Call, next: Next): Answered {
  const own = call.site.ownConversation(call)
  if (!(own instanceof Promise)) return next(call.inOwnConversation(own))
  return own.then((conversation) => next(call.inOwnConversation(conversation)))
}

/** A client without a session uses one of the gateway's conversations. */
async function lend(call: Call, next: Next): Promise<Answer> {
  const { upstream } = call.site
  const gateway = await upstream.readyGatewayConversation()
  const { method } = call
  // A server of the stateless era remembers no client. For other servers, the gateway itself answers about tasks.
  if (gateway.stateless || method.startsWith('tasks/')) return next(call.inConversation(gateway))
  return asking.has(method) ? leaseFor(call, next) : borrow(call, next)
}

/** D-53: lists are the same for all clients. A client without a kept conversation uses that of the gateway. */
async function borrow(call: Call, next: Next): Promise<Answer> {
  const { upstream } = call.site
  const lease = await upstream.pool.lend(call)
  const conversation = lease?.conversation ?? (await upstream.readyGatewayConversation())
  try {
    if (call.logLevel !== undefined && call.method !== LISTEN) await tryLevel(conversation, call.logLevel)
    return await next(call.inConversation(conversation))
  } finally {
    lease?.release()
  }
}

/** The conversation of the user, of the handle, of all clients, or of this call alone. */
async function leaseFor(call: Call, next: Next): Promise<Answer> {
  // A server of the handshake era issues no state, and the gateway did not seal this one.
  if (call.params['requestState'] !== undefined && call.retry === undefined) throw foreignState()
  const lease = await call.site.upstream.pool.lease(call)
  try {
    // A question that the server asks now would seem to belong to this call.
    const { mayStillAsk } = lease.conversation.roots
    if (mayStillAsk !== undefined) await mayStillAsk
    return withHandle(await next(call.inConversation(lease.conversation)), lease)
  } finally {
    whenOver(call, () => lease.release())
  }
}

function withHandle(answer: Answer, { handle }: Lease): Answer {
  if (handle === undefined || answer instanceof InputRequired) return answer
  return withMetadata(answer, { [HANDLE_KEY]: handle })
}

function foreignState(): ParleyError {
  return new ParleyError('request_state_invalid', {
    message: 'Invalid requestState: it is not a state this gateway gave, or it was given before a restart',
  })
}
