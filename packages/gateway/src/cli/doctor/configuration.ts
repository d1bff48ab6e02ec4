/** Whether a configuration can be used: the file, the port, and every server in it. */
import { ConfigError, type ConfigProblem, type GatewayConfig, readConfig, type ServerConfig } from '../../config/index.ts'
import { type Check, Findings } from './check.ts'
import { portCheck } from './port.ts'

export interface ConfigurationFindings {
  readonly checks: readonly Check[]
  /** Undefined when the file cannot be used. */
  readonly config: GatewayConfig | undefined
}

export async function configurationChecks(file: string): Promise<ConfigurationFindings> {
  const findings = new Findings(file)
  try {
    const { config, warnings } = await readConfig(file)
    findings.ok('configuration', `${config.servers.size} servers`)
    for (const warning of warnings) findings.warning('configuration', placed(warning), warning.hint)
    duplicates(findings, [...config.servers.values()])
    if (config.gateway.port !== 0) await portCheck(findings, config.gateway)
    return { checks: findings.checks, config }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const problem of error.problems) findings.problem('configuration', placed(problem), problem.hint)
    return { checks: findings.checks, config: undefined }
  }
}

function placed({ line, column, path, message }: ConfigProblem): string {
  return `${line === undefined ? '' : `line ${line}, column ${column}: `}${path === '' ? '' : `${path}: `}${message}`
}

/** Two names for one server: every tool comes twice, and so does every process. */
function duplicates(findings: Findings, servers: readonly ServerConfig[]): void {
  const first = new Map<string, string>()
  for (const { name, target } of servers) {
    const key = JSON.stringify(target)
    const twin = first.get(key)
    if (twin === undefined) first.set(key, name)
    else findings.warning('duplicates', `${name} is the same server as ${twin}`, `remove one of them, or set "disabled": true`)
  }
}
