/**
 * The stage that runs the calls of one conversation one after the other when a question of the server does not name its
 * call. Before each call it tells the server the client's roots and log level.
 */
import { type LogLevel, ParleyError } from 'parley-mcp'
import type { Stage } from 'parley-mcp/engine'
import type { Conversation } from '../../upstream/index.ts'
import { type Call, conversationOf, whenOver } from '../call.ts'
import { HeldTurn } from './held-turn.ts'

export const takeTurns: Stage<Call> = async (call, next) => {
  const conversation = conversationOf(call)
  const { clock, config } = call.site.upstream
  let turn: HeldTurn | undefined
  if (conversation.questions.needTurns) {
    const signal = conversation.questions.isTurnTaken ? call.signal : undefined
    turn = await HeldTurn.take(conversation, call, clock, { maxQueued: config.maxQueued, signal })
  }
  try {
    if (call.cancelled) throw new ParleyError('request_cancelled')
    if (conversation.roots.isWanted) await refreshRoots(call, conversation)
    if (call.logLevel !== undefined) await tryLevel(conversation, call.logLevel)
    return await next(call)
  } finally {
    whenOver(call, () => {
      turn?.end()
      conversation.roots.end(call)
    })
  }
}

/** Sets the log level. The request does not fail when the server refuses the level. */
export async function tryLevel(conversation: Conversation, level: LogLevel): Promise<void> {
  await conversation.wantLevel(level).catch(() => {})
}

/** The server asked for roots when no client could be asked. It is told to ask again, before the call is sent. */
async function refreshRoots(call: Call, { roots, client }: Conversation): Promise<void> {
  if (!call.caller.declares('roots')) return
  const answer = await call.request('roots/list', {}, { key: 'roots' })
  const { upstream } = call.site
  const hasAsked = await roots.change(answer, client.session, call, upstream.asksForRootsAgain)
  if (call.cancelled) throw new ParleyError('request_cancelled')
  upstream.noteRootsChange(hasAsked)
}
