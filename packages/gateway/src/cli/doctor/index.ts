/** `parley doctor`: what is wrong, and how to mend it. */
import { existsSync } from 'node:fs'
import { ConfigError, type ServerConfig } from '../../config/index.ts'
import { serversOf } from '../configured.ts'
import { overheard, type Surroundings } from '../connecting.ts'
import { EXIT, type ExitCode, usageError } from '../failure.ts'
import { interruptible } from '../interrupt.ts'
import { adjusted, type SharedOptions } from '../options.ts'
import { paint } from '../paint.ts'
import { inParallel } from '../parallel.ts'
import { type Aim, aimAtServer, aimOf, demandNoAddress, type Wish } from '../target.ts'
import { clientConfigurations } from './clients.ts'
import { commandChecks } from './command.ts'
import { configurationChecks } from './configuration.ts'
import { machineChecks } from './machine.ts'
import { remoteChecks } from './remote.ts'
import { blockOf, numberOf, verdictOn } from './report.ts'
import { Subjects } from './subjects.ts'

export interface DoctorOptions extends SharedOptions, Wish {}

const USUAL_FILE = 'parley.json'
const SERVERS_AT_ONCE = 4
/**
 * Whoever asks what is wrong does not want to wait as long as a gateway would; `--timeout` gives a slow server more.
 */
const PATIENCE = '20s'

export async function doctorCommand(given: DoctorOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { io } = surroundings
  const colours = paint(io.stdout, io.env)
  return await interruptible(io, async (signal) => {
    const subjects = new Subjects((finished) => {
      if (given.json !== true && !signal.aborted) io.stdout.write(blockOf(finished, colours))
    })
    const end = (): ExitCode => {
      const { checks, unfinished } = subjects
      if (given.json === true) io.stdout.write(`${JSON.stringify(reportOn(subjects), null, 2)}\n`)
      else
        io.stdout.write(
          `${unfinished.map((each) => blockOf(each, colours, true)).join('')}${verdictOn(checks, colours, unfinished.length > 0)}`,
        )
      return numberOf(checks, 'problem') === 0 ? EXIT.ok : EXIT.failed
    }
    // At once, whatever has to be ended first.
    signal.addEventListener('abort', end, { once: true })
    await look(subjects, given, surroundings, signal)
    signal.throwIfAborted()
    signal.removeEventListener('abort', end)
    return end()
  })
}

/** As `--json` prints it. */
function reportOn({ checks, unfinished }: Subjects): object {
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

async function look(
  subjects: Subjects,
  given: DoctorOptions,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  if (given.url !== undefined || given.command.length > 0) {
    const aim = adjusted(await aimOf(given), { timeout: PATIENCE, ...given })
    lookAtMachine(subjects)
    return await lookAtServers(subjects, [overheard(aim, surroundings.io, given.verbose)], surroundings, signal)
  }
  demandNoAddress(given)
  if (given.config === undefined && !existsSync(USUAL_FILE))
    return await lookAtClients(subjects, given, surroundings, signal)
  const file = given.config ?? USUAL_FILE
  const servers =
    given.server === undefined ? await lookAtAll(subjects, file) : await lookForOne(subjects, file, given.server)
  const aims = servers.map((server) => overheard(adjusted(aimAtServer(server), given), surroundings.io, given.verbose))
  await lookAtServers(subjects, aims, surroundings, signal)
}

/** Nobody said what to look at: what the clients on this machine start is the best guess. */
async function lookAtClients(
  subjects: Subjects,
  given: DoctorOptions,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const missing = `There is no ${USUAL_FILE} in this folder`
  const hint = 'name what to look at: --config FILE, an address, or -- COMMAND ARGS'
  if (given.server !== undefined) throw usageError(`${missing}, so nothing was looked at`, hint)
  const { files, aims } = await clientConfigurations(subjects, surroundings.io)
  if (aims === undefined) {
    const looked = files.map(({ client, path }) => `  ${client}: ${path}`).join('\n')
    throw usageError(
      `${missing}, and no configuration of a client, so nothing was looked at. These files were looked for:\n${looked}`,
      hint,
    )
  }
  lookAtMachine(subjects)
  const adjustedAims = aims.map((aim) =>
    overheard(adjusted(aim, { timeout: PATIENCE, ...given }), surroundings.io, given.verbose),
  )
  await lookAtServers(subjects, adjustedAims, surroundings, signal)
}

function lookAtMachine(subjects: Subjects): void {
  const machine = subjects.add('this machine')
  machineChecks(machine)
  subjects.finished(machine)
}

async function lookAtAll(subjects: Subjects, file: string): Promise<ServerConfig[]> {
  lookAtMachine(subjects)
  const findings = subjects.add(file)
  const config = await configurationChecks(findings, file)
  subjects.finished(findings)
  return [...(config?.servers.values() ?? [])]
}

/** About the file only when it cannot be used: the port and the other servers are not what was asked about. */
async function lookForOne(subjects: Subjects, file: string, name: string): Promise<ServerConfig[]> {
  try {
    return await serversOf(file, name)
  } catch (error) {
    if (error instanceof ConfigError) return await lookAtAll(subjects, file)
    throw error
  }
}

async function lookAtServers(
  subjects: Subjects,
  aims: readonly Aim[],
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const begun = aims.map((aim) => ({ aim, findings: subjects.add(aim.label) }))
  await inParallel(begun, SERVERS_AT_ONCE, async ({ aim, findings }) => {
    signal.throwIfAborted()
    await (aim.subject.kind === 'command' ? commandChecks : remoteChecks)(findings, aim, surroundings, signal)
    signal.throwIfAborted()
    subjects.finished(findings)
  })
}
