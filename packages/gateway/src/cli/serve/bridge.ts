/** `parley bridge`: a client that can only start a program, and a server that may be anywhere and speak anything. */
import { basename } from 'node:path'
import { serveStdio } from 'parley-mcp/node'
import { ServedUpstream } from '../../bridge/index.ts'
import { type CommandTarget, type RemoteTarget, type ServerConfig, serverDefaults } from '../../config/index.ts'
import { textLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { serversOf } from '../configured.ts'
import type { BridgeStart } from './starts.ts'

export async function startBridge(start: BridgeStart): Promise<void> {
  const config = await configFor(start)
  const log = textLog('warning', (line) => void process.stderr.write(line))
  // Whoever writes a command expects it to find what it would find without the bridge.
  const inheritEnv = start.upstream.kind === 'command'
  const upstream = new Upstream(config, { log, translation: 'lenient', inheritEnv, singleClient: true })
  const served = new ServedUpstream(upstream, { translation: 'lenient' })
  const handle = await serveStdio(served)
  try {
    await handle.closed
  } finally {
    await served.close()
  }
}

async function configFor({ upstream, timeout }: BridgeStart): Promise<ServerConfig> {
  const own = timeout === undefined ? {} : { timeout }
  if (upstream.kind !== 'configured') return { ...serverDefaults(nameOf(upstream), upstream), ...own }
  const [server] = await serversOf(upstream.config, upstream.server)
  return { ...(server as ServerConfig), ...own }
}

/** What messages call it: the program or the machine. */
function nameOf(target: CommandTarget | RemoteTarget): string {
  return (target.kind === 'command' ? basename(target.command) : new URL(target.url).hostname) || 'server'
}
