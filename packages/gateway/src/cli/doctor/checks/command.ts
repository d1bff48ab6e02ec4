/**
 * Checks that a command starts a correct server: found, running, only messages on standard output, ready in time, and
 * ended with its input.
 */
import { constants, existsSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { ParleyError } from 'parley-mcp'
import type { Link } from 'parley-mcp/client'
import { isStrayLine, type LinkEvents, milliseconds, WrappedLink, wrappedEvents } from 'parley-mcp/engine'
import { type ChildLink, type ChildSpec, childLink } from 'parley-mcp/node'
import { type SelectedServer, withTarget } from '../../arguments/selected-server.ts'
import { openClientWithNote } from '../../connection/connect.ts'
import type { CommandContext } from '../../terminal/io.ts'
import { count, elapsed, oneLine } from '../../terminal/text.ts'
import type { SubjectReport } from '../report/subject-report.ts'
import { withTimeLimit } from '../time-limit.ts'
import { conversationChecks } from './conversation.ts'
import { longerThan, versionsFix } from './fixes.ts'

/** Longer than the shutdown takes, from the closed input to SIGKILL. */
const END_MS = 8000
/** How long a server may run after its input was closed, before it gets a signal. */
const INPUT_END = '2s'

export async function commandChecks(
  report: SubjectReport,
  selected: SelectedServer,
  context: CommandContext,
  signal: AbortSignal,
): Promise<void> {
  const spec = selected.target as ChildSpec
  if (!(await commandCheck(report, spec))) return
  const children: ChildOutputLink[] = []
  const began = performance.now()
  try {
    const opening = async (): Promise<Link> => {
      const link = new ChildOutputLink(await childLink({ ...spec, shutdown: { inputEnd: INPUT_END } }))
      children.push(link)
      return link
    }
    const client = await openClientWithNote(withTarget(selected, opening), context, { signal })
    try {
      await conversationChecks(report, client, { connectedIn: performance.now() - began, signal })
    } finally {
      await client.close()
    }
    outputCheck(report, children)
    await endCheck(report, children)
  } catch (error) {
    signal.throwIfAborted()
    startFailure(report, error, { selected, link: children.at(-1), after: performance.now() - began })
  } finally {
    for (const { child } of children) child.close()
    await withTimeLimit(END_MS, Promise.all(children.map(({ child }) => child.gone)))
  }
}

async function commandCheck(
  report: SubjectReport,
  { command, args = [], cwd, env = {}, inheritEnv }: ChildSpec,
): Promise<boolean> {
  if (cwd !== undefined && !existsSync(cwd)) {
    report.problem('command', `the working folder ${cwd} does not exist`, 'create it, or correct "cwd"')
    return false
  }
  // Without its own PATH, a child gets the PATH of this process, even if it inherits nothing else.
  const file = await programFile(command, { env: { ...process.env, ...env }, cwd })
  if (file === undefined) {
    const named = /[\\/]/.test(command)
    const fix = command.includes(' ')
      ? 'arguments belong in "args", not in "command"'
      : named
        ? 'check the path, and that the file may be executed'
        : 'install it, or give its full path'
    report.problem(
      'command',
      `${JSON.stringify(command)} is ${named ? 'not an executable file' : 'not found in PATH'}`,
      fix,
    )
    return false
  }
  report.ok('command', file)
  const unattended = args.some((arg) => arg === '-y' || arg === '--yes' || arg === '--no-install')
  if (/(?:^|[\\/])npx(?:\.cmd)?$/.test(command) && !unattended)
    report.warning(
      'unattended',
      'npx may ask before it installs, and no user can answer',
      'add "-y" as the first argument',
    )
  if (inheritEnv === true) return true
  const empty = Object.entries(env).filter(([, value]) => value === '')
  if (empty.length > 0)
    report.warning(
      'environment',
      `empty: ${empty.map(([name]) => name).join(', ')}`,
      'set them in the environment of the gateway, or leave them out',
    )
  return true
}

/** A child process. Counts the lines of its standard output that are not messages. */
class ChildOutputLink extends WrappedLink {
  readonly child: ChildLink
  strayLines = 0
  firstStrayLine: string | undefined

  constructor(child: ChildLink) {
    super(child)
    this.child = child
  }

  override open(events: LinkEvents): void {
    const frame: LinkEvents['frame'] = (text, ...rest) => {
      this.#checkLine(text)
      events.frame(text, ...rest)
    }
    super.open(wrappedEvents(events, { frame }))
  }

  #checkLine(text: string): void {
    const line = text.trim()
    if (!isStrayLine(line)) return
    this.strayLines++
    this.firstStrayLine ??= oneLine(line, 120)
  }
}

