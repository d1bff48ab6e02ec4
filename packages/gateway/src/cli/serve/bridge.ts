/** `parley bridge`: a client that can only start a program, and a server that may be anywhere and speak anything. */
import { serveStdio } from 'parley-mcp/node'
import { ServedUpstream } from '../../bridge/index.ts'
import { readConfig, type ServerConfig, serverDefaults } from '../../config/index.ts'
import { textLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { usageError } from '../failure.ts'
import type { BridgeStart } from './starts.ts'

export async function startBridge(start: BridgeStart): Promise<void> {
  const config = await configFor(start)
  const log = textLog('warning', (line) => void process.stderr.write(line))
  // Whoever writes a command expects it to find what it would find without the bridge.
  const inheritEnv = start.upstream.kind === 'command'
  const upstream = new Upstream(config, { log, translation: 'lenient', inheritEnv })
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
  if (upstream.kind !== 'configured') return { ...serverDefaults('server', upstream), ...own }
  const { config } = await readConfig(upstream.config)
  const server = config.servers.get(upstream.server)
  if (server !== undefined) return { ...server, ...own }
  const known = [...config.servers.keys()].join(', ') || 'none'
  throw usageError(`There is no server "${upstream.server}" in ${upstream.config}`, `there are: ${known}`)
}
