/** `parley bridge`: a client that can only start a program, and a server that may be anywhere and speak anything. */
import { basename } from 'node:path'
import type { SessionEvent } from 'parley-mcp/engine'
import { serveStdio } from 'parley-mcp/node'
import { ServedUpstream } from '../../bridge/index.ts'
import { type CommandTarget, type RemoteTarget, type ServerConfig, serverDefaults } from '../../config/index.ts'
import { type GatewayLog, textLog } from '../../log/index.ts'
import { Upstream, type UpstreamOptions } from '../../upstream/index.ts'
import { serversOf } from '../configured.ts'
import type { BridgeStart } from './starts.ts'

/** How long the process has to end by itself. */
const FAREWELL_MS = 1000

export async function startBridge(start: BridgeStart): Promise<void> {
  const config = await configFor(start)
  const log = textLog('warning', (line) => void process.stderr.write(line))
  // Whoever writes a command expects it to find what it would find without the bridge.
  const inheritEnv = start.upstream.kind === 'command'
  // One client, one server: its log reads as if the server had been started without the bridge.
  const onStderr = (line: string): void => void process.stderr.write(`${line}\n`)
  const upstream = new Upstream(config, { log, translation: 'lenient', inheritEnv, singleClient: true, onStderr, ...strayLines(config, log) })
  const served = new ServedUpstream(upstream, { translation: 'lenient' })
  // The server is given its time to end as well, which is longer than a process that only speaks for itself would be given.
  const handle = await serveStdio(served, { exit: false })
  try {
    await handle.closed
  } finally {
    await served.close()
    endSoon()
  }
}

/** Nothing is left to be done: what still keeps the process running must not. */
function endSoon(): void {
  setTimeout(() => process.exit(), FAREWELL_MS).unref()
}

/** Says at once, and once, that a program writes what is no message: while it is being reached, that is all there is to see of it. */
function strayLines({ name, target }: ServerConfig, log: GatewayLog): Pick<UpstreamOptions, 'onEvent'> {
  if (target.kind !== 'command') return {}
  let said = false
  const onEvent = (event: SessionEvent): void => {
    if (said || event.type !== 'ignored' || event.what !== 'invalid message') return
    said = true
    log.warning(`${name} writes to its standard output what is no message (${event.detail}): is it an MCP server, and does it log to standard error?`)
  }
  return { onEvent }
}

async function configFor({ upstream, timeout }: BridgeStart): Promise<ServerConfig> {
  // Reaching the server is a step as well.
  const own = timeout === undefined ? {} : { timeout, initialiseTimeout: timeout }
  if (upstream.kind !== 'configured') return { ...serverDefaults(nameOf(upstream), upstream), ...own }
  const [server] = await serversOf(upstream.config, upstream.server)
  return { ...(server as ServerConfig), ...own }
}

/** What messages call it: the program or the machine. */
function nameOf(target: CommandTarget | RemoteTarget): string {
  return (target.kind === 'command' ? basename(target.command) : new URL(target.url).hostname) || 'server'
}
