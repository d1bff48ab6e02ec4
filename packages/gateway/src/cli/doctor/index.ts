/** `parley doctor`: finds what is wrong, and how to fix it. */
import { existsSync } from 'node:fs'
import { ConfigError, type ServerConfig } from '../../config/index.ts'
import { serversOf } from '../arguments/configured-servers.ts'
import { type SharedOptions, withOptions } from '../arguments/options.ts'
import {
  configuredServer,
  demandNoAddress,
  type SelectedServer,
  type ServerSelection,
  selectServer,
} from '../arguments/selected-server.ts'
import { withStderrShown } from '../connection/connect.ts'
import { EXIT, type ExitCode, usageError } from '../failure.ts'
import { inParallel } from '../parallel.ts'
import { coloursFor } from '../terminal/colours.ts'
import { interruptible } from '../terminal/interrupt.ts'
import type { CommandContext } from '../terminal/io.ts'
import { commandChecks } from './checks/command.ts'
import { configurationChecks } from './checks/configuration.ts'
import { remoteChecks } from './checks/remote.ts'
import { clientConfigurations } from './clients/client-servers.ts'
import { DoctorReport } from './report/doctor-report.ts'
import { blockOf, numberOf, verdictOn } from './report/report-text.ts'
import type { SubjectReport } from './report/subject-report.ts'

export interface DoctorOptions extends SharedOptions, ServerSelection {}

const USUAL_FILE = 'parley.json'
const SERVERS_AT_ONCE = 4
/**
 * Shorter than the timeout of the gateway, so that the user gets an answer soon. `--timeout` gives a slow server more time.
 */
const DEFAULT_TIMEOUT = '20s'

export async function doctorCommand(given: DoctorOptions, context: CommandContext): Promise<ExitCode> {
  const { io } = context
  const colours = coloursFor(io.stdout, io.env)
  return await interruptible(io, async (signal) => {
    const doctorReport = new DoctorReport((finished) => {
      if (given.json !== true && !signal.aborted) io.stdout.write(blockOf(finished, colours))
    })
    const end = (): ExitCode => {
      const { checks, unfinished } = doctorReport
      if (given.json === true) io.stdout.write(`${JSON.stringify(reportOn(doctorReport), null, 2)}\n`)
      else
        io.stdout.write(
          `${unfinished.map((each) => blockOf(each, colours, true)).join('')}${verdictOn(checks, colours, unfinished.length > 0)}`,
        )
      return numberOf(checks, 'problem') === 0 ? EXIT.ok : EXIT.failed
    }
    // Prints at once, before processes and connections have ended.
    signal.addEventListener('abort', end, { once: true })
    await checkSelection(doctorReport, given, context, signal)
    signal.throwIfAborted()
    signal.removeEventListener('abort', end)
    return end()
  })
}

/** As `--json` prints it. */
function reportOn({ checks, unfinished }: DoctorReport): object {
  const problems = numberOf(checks, 'problem')
  const names = unfinished.map(({ subject }) => subject)
  return {
    ok: problems + names.length === 0,
    problems,
    warnings: numberOf(checks, 'warning'),
    checks,
    ...(names.length > 0 && { unfinished: names }),
  }
}

async function checkSelection(
  doctorReport: DoctorReport,
  given: DoctorOptions,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  if (given.url !== undefined || given.command.length > 0) {
    const selected = withOptions(await selectServer(given), { timeout: DEFAULT_TIMEOUT, ...given })
    checkMachine(doctorReport)
    return await checkServers(doctorReport, [withStderrShown(selected, context.io, given.verbose)], context, signal)
  }
  demandNoAddress(given)
  if (given.config === undefined && !existsSync(USUAL_FILE))
    return await checkClients(doctorReport, given, context, signal)
  const file = given.config ?? USUAL_FILE
  const servers =
    given.server === undefined
      ? await checkConfiguration(doctorReport, file)
      : await checkOneServer(doctorReport, file, given.server)
  const selectedServers = servers.map((server) =>
    withStderrShown(withOptions(configuredServer(server), given), context.io, given.verbose),
  )
  await checkServers(doctorReport, selectedServers, context, signal)
}

/** Without a selection, checks the servers that the clients on this machine start. */
async function checkClients(
  doctorReport: DoctorReport,
  given: DoctorOptions,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const missing = `There is no ${USUAL_FILE} in this folder`
  const hint = 'name what to check: --config FILE, an address, or -- COMMAND ARGS'
  if (given.server !== undefined) throw usageError(`${missing}, so nothing was checked`, hint)
  const { files, selectedServers } = await clientConfigurations(doctorReport, context.io)
  if (selectedServers === undefined) {
    const looked = files.map(({ client, path }) => `  ${client}: ${path}`).join('\n')
    throw usageError(
      `${missing}, and no configuration of a client, so nothing was checked. The doctor looked for these files:\n${looked}`,
      hint,
    )
  }
  checkMachine(doctorReport)
  const adjustedServers = selectedServers.map((selected) =>
    withStderrShown(withOptions(selected, { timeout: DEFAULT_TIMEOUT, ...given }), context.io, given.verbose),
  )
  await checkServers(doctorReport, adjustedServers, context, signal)
}

function checkMachine(doctorReport: DoctorReport): void {
  const machine = doctorReport.add('this machine')
  nodeCheck(machine)
  doctorReport.finished(machine)
}

async function checkConfiguration(doctorReport: DoctorReport, file: string): Promise<ServerConfig[]> {
  checkMachine(doctorReport)
  const report = doctorReport.add(file)
  const config = await configurationChecks(report, file)
  doctorReport.finished(report)
  return [...(config?.servers.values() ?? [])]
}

/** Checks the file only if it cannot be read, because the port and the other servers were not selected. */
async function checkOneServer(doctorReport: DoctorReport, file: string, name: string): Promise<ServerConfig[]> {
  try {
    return await serversOf(file, name)
  } catch (error) {
    if (error instanceof ConfigError) return await checkConfiguration(doctorReport, file)
    throw error
  }
}

async function checkServers(
  doctorReport: DoctorReport,
  selectedServers: readonly SelectedServer[],
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const begun = selectedServers.map((selected) => ({ selected, report: doctorReport.add(selected.label) }))
  await inParallel(begun, SERVERS_AT_ONCE, async ({ selected, report }) => {
    signal.throwIfAborted()
    await (selected.reference.kind === 'command' ? commandChecks : remoteChecks)(report, selected, context, signal)
    signal.throwIfAborted()
    doctorReport.finished(report)
  })
}

const OLDEST_NODE = 20

export function nodeCheck(report: SubjectReport, node: string = process.versions.node): void {
  const major = Number(node.split('.')[0])
  if (major >= OLDEST_NODE) report.ok('node', `Node ${node}`)
  else report.problem('node', `Node ${node} is too old`, `install Node ${OLDEST_NODE} or later`)
}
