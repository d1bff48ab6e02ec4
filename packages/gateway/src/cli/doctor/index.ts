/** `parley doctor`: what is wrong, and how to mend it. */
import { existsSync } from 'node:fs'
import { overheard, type Surroundings } from '../connecting.ts'
import { EXIT, type ExitCode, usageError } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { didYouMean } from '../nearest.ts'
import { adjusted, type SharedOptions } from '../options.ts'
import { paint } from '../paint.ts'
import { inParallel } from '../parallel.ts'
import { type Aim, aimAtServer, aimOf, demandNoAddress, type Wish } from '../target.ts'
import { type Check, Findings } from './check.ts'
import { commandChecks } from './command.ts'
import { configurationChecks } from './configuration.ts'
import { machineChecks } from './machine.ts'
import { remoteChecks } from './remote.ts'
import { numberOf, textOf } from './report.ts'

export interface DoctorOptions extends SharedOptions, Wish {}

const USUAL_FILE = 'parley.json'
const SERVERS_AT_ONCE = 4
/** Whoever asks what is wrong does not want to wait as long as a gateway would; `--timeout` gives a slow server more. */
const PATIENCE = '20s'

export async function doctorCommand(given: DoctorOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { io } = surroundings
  return await interruptible(io, async (signal) => {
    const checks = [...machineChecks(), ...(await subjectChecks(given, surroundings, signal))]
    const problems = numberOf(checks, 'problem')
    const report = { ok: problems === 0, problems, warnings: numberOf(checks, 'warning'), checks }
    io.stdout.write(given.json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(checks, paint(io.stdout, io.env)))
    return problems === 0 ? EXIT.ok : EXIT.failed
  })
}

async function subjectChecks(given: DoctorOptions, surroundings: Surroundings, signal: AbortSignal): Promise<Check[]> {
  if (given.url !== undefined || given.command.length > 0) {
    const aim = adjusted(await aimOf(given), { timeout: PATIENCE, ...given })
    return await serverChecks(overheard(aim, surroundings.io, given.verbose), surroundings, signal)
  }
  demandNoAddress(given)
  if (given.config === undefined && !existsSync(USUAL_FILE)) {
    const findings = new Findings(USUAL_FILE)
    findings.warning('configuration', `there is no ${USUAL_FILE} in this folder`, 'name what to look at: --config FILE, an address, or -- COMMAND ARGS')
    return findings.checks
  }
  return await configured(given.config ?? USUAL_FILE, given, surroundings, signal)
}

async function configured(file: string, given: DoctorOptions, surroundings: Surroundings, signal: AbortSignal): Promise<Check[]> {
  const { checks, config } = await configurationChecks(file)
  const names = [...(config?.servers.keys() ?? [])]
  if (given.server !== undefined && config !== undefined && !names.includes(given.server)) {
    throw usageError(`There is no server ${JSON.stringify(given.server)} in ${file}${didYouMean(given.server, names)}`)
  }
  const servers = [...(config?.servers.values() ?? [])].filter(({ name }) => given.server === undefined || name === given.server)
  const aims = servers.map((server) => overheard(adjusted(aimAtServer(server), given), surroundings.io, given.verbose))
  return [...checks, ...(await inParallel(aims, SERVERS_AT_ONCE, (aim) => serverChecks(aim, surroundings, signal))).flat()]
}

async function serverChecks(aim: Aim, surroundings: Surroundings, signal: AbortSignal): Promise<Check[]> {
  const findings = new Findings(aim.label)
  await (aim.subject.kind === 'command' ? commandChecks : remoteChecks)(findings, aim, surroundings, signal)
  return findings.checks
}
