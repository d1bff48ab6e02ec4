/** Finds the versions of a server by connecting with each of them. */
import { type Era, eraOf, ParleyError, type ProtocolVersion, versions } from 'parley-mcp'
import type { SelectedServer } from '../arguments/selected-server.ts'
import { openClient } from '../connection/connect.ts'
import { inParallel } from '../parallel.ts'
import type { CommandContext } from '../terminal/io.ts'

export interface VersionSupport {
  readonly version: ProtocolVersion
  readonly era: Era
  readonly speaks: boolean
  /** The reason if it does not speak the version, else null. */
  readonly reason: string | null
}

/** Limit of connections, or processes, at once. */
const AT_ONCE = 3

/** `known`: a version of an earlier connection, which needs no test. */
export async function versionSupport(
  selected: SelectedServer,
  known: ProtocolVersion,
  context: CommandContext,
  signal: AbortSignal,
): Promise<VersionSupport[]> {
  return await inParallel(versions, AT_ONCE, async (version) => {
    const reason = version === known ? null : await reasonNotSpoken(selected, version, context, signal)
    return { version, era: eraOf(version), speaks: reason === null, reason }
  })
}

async function reasonNotSpoken(
  selected: SelectedServer,
  version: ProtocolVersion,
  context: CommandContext,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const client = await openClient(selected, context, { versions: [version], signal })
    await client.close()
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ParleyError)) return error instanceof Error ? error.message : String(error)
    return error.kind === 'unsupported_protocol_version' ? 'another version was offered, or none' : error.message
  }
}
