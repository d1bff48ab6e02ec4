/** Connects to a server. Returns a client whose handshake is complete, or fails and leaves nothing open. */
import type { Link } from '../jsonrpc/index.ts'
import type { LogMessageParams } from '../protocol/index.ts'
import type { Acceptor } from '../session/index.ts'
import type { ToolsOf } from './calls/tool-types.ts'
import { Client } from './client.ts'
import { Connection } from './connection/connection.ts'
import type { ConnectOptions } from './options.ts'
import { checkRoots } from './questions/roots.ts'
import { connectMethodFor, type LinkOpener, type RemoteTarget, type Target } from './target.ts'

/** Connects to a server in this process. The client gets the types of its tools. */
export function connect<S extends Acceptor>(server: S, options?: ConnectOptions): Promise<Client<ToolsOf<S>>>
/**
 * Connects by address, over a link, or over links that a function opens. `connect<typeof server>(url)` gives the client
 * the types of a remote server.
 */
export function connect<S extends Acceptor = Acceptor>(
  target: string | URL | RemoteTarget | Link | LinkOpener,
  options?: ConnectOptions,
): Promise<Client<ToolsOf<S>>>
export async function connect(target: Target, options: ConnectOptions = {}): Promise<Client<never>> {
  checkRoots(options.roots)
  const connection = new Connection(connectMethodFor(target, options), options)
  const client = new Client<never>(connection)
  const { onLog } = options
  if (onLog !== undefined)
    connection.listeners.add('notifications/message', (params) => onLog(params as LogMessageParams))
  await connection.open()
  return client
}
