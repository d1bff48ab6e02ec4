/**
 * Capabilities that subscriptions and log levels need. The stateless era has no request to refuse, so they check here.
 */
import type { ParleyError } from '../../errors/index.ts'
import { breach, type Session } from '../../session/index.ts'
import { methodIn, newestHandshakeVersion } from '../../versions/index.ts'

/** The error that a handshake-era request would get. `undefined` if the server declared the capability. */
export function missingCapability(
  session: Session,
  method: 'resources/subscribe' | 'logging/setLevel',
): ParleyError | undefined {
  const declared = { client: session.self.capabilities, server: session.peer?.capabilities }
  return breach(newestHandshakeVersion, method, methodIn(newestHandshakeVersion, method), 'client', declared)
}
