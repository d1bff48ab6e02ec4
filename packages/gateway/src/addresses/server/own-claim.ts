/** The claim that one client's own conversation makes on the room for conversations with a server. */
import { type Activity, awaitsPeer, lastAskedAt, type Session } from 'parley-mcp/engine'
import type { Claim, ClientSession } from '../../upstream/index.ts'

/** `endsWith`: the client's session ends together with the conversation. Otherwise it goes on with other servers. */
export function ownClaim(client: ClientSession, endsWith: boolean): Claim {
  return {
    holder: client.holder,
    ownership: { kind: 'session', session: client.label },
    use: (conversation) => ({
      get isUsed() {
        return conversation.lastUsedAt > 0
      },
      get lastUsedAt() {
        return Math.max(client.session?.health().lastReceivedAt ?? 0, conversation.lastUsedAt)
      },
      get askedAt() {
        return client.session === undefined ? 0 : lastAskedAt(client.session)
      },
      get activity() {
        return activityOf(client.session)
      },
      end: async () => {
        const closing = conversation.close()
        // The server has lost the state of this client, so the client has to begin a new session.
        if (endsWith) void client.session?.close({ drain: 0 })
        await closing
      },
    }),
  }
}

function activityOf(session: Session | undefined): Activity {
  if (session === undefined) return 'idle'
  const isAnswering = session.inFlight().length > 0
  if (isAnswering && !awaitsPeer(session)) return 'working'
  if (session.reachable) return 'listening'
  return isAnswering ? 'asked' : 'idle'
}
