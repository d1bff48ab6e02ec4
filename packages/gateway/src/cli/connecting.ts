/** Opens one conversation for one command: it is not made again when it is lost, and says who asks. */
import type { Client } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { connect, type NodeConnectOptions, type NodeTarget } from 'parley-mcp/node'
import type { CliIo } from './io.ts'
import { slowNote } from './slow-note.ts'
import type { Aim } from './target.ts'

export interface Surroundings {
  readonly io: CliIo
  /** Version of this program. */
  readonly version: string
  /** How this program is called here, for commands to copy. */
  readonly program: string
}

export function open(
  aim: Aim,
  { version }: Pick<Surroundings, 'version'>,
  options: NodeConnectOptions = {},
): Promise<Client> {
  const eras = new Map<string, 'handshake' | 'stateless'>()
  return connect(aim.target as string, {
    info: { name: 'parley', version },
    reconnect: false,
    // What another conversation found out must not colour what this one finds.
    eras: { get: (address) => eras.get(address), set: (address, era) => void eras.set(address, era) },
    onError: () => {},
    ...aim.options,
    ...options,
  }) as Promise<Client>
}

/** The same with a word to whoever waits for it. */
export async function openPatiently(
  aim: Aim,
  surroundings: Surroundings,
  options: NodeConnectOptions,
): Promise<Client> {
  const note = slowNote(surroundings.io, aim.label, milliseconds(aim.options.initialiseTimeout ?? '10s'))
  try {
    return await open(aim, surroundings, options)
  } finally {
    note.stop()
  }
}

/** What a started program writes to standard error, shown while it runs. */
export function overheard(aim: Aim, io: CliIo, wanted: boolean | undefined): Aim {
  if (wanted !== true || aim.subject.kind !== 'command') return aim
  return {
    ...aim,
    target: { ...(aim.target as object), stderr: (text: string) => io.stderr.write(text) } as NodeTarget,
  }
}
