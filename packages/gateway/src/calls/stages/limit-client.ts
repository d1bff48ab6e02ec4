/** The stage that counts the requests of one client, and refuses those beyond its rate limit. */
import type { Stage } from 'parley-mcp/engine'
import type { ClientLimit } from '../../limits/index.ts'
import type { Call } from '../call.ts'

export function limitClient(clients: ClientLimit): Stage<Call> {
  return function limitClient(call, next) {
    const refused = clients.limit === undefined ? undefined : clients.refusal(requestOf(call))
    if (refused !== undefined) throw refused
    return next(call)
  }
}

function requestOf({ from, principal, address, session }: Call): Parameters<ClientLimit['refusal']>[0] {
  const { name: server, client } = from.address
  // Clients that share a link are told apart by what came with each request.
  if (client.label === undefined) return { server, principal, address }
  return { server, principal: client.principal, session: client.label, clientName: session.peer?.info.name }
}
