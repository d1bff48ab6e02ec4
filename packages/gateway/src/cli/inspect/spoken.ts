/** Which versions a server speaks, found out by speaking each of them. */
import { type Era, eraOf, ParleyError, type ProtocolVersion, versions } from 'parley-mcp'
import { open, type Surroundings } from '../connecting.ts'
import { inParallel } from '../parallel.ts'
import type { Aim } from '../target.ts'

export interface Spoken {
  readonly version: ProtocolVersion
  readonly era: Era
  readonly speaks: boolean
  /** Why not; null where it does. */
  readonly reason: string | null
}

/** So many conversations, or processes, at once. */
const AT_ONCE = 3

/** `known` is spoken, as an earlier conversation has shown. */
export async function spokenBy(
  aim: Aim,
  known: ProtocolVersion,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<Spoken[]> {
  return await inParallel(versions, AT_ONCE, async (version) => {
    const reason = version === known ? null : await objection(aim, version, surroundings, signal)
    return { version, era: eraOf(version), speaks: reason === null, reason }
  })
}

async function objection(
  aim: Aim,
  version: ProtocolVersion,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<string | null> {
  try {
    const client = await open(aim, surroundings, { versions: [version], signal })
    await client.close()
    return null
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ParleyError)) return error instanceof Error ? error.message : String(error)
    return error.kind === 'unsupported_protocol_version' ? 'another version was offered, or none' : error.message
  }
}