function outputCheck(report: SubjectReport, children: readonly ChildOutputLink[]): void {
  const strayLines = children.reduce((sum, each) => sum + each.strayLines, 0)
  if (strayLines === 0) return report.ok('output', 'only messages on standard output')
  const first = JSON.stringify(children.find((each) => each.firstStrayLine !== undefined)?.firstStrayLine)
  report.warning(
    'output',
    `${count(strayLines, 'line')} on standard output that ${strayLines === 1 ? 'is not a message' : 'are not messages'}, the first ${first}`,
    'the server must log to standard error: some clients fail at such a line',
  )
}

async function endCheck(report: SubjectReport, children: readonly ChildOutputLink[]): Promise<void> {
  const began = performance.now()
  const exits = await withTimeLimit(END_MS, Promise.all(children.map(({ child }) => child.gone)))
  const took = elapsed(performance.now() - began)
  const told = exits === 'late' ? 'SIGKILL' : exits.find((exit) => exit.told !== null)?.told
  if (told === undefined || told === null) return report.ok('ends', `by itself when its input was closed, in ${took}`)
  report.warning(
    'ends',
    `not when its input was closed: it still ran ${INPUT_END} later and was ended by ${told}`,
    'the server should end when its standard input ends: otherwise clients that only close it leave it running',
  )
}

interface Failure {
  readonly selected: SelectedServer
  readonly link: ChildOutputLink | undefined
  /** In milliseconds. */
  readonly after: number
}

function startFailure(report: SubjectReport, error: unknown, { selected, link, after }: Failure): void {
  const symptoms = link?.child.symptoms()
  if (symptoms !== undefined && / echoes its input\b/.test(symptoms))
    return report.problem('speaks', oneLine(symptoms, 500), 'give the command of a server')
  const message = oneLine((error as Error).message, 500)
  const words = link?.child.stderr().trim() ?? ''
  const said =
    words === '' ? 'it wrote nothing to standard error' : `its last words:\n${words.split('\n').slice(-10).join('\n')}`
  const kind = error instanceof ParleyError ? error.kind : undefined
  if (link !== undefined && link.strayLines > 0) {
    report.problem(
      'output',
      `it wrote a line that is not a message: ${JSON.stringify(link.firstStrayLine)}`,
      'is it an MCP server over standard input and output? Some need an argument such as "stdio", and all must log to standard error',
    )
  }
  if (kind === 'initialization_timeout') {
    return report.problem(
      'speaks',
      `no answer within ${elapsed(after)}; ${said}`,
      `if it has to fetch something first, give it more time: --timeout ${longerThan(milliseconds(selected.options.initialiseTimeout ?? '20s'), 2)}; otherwise start it by hand and see what it waits for`,
    )
  }
  if (kind === 'connection_closed')
    return report.problem(
      'starts',
      `it ended after ${elapsed(after)}: ${message.split('; its last words')[0]}; ${said}`,
      words === ''
        ? 'start it by hand and see what it does: an argument may be missing, or it may not be a server'
        : 'correct what its last words name: often a missing argument, key or module',
    )
  if (kind === 'unsupported_protocol_version') return report.problem('speaks', message, versionsFix(selected))
  report.problem('starts', message, 'start it by hand and see what it says')
}

interface Lookup {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd?: string | undefined
}

/** Finds the file of a command, as the system does. Undefined if there is no executable file. */
async function programFile(command: string, { env, cwd = process.cwd() }: Lookup): Promise<string | undefined> {
  const named = isAbsolute(command) || /[\\/]/.test(command)
  const folders = named ? [''] : (variable(env, 'PATH') ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings =
    process.platform === 'win32' ? ['', ...(variable(env, 'PATHEXT') ?? '.EXE;.CMD;.BAT').split(';')] : ['']
  for (const folder of folders) {
    for (const ending of endings) {
      const file = named ? resolve(cwd, `${command}${ending}`) : join(folder, `${command}${ending}`)
      if (await isProgram(file)) return file
    }
  }
  return undefined
}

function variable(env: Lookup['env'], name: string): string | undefined {
  return Object.entries(env).find(([key]) => key.toUpperCase() === name)?.[1]
}

async function isProgram(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
