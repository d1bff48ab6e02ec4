/** `parley bridge`: a client that can only start a program, and a server that may be anywhere and speak anything. */
import { basename } from 'node:path'
import { milliseconds } from 'parley-mcp/engine'
import { serveStdio } from 'parley-mcp/node'
import { ServedUpstream } from '../../bridge/index.ts'
import { type CommandTarget, type RemoteTarget, type ServerConfig, serverDefaults } from '../../config/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import type { EarlyLaunch } from '../../supervision/index.ts'
import { type Help, Upstream } from '../../upstream/index.ts'
import { shown } from '../arguments/selected-server.ts'
import { type BridgeStart, sameServer } from './bridge-start.ts'

/** How long the process has to end by itself. */
const EXIT_DELAY_MS = 1000

export interface BridgeOptions {
  /** How this program is called here. */
  readonly program: string
  readonly log: GatewayLog
  /** The server, if it was started already. */
  readonly early: EarlyLaunch | undefined
}

export async function startBridge(start: BridgeStart, { program, log, early }: BridgeOptions): Promise<void> {
  const config = await configFor(start)
  // One client, one server: its log reads as if the server had been started without the bridge.
  const onStderr = (line: string): void => void process.stderr.write(`${line}\n`)
  const launch = early && { launch: early.launch }
  const upstream = new Upstream(config, {
    log,
    translation: 'lenient',
    singleClient: true,
    onStderr,
    help: helpFor(start, program),
    ...launch,
  })
  const served = new ServedUpstream(upstream, { translation: 'lenient' })
  // The server is given its time to end as well, which is longer than a process that only speaks for itself would be
  // given.
  const handle = await serveStdio(served, { exit: false })
  try {
    await handle.closed
  } finally {
    await Promise.all([served.close(), early?.close()])
    endSoon()
  }
}

/** Nothing is left to be done: what still keeps the process running must not. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
}

async function configFor({ upstream, timeout, version }: BridgeStart): Promise<ServerConfig> {
  // Reaching the server is a step as well.
  const limit = timeout === undefined ? undefined : milliseconds(timeout)
  const times = limit === undefined ? {} : { timeout: limit, initialiseTimeout: limit }
  const own = { ...times, ...(version === undefined ? {} : { versions: [version] }) }
  if (upstream.kind !== 'configured') return { ...serverDefaults(nameOf(upstream), upstream), ...own }
  const { serversOf } = await import('../arguments/configured-servers.ts')
  const [server] = await serversOf(upstream.config, upstream.server)
  return { ...(server as ServerConfig), ...own }
}

/** What messages call it: the script or the program, or the address. */
export function nameOf(target: CommandTarget | RemoteTarget): string {
  if (target.kind === 'remote') return shown(new URL(target.url))
  const { command, args } = target
  const script = INTERPRETERS.test(basename(command))
    ? args.find((arg) => !arg.startsWith('-') && arg !== 'run')
    : undefined
  return basename(script ?? command) || 'server'
}

/** Of what they run there is more to say than of themselves. */
const INTERPRETERS = /^(?:node|bun|deno|npx|python[\d.]*|uvx?|pipx|ruby)(?:\.(?:exe|cmd))?$/

function helpFor(start: BridgeStart, program: string): Help {
  const doctor = `${program} doctor ${sameServer(start)}`
  return start.upstream.kind === 'remote'
    ? { doctor, credentials: `give the bridge --header 'Authorization: Bearer …'` }
    : { doctor }
}
