/** Whether a server that was not reached by the transport it is said to speak is there by another. */
import type { RemoteTarget } from 'parley-mcp/client'
import { open, type Surroundings } from '../connecting.ts'
import { type Aim, withTarget } from '../target.ts'

const GUESS_MS = 5000
/** As the configuration calls what sessions call otherwise. */
const NAMES: Readonly<Record<string, string>> = { http: 'streamable-http' }

/** The way to mend it; undefined where no other transport does either. */
export async function otherTransport(
  aim: Aim,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { transport: given, ...target } = aim.target as RemoteTarget
  if (given === undefined) return undefined
  try {
    const client = await open(withTarget(aim, target), surroundings, { signal, initialiseTimeout: GUESS_MS })
    const spoken = NAMES[client.session.transport] ?? client.session.transport
    await client.close()
    if (spoken === given) return undefined
    return `it speaks ${spoken}: ${aim.name === undefined ? `leave out --transport ${given}` : `remove "type" or "transport": "${given}" from its configuration`}`
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
