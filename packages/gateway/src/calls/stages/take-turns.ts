/**
 * The stage that makes calls of one conversation one after the other, where a question of the server does not say to
 * which call it belongs (8.2, rule 1). Before each call the server hears of the client's roots and log level.
 */
import { type LogLevel, ParleyError } from 'parley-mcp'
import type { Stage } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'
import { type Call, conversationOf, whenOver } from '../call.ts'
import { HeldTurn } from './held-turn.ts'

export const takeTurns: Stage<Call> = async (call, next) => {
  const conversation = conversationOf(call)
  const { clock, config } = call.site.upstream
  if (conversation.takesTurns) {
    const signal = conversation.turns.taken ? call.signal : undefined
    await HeldTurn.take(conversation, call, clock, { maxQueued: config.maxQueued, signal })
  }
  try {
    if (call.cancelled) throw new ParleyError('request_cancelled')
    if (conversation.roots.wanted) await refreshRoots(call, conversation)
    if (call.logLevel !== undefined) await hearFrom(conversation, call.logLevel)
    return await next(call)
  } finally {
    whenOver(call, () => {
      call.turn?.end()
      conversation.roots.end(call)
    })
  }
}

/** A server that refuses a level is no reason to fail the request that names it. */
export async function hearFrom(conversation: Conversation, level: LogLevel): Promise<void> {
  await conversation.wantLevel(level).catch(() => {})
}

/**
 * A server may have asked for roots when no client could be asked. It is told now that there are some, and has asked
 * again before the call is made.
 */
async function refreshRoots(call: Call, { roots, client }: Conversation): Promise<void> {
  if (!call.caller.declares('roots')) return
  const told = await call.request('roots/list', {}, { key: 'roots' })
  const { upstream } = call.site
  const hasAsked = await roots.change(told, client.session, call, upstream.asksForRootsAgain)
  if (call.cancelled) throw new ParleyError('request_cancelled')
  upstream.asksForRootsAgain = hasAsked
}
