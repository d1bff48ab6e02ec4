/** The stage that chooses the conversation with the server in which a call is made (8.2). */
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
import { hearFrom } from './take-turns.ts'

type Next = Parameters<Stage<Call>>[1]

const asking: ReadonlySet<string> = new Set(askingMethods)
const LISTEN = 'subscriptions/listen'

export const converse: Stage<Call> = (call, next) =>
  eraOf(call.caller.version) === 'stateless' ? lend(call, next) : useOwn(call, next)

/** A client that shook hands has a conversation with the server. */
function useOwn(call: Call, next: Next): Answered {
  const own = call.site.ownConversation(call)
  if (!(own instanceof Promise)) return next(call.inOwn(own))
  return own.then((conversation) => next(call.inOwn(conversation)))
}

/** A client without a session: one of the gateway's conversations serves it. */
async function lend(call: Call, next: Next): Promise<Answer> {
  const { upstream } = call.site
  const gateway = await upstream.readyGatewayConversation()
  const { method } = call
  // A server of the stateless era remembers no client, and the gateway itself runs the tasks of the others.
  if (gateway.stateless || method.startsWith('tasks/')) return next(call.in(gateway))
  return asking.has(method) ? leaseFor(call, next) : borrow(call, next)
}

/** D-53: lists are the same for all clients. Without a conversation of its own a client gets what the gateway sees. */
async function borrow(call: Call, next: Next): Promise<Answer> {
  const { upstream } = call.site
  const lease = await upstream.pool.lend(call)
  const conversation = lease?.conversation ?? (await upstream.readyGatewayConversation())
  try {
    if (call.logLevel !== undefined && call.method !== LISTEN) await hearFrom(conversation, call.logLevel)
    return await next(call.in(conversation))
  } finally {
    lease?.release()
  }
}

/** A conversation of the user, of the handle, of all clients, or for this call alone. */
async function leaseFor(call: Call, next: Next): Promise<Answer> {
  // A server of the handshake era gives no state, so this one was not sealed by the gateway.
  if (call.params['requestState'] !== undefined && call.retry === undefined) throw foreignState()
  const lease = await call.site.upstream.pool.lease(call)
  try {
    // Before the server knows of a call that its question could belong to.
    if (lease.conversation.roots.heard !== undefined) await lease.conversation.roots.heard
    return withHandle(await next(call.in(lease.conversation)), lease)
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
