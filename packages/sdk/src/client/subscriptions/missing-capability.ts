/**
 * What a server must have declared is the same in both eras, although the stateless one has no request that could be
 * refused.
 */
import type { ParleyError } from '../../errors/index.ts'

import { breach, type Session } from '../../session/index.ts'
import { methodIn, newestHandshakeVersion } from '../../versions/index.ts'

/**
 * The error a request of the handshake era would fail with for lack of a capability; `undefined` when it would be
 * allowed.
 */
export function undeclared(
  session: Session,
  method: 'resources/subscribe' | 'logging/setLevel',
): ParleyError | undefined {
  const declared = { client: session.self.capabilities, server: session.peer?.capabilities }
  return breach(newestHandshakeVersion, method, methodIn(newestHandshakeVersion, method), 'client', declared)
}
