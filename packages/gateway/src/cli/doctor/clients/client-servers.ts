/** The servers in the configurations of MCP clients on this machine. */
import { homedir } from 'node:os'
import { isObject } from 'parley-mcp/engine'
import { ConfigError, parseConfig, type ServerConfig } from '../../../config/index.ts'
import { configuredServer, type SelectedServer } from '../../arguments/selected-server.ts'
import type { CliIo } from '../../terminal/io.ts'
import { count } from '../../terminal/text.ts'
import type { DoctorReport } from '../report/doctor-report.ts'
import type { SubjectReport } from '../report/subject-report.ts'
import { type ClientFile, clientFiles, readClientFile } from './client-files.ts'

/** `files`: all that were looked for. `selectedServers`: undefined where none of them is there. */
export interface ClientConfigurations {
  readonly files: readonly ClientFile[]
  readonly selectedServers: readonly SelectedServer[] | undefined
}

/** Adds a subject for each existing file. A server of several clients is checked once. */
export async function clientConfigurations(
  doctorReport: DoctorReport,
  io: Pick<CliIo, 'env'>,
): Promise<ClientConfigurations> {
  const { env } = io
  const home = env['HOME'] ?? env['USERPROFILE'] ?? homedir()
  const files = clientFiles({ home, folder: process.cwd(), platform: process.platform, env })
  const owners = new Map<string, { server: ServerConfig; name: string; clients: Set<string> }>()
  let isAny = false
  for (const file of files) {
    const read = await readClientFile(file)
    if (read === undefined) continue
    isAny = true
    const report = doctorReport.add(`${file.client}: ${file.path}`)
    if ('problem' in read)
      report.problem('configuration', read.problem, 'correct the file: the client cannot read it either')
    else report.ok('configuration', count(read.servers.size, 'server'))
    for (const [name, entry] of 'problem' in read ? [] : read.servers) {
      const server = serverIn(report, name, entry, file, env)
      if (server === undefined) continue
      const key = JSON.stringify([name, server.target])
      const owner = owners.get(key) ?? { server, name, clients: new Set<string>() }
      owners.set(key, { ...owner, clients: owner.clients.add(file.client) })
    }
    doctorReport.finished(report)
  }
  const selectedServers = [...owners.values()].map(({ server, name, clients }) => ({
    ...configuredServer(server),
    name,
    label: `${name} (${[...clients].join(', ')})`,
  }))
  return { files, selectedServers: isAny ? selectedServers : undefined }
}

/** Replaces the name while the entry is read, because clients accept more names than a gateway. */
const ANY_NAME = 'server'

/** Reads entries one by one, so that a wrong entry hides no other. Undefined if the entry has problems. */
function serverIn(
  report: SubjectReport,
  name: string,
  entry: unknown,
  { path, base }: ClientFile,
  env: CliIo['env'],
): ServerConfig | undefined {
  const { serverUrl, ...rest } = isObject(entry) ? entry : { serverUrl: undefined }
  const written = !isObject(entry) ? entry : serverUrl === undefined ? rest : { ...rest, url: serverUrl }
  try {
    const { config } = parseConfig(JSON.stringify({ mcpServers: { [ANY_NAME]: written } }), {
      file: path,
      format: 'json',
      env,
      baseFolder: base,
    })
    return config.servers.get(ANY_NAME)
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const { path: at, message, hint } of error.problems) {
      const where = at.replace(`mcpServers.${ANY_NAME}`, name)
      report.problem('configuration', `${where === '' ? name : where}: ${message}`, hint)
    }
    return undefined
  }
}
