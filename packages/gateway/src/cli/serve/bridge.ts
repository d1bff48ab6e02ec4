/** `parley bridge`: serves one server over standard input and output. */
import { basename } from 'node:path'
import { milliseconds } from 'parley-mcp/engine'
import { serveStdio } from 'parley-mcp/node'
import { ServerAddress } from '../../addresses/index.ts'
import { type CommandTarget, type RemoteTarget, type ServerConfig, serverDefaults } from '../../config/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import type { EarlyLaunch } from '../../supervision/index.ts'
import { type Help, Upstream } from '../../upstream/index.ts'
import { shown } from '../arguments/selected-server.ts'
import { type BridgeStart, sameServer } from './bridge-start.ts'

/** How long the process may take to end by itself. */
const EXIT_DELAY_MS = 1000

export interface BridgeOptions {
  /** How to call this program here. */
  readonly program: string
  readonly log: GatewayLog
  /** The server process, if it was started early. */
  readonly early: EarlyLaunch | undefined
}

export async function startBridge(start: BridgeStart, { program, log, early }: BridgeOptions): Promise<void> {
  const config = await configFor(start)
  // With one client and one server, the log looks as without the bridge.
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
  const served = new ServerAddress(upstream, { translation: 'lenient' })
  // The process waits for the server to end, so `serveStdio` must not end it
  // before.
  const handle = await serveStdio(served, { exit: false })
  try {
    await handle.closed
  } finally {
    await Promise.all([served.close(), early?.close()])
    endSoon()
  }
}

/** Exits even if an open handle would keep the process running. */
function endSoon(): void {
  setTimeout(() => process.exit(), EXIT_DELAY_MS).unref()
}

async function configFor({ upstream, timeout, version }: BridgeStart): Promise<ServerConfig> {
  // The timeout also limits the connection.
  const limit = timeout === undefined ? undefined : milliseconds(timeout)
  const times = limit === undefined ? {} : { timeout: limit, initialiseTimeout: limit }
  const own = { ...times, ...(version === undefined ? {} : { versions: [version] }) }
  if (upstream.kind !== 'configured') return { ...serverDefaults(nameOf(upstream), upstream), ...own }
  const { serversOf } = await import('../arguments/configured-servers.ts')
  const [server] = await serversOf(upstream.config, upstream.server)
  return { ...(server as ServerConfig), ...own }
}

/** The name for messages: the script, the program or the address. */
export function nameOf(target: CommandTarget | RemoteTarget): string {
  if (target.kind === 'remote') return shown(new URL(target.url))
  const { command, args } = target
  const script = INTERPRETERS.test(basename(command))
    ? args.find((arg) => !arg.startsWith('-') && arg !== 'run')
    : undefined
  return basename(script ?? command) || 'server'
}

/** For these programs, the name of the script says more. */
const INTERPRETERS = /^(?:node|bun|deno|npx|python[\d.]*|uvx?|pipx|ruby)(?:\.(?:exe|cmd))?$/

function helpFor(start: BridgeStart, program: string): Help {
  const doctor = `${program} doctor ${sameServer(start)}`
  return start.upstream.kind === 'remote'
    ? { doctor, credentials: `give the bridge --header 'Authorization: Bearer …'` }
    : { doctor }
}
