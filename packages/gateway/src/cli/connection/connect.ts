/** Opens a connection for one command. It does not reconnect. */
import type { Client } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { connect, type NodeConnectOptions, type NodeTarget } from 'parley-mcp/node'
import type { SelectedServer } from '../arguments/selected-server.ts'
import type { CliIo, CommandContext } from '../terminal/io.ts'
import { waitingNote } from '../terminal/waiting-note.ts'

export function openClient(
  selected: SelectedServer,
  { version }: Pick<CommandContext, 'version'>,
  options: NodeConnectOptions = {},
): Promise<Client> {
  const eras = new Map<string, 'handshake' | 'stateless'>()
  return connect(selected.target as string, {
    info: { name: 'parley', version },
    reconnect: false,
    // Each command finds the era of the server again, without the result of an earlier connection.
    eras: { get: (address) => eras.get(address), set: (address, era) => void eras.set(address, era) },
    onError: () => {},
    ...selected.options,
    ...options,
  }) as Promise<Client>
}

/** The same, with a note for the user if the server is slow. */
export async function openClientWithNote(
  selected: SelectedServer,
  context: CommandContext,
  options: NodeConnectOptions,
): Promise<Client> {
  const note = waitingNote(context.io, selected.label, milliseconds(selected.options.initialiseTimeout ?? '10s'))
  try {
    return await openClient(selected, context, options)
  } finally {
    note.stop()
  }
}

/** Shows the standard error of the server's program while it runs. */
export function withStderrShown(selected: SelectedServer, io: CliIo, wanted: boolean | undefined): SelectedServer {
  if (wanted !== true || selected.reference.kind !== 'command') return selected
  return {
    ...selected,
    target: { ...(selected.target as object), stderr: (text: string) => io.stderr.write(text) } as NodeTarget,
  }
}
