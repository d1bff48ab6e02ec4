/** All facts about one server, as `--json` prints them. */

import type { SelectedServer, ServerReference } from '../arguments/selected-server.ts'
import { openClientWithNote } from '../connection/connect.ts'
import type { CommandContext } from '../terminal/io.ts'
import { type GatewayServer, gatewayServers } from './conversation.ts'
import { lossesOf, type VersionLosses } from './losses.ts'
import { type Survey, survey } from './survey.ts'
import { type VersionSupport, versionSupport } from './version-support.ts'

export interface Inspection extends Survey {
  readonly target: ServerReference
  /** Null with `--fast`. */
  readonly versions: readonly VersionSupport[] | null
  readonly losses: readonly VersionLosses[]
  /** For a gateway: the session that a client gets with each server behind it. Null for other servers. */
  readonly behind: readonly GatewayServer[] | null
}

export async function inspection(
  selected: SelectedServer,
  context: CommandContext,
  { fast, signal }: { fast: boolean; signal: AbortSignal },
): Promise<Inspection> {
  const client = await openClientWithNote(selected, context, { signal })
  const stop = () => void client.close()
  signal.addEventListener('abort', stop, { once: true })
  try {
    const facts = await survey(client)
    await client.close()
    signal.throwIfAborted()
    const versions = fast ? null : await versionSupport(selected, facts.version, context, signal)
    const behind = selected.reference.kind === 'url' ? await gatewayServers(selected.reference.url, signal) : null
    return { target: selected.reference, ...facts, versions, losses: lossesOf(facts), behind }
  } finally {
    signal.removeEventListener('abort', stop)
    await client.close()
  }
}
