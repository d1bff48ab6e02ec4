/** `parley gateway`: reads the configuration, starts everything, says where it listens, and ends everything when it is told to. */
import { systemClock } from 'parley-mcp/engine'
import { ConfigError, describeProblem, readConfig, watchConfig } from '../../config/index.ts'
import { Gateway } from '../../gateway/index.ts'
import { type GatewayLog, jsonLog, textLog } from '../../log/index.ts'
import { addresses, serverLine, toTry } from './greeting.ts'
import { invocation } from './invocation.ts'
import type { GatewayStart } from './starts.ts'
import { suggestedCalls } from './suggestions.ts'

/** Whoever wants to try it does not wait longer than this for servers that are slow to start, in milliseconds. */
const PATIENCE = 5000

export async function startGateway(start: GatewayStart): Promise<void> {
  const override = { ...(start.port === undefined ? {} : { port: start.port }), ...(start.host === undefined ? {} : { host: start.host }) }
  const reading = await readConfig(start.config, { override })
  const { config, warnings } = reading
  const log = logFor(config.gateway.log)
  for (const warning of warnings) log.warning(describeProblem(warning))
  const gateway = new Gateway(config, { log, file: start.config })
  const { url } = await gateway.start()
  process.stdout.write(addresses(url, gateway.upstreams))
  void greet(url, gateway)
  const watch = watchConfig(
    start.config,
    (outcome) => {
      if (outcome instanceof ConfigError) return log.error(`The configuration was not taken: ${outcome.message}`)
      for (const warning of outcome.warnings) log.warning(describeProblem(warning))
      void gateway.reload(outcome.config).catch((error: unknown) => log.error(`The configuration was not taken: ${String(error)}`))
    },
    { override, current: reading },
  )
  await untilToldToEnd(log)
  watch.close()
  await gateway.close()
}

/** Tells of each server as soon as it was reached or was not, and then what can be tried. */
async function greet(url: string, { upstreams }: Gateway): Promise<void> {
  const reached = upstreams.map(async (upstream) => {
    if (!upstream.config.lazy) await upstream.home().catch(() => undefined)
    process.stdout.write(serverLine(upstream))
  })
  await Promise.race([Promise.all(reached), new Promise<void>((resolve) => systemClock.after(PATIENCE, resolve))])
  process.stdout.write(toTry(url, invocation(process.argv[1], process.env), await suggestedCalls(upstreams)))
}

/** Structured for programs, readable for people. */
function logFor(least: 'debug' | 'info' | 'warning' | 'error' | 'silent'): GatewayLog {
  const sink = (line: string): void => void process.stderr.write(line)
  return process.stderr.isTTY || process.env['PARLEY_LOG'] === 'text' ? textLog(least, sink) : jsonLog(least, sink)
}

/** The second signal ends it at once. */
function untilToldToEnd(log: GatewayLog): Promise<void> {
  return new Promise((resolve) => {
    let told = false
    const end = (signal: string): void => {
      if (told) process.exit(1)
      told = true
      log.info(`${signal}: ending`)
      resolve()
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end(signal))
  })
}
