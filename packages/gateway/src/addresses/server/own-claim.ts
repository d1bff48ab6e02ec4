/** The conversation with a server that one client has for itself, as it is counted among those of all clients. */
import { type Activity, awaitsPeer, lastAskedAt, type Session } from 'parley-mcp/engine'
import type { Claim, ClientSession } from '../../upstream/index.ts'

/** `endsWith`: whether the client's session ends with the conversation, or goes on with other servers. */
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
        // What the server remembers of this client is gone: the client is to begin anew.
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
