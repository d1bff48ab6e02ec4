/** `parley gateway`: reads the configuration, starts everything, says where it listens, and ends everything when it is told to. */
import type { GatewayStart } from '../cli/serving.ts'
import { ConfigError, describeProblem, readConfig, watchConfig } from '../config/index.ts'
import { type GatewayLog, jsonLog, textLog } from '../log/index.ts'
import { Gateway } from './gateway.ts'
import { greeting, serverLine } from './greeting.ts'

export async function startGateway(start: GatewayStart): Promise<void> {
  const override = { ...(start.port === undefined ? {} : { port: start.port }), ...(start.host === undefined ? {} : { host: start.host }) }
  const reading = await readConfig(start.config, { override })
  const { config, warnings } = reading
  const log = logFor(config.gateway.log)
  for (const warning of warnings) log.warning(describeProblem(warning))
  const gateway = new Gateway(config, { log, file: start.config })
  const { url } = await gateway.start()
  process.stdout.write(greeting(url, gateway.upstreams))
  for (const upstream of gateway.upstreams) {
    if (upstream.config.lazy) process.stdout.write(serverLine(upstream))
    else
      void upstream.home().then(
        () => process.stdout.write(serverLine(upstream)),
        () => process.stdout.write(serverLine(upstream)),
      )
  }
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
