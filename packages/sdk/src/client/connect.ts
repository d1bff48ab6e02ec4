/** From something to talk to, to a client whose handshake is complete; or one clear error and nothing left behind. */
import type { Link } from '../jsonrpc/index.ts'
import type { LogMessageParams } from '../protocol/index.ts'
import type { Acceptor } from '../session/index.ts'
import { Client } from './client.ts'
import { Connection } from './connection/connection.ts'
import type { ConnectOptions } from './options.ts'
import { checkRoots } from './questions/roots.ts'
import { type LinkOpener, type RemoteTarget, type Target, wayTo } from './target.ts'
import type { ToolsOf } from './calls/tool-types.ts'

/** A server value talks in this process; its tools give the client its types. */
export function connect<S extends Acceptor>(server: S, options?: ConnectOptions): Promise<Client<ToolsOf<S>>>
/**
 * By address, over a link, or over links that a function opens. `connect<typeof server>(url)` gives a remote server's
 * types to the client.
 */
export function connect<S extends Acceptor = Acceptor>(
  target: string | URL | RemoteTarget | Link | LinkOpener,
  options?: ConnectOptions,
): Promise<Client<ToolsOf<S>>>
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client<never>> {
  checkRoots(options.roots)
  const connection = new Connection(wayTo(target, options), options)
  const client = new Client<never>(connection, options)
  const { onLog } = options
  if (onLog !== undefined)
    connection.listeners.add('notifications/message', (params) => onLog(params as LogMessageParams))
  await connection.open()
  return client
}
