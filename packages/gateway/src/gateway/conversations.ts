/** Which conversation with a server a client gets, from the settings and the era of the server. */
import type { GatewaySettings } from '../config/index.ts'
import type { ConversationSharing, Conversations } from '../http/index.ts'
import type { Upstream } from '../upstream/index.ts'

/** `undefined` before the server was ever reached: what it speaks decides. */
export function conversationsOf(
  upstream: Upstream,
  { principalHeader }: Pick<GatewaySettings, 'principalHeader'>,
): Conversations | undefined {
  const { era, config } = upstream
  if (era === undefined) return undefined
  const isShared = config.session === 'shared'
  return {
    withSession: isShared ? 'shared' : 'session',
    withoutSession: era === 'stateless' ? 'none' : withoutSession(upstream, principalHeader !== undefined),
  }
}

function withoutSession(upstream: Upstream, hasPrincipals: boolean): ConversationSharing {
  const { session } = upstream.config
  if (session !== undefined && session !== 'principal') return session
  if (upstream.hasLocalUser) return 'local-user'
  if (hasPrincipals) return 'principal'
  return session === undefined && upstream.pool.choice.isSessionless ? 'shared' : 'request'
}
