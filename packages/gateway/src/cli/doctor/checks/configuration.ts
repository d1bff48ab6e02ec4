/** Checks a configuration: the file, the port, and servers that are there twice. */
import {
  ConfigError,
  type ConfigProblem,
  type GatewayConfig,
  readConfig,
  type ServerConfig,
} from '../../../config/index.ts'
import { count } from '../../terminal/text.ts'
import type { SubjectReport } from '../report/subject-report.ts'
import { portCheck } from './port.ts'

/** The configuration. Undefined if the file has problems. */
export async function configurationChecks(report: SubjectReport, file: string): Promise<GatewayConfig | undefined> {
  try {
    const { config, warnings } = await readConfig(file)
    report.ok('configuration', count(config.servers.size, 'server'))
    for (const warning of warnings) report.warning('configuration', placed(warning), warning.hint)
    duplicates(report, [...config.servers.values()])
    if (config.gateway.port !== 0) await portCheck(report, config.gateway)
    return config
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) report.problem('configuration', placed(problem), problem.hint)
    return undefined
  }
}

function placed({ line, column, path, message }: ConfigProblem): string {
  return `${line === undefined ? '' : `line ${line}, column ${column}: `}${path === '' ? '' : `${path}: `}${message}`
}

/** With two names for one server, every tool and every process is there twice. */
function duplicates(report: SubjectReport, servers: readonly ServerConfig[]): void {
  const first = new Map<string, string>()
  for (const { name, target } of servers) {
    const key = JSON.stringify(target)
    const twin = first.get(key)
    if (twin === undefined) first.set(key, name)
    else
      report.warning(
        'duplicates',
        `${name} is the same server as ${twin}`,
        `remove one of them, or set "disabled": true`,
      )
  }
}
