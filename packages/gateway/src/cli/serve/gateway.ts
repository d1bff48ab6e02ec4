/**
 * `parley gateway`: reads the configuration, starts everything, says where it listens, and ends everything when it is
 * told to.
 */

import { existsSync } from 'node:fs'
import { systemClock } from 'parley-mcp/engine'
import { describeProblem, readConfig, watchConfig } from '../../config/index.ts'
import { Gateway } from '../../gateway/index.ts'
import { type GatewayLog, jsonLog, textLog } from '../../log/index.ts'
import { startWords } from '../arguments/invocation.ts'
import { shellWord } from '../arguments/shell-word.ts'
import { usageError } from '../failure.ts'
import { ConfigReloader } from './config-reloader.ts'
import { reportCrashes } from './crash-reports.ts'
import { onNpmExit } from './npm-exit.ts'
import { announceShutdown } from './shutdown-notice.ts'
import { StartupReport } from './startup-report.ts'
import { addresses, usableUrl } from './startup-text.ts'

export interface GatewayStart {
  /** Path of the configuration. */
  readonly config: string
  /** What the command line says instead of the configuration. */
  readonly port: number | undefined
  readonly host: string | undefined
}

const USUAL = 'parley.json'

export async function gatewayCommand(given: Partial<GatewayStart>, program: string): Promise<void> {
  await startGateway(gatewayStart(given, program), program)
}

/** `program`: how to call this program here. */
async function startGateway(start: GatewayStart, program: string): Promise<void> {
  const override = {
    ...(start.port === undefined ? {} : { port: start.port }),
    ...(start.host === undefined ? {} : { host: start.host }),
  }
  const reading = await readConfig(start.config, { override })
  const { config, warnings } = reading
  const log = logFor(config.gateway.log)
  for (const warning of warnings) log.warning(describeProblem(warning))
  const help = (server: string) => ({
    doctor: `${program} doctor --config ${shellWord(start.config)} --server ${server}`,
  })
  const gateway = new Gateway(config, {
    log,
    file: start.config,
    help,
    program: startWords(process.argv[1], process.env),
  })
  const stopReports = reportCrashes({ setting: config.gateway.crashReports, config: start.config, gateway, log })
  // Before any output, because a program may end the gateway as soon as it reads that the gateway listens.
  const ending = awaitEndSignal(log)
  const { url: listening } = await gateway.start().catch((error: unknown) => {
    ending.stop()
    throw error
  })
  const url = usableUrl(listening, config.gateway)
  const isForPeople = readsText()
  // Log collectors join both streams, so lines for people must not mix with JSON.
  const write = (text: string): void => {
    if (isForPeople) process.stdout.write(text)
  }
  write(addresses(url, gateway.upstreams))
  if (!isForPeople) log.info(`Parley listens on ${url}`, { event: 'listening', url })
  // On a terminal, the same user reads both streams.
  const inLog = process.stdout.isTTY && process.stderr.isTTY && WARNS.has(config.gateway.log)
  const startupReport = new StartupReport({ url, command: program, write, clock: systemClock, inLog })
  void startupReport.print(gateway.upstreams)
  const reloader = new ConfigReloader(gateway, log, config)
  const watch = watchConfig(start.config, (outcome) => void reloader.apply(outcome), { override, current: reading })
  await ending.told
  ending.stop()
  startupReport.end()
  watch.close()
  await announceShutdown(gateway.close(), {
    awaited: () => gateway.awaited,
    say: (words) => log.info(words),
    clock: systemClock,
  })
  stopReports()
}

/** Log levels that contain the warning about a server that was not reached. */
const WARNS: ReadonlySet<string> = new Set(['debug', 'info', 'warning'])

/** JSON for programs, text for people. */
function logFor(least: 'debug' | 'info' | 'warning' | 'error' | 'silent'): GatewayLog {
  const sink = (line: string): void => void process.stderr.write(line)
  return readsText() ? textLog(least, sink) : jsonLog(least, sink)
}

function readsText(): boolean {
  return process.stderr.isTTY || process.env['PARLEY_LOG'] === 'text'
}

interface EndSignal {
  /** Resolves when the process is told to end. */
  readonly told: Promise<void>
  /** Stops the check whether npm has ended. */
  readonly stop: () => void
}

/** The second signal ends the process at once. */
function awaitEndSignal(log: GatewayLog): EndSignal {
  let stop = (): void => {}
  const told = new Promise<void>((resolve) => {
    let isTold = false
    const end = (cause: string): void => {
      if (isTold) process.exit(1)
      isTold = true
      log.info(`${cause}: ending`)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal))
    stop = onNpmExit(() => end('npm has ended'), { env: process.env, parent: () => process.ppid, clock: systemClock })
  })
  return { told, stop: () => stop() }
}

export function gatewayStart(
  { config, port, host }: Partial<GatewayStart>,
  program: string,
  exists: (file: string) => boolean = existsSync,
): GatewayStart {
  if (config === undefined && !exists(USUAL)) {
    throw usageError(
      `There is no ${USUAL} in this folder`,
      `name a configuration: ${program} gateway --config FILE, with { "mcpServers": { "files": { "command": "…" } } }`,
    )
  }
  if (host === '') throw usageError('--host is empty', 'leave it out to listen on 127.0.0.1')
  return { config: config ?? USUAL, port, host }
}
