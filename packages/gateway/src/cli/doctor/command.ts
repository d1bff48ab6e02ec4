/**
 * Whether a command starts a server that behaves: found, running, silent on standard output, ready in time, and gone
 * when it should be.
 */
import { existsSync } from 'node:fs'
import { ParleyError } from 'parley-mcp'
import type { Link } from 'parley-mcp/client'
import { isStrayLine, type LinkEvents, milliseconds, WrappedLink, wrappedEvents } from 'parley-mcp/engine'
import { type ChildLink, type ChildSpec, childLink } from 'parley-mcp/node'
import { openPatiently, type Surroundings } from '../connecting.ts'
import { type Aim, withTarget } from '../target.ts'
import { count, elapsed, oneLine } from '../text.ts'
import { within } from '../within.ts'
import type { Findings } from './check.ts'
import { conversationChecks } from './conversation.ts'
import { longerThan } from './longer.ts'
import { programFile } from './program-file.ts'
import { versionsFix } from './versions-fix.ts'

/** Longer than the whole way from a closed input to SIGKILL takes. */
const END_MS = 8000
/** How long a server has to end when its input is closed, before it is told to. */
const INPUT_END = '2s'

export async function commandChecks(
  findings: Findings,
  aim: Aim,
  surroundings: Surroundings,
  signal: AbortSignal,
): Promise<void> {
  const spec = aim.target as ChildSpec
  if (!(await isThere(findings, spec))) return
  const children: Heard[] = []
  const began = performance.now()
  try {
    const opening = async (): Promise<Link> => {
      const heard = new Heard(await childLink({ ...spec, shutdown: { inputEnd: INPUT_END } }))
      children.push(heard)
      return heard
    }
    const client = await openPatiently(withTarget(aim, opening), surroundings, { signal })
    try {
      await conversationChecks(findings, client, { connectedIn: performance.now() - began, signal })
    } finally {
      await client.close()
    }
    outputCheck(findings, children)
    await endCheck(findings, children)
  } catch (error) {
    signal.throwIfAborted()
    startFailure(findings, error, { aim, heard: children.at(-1), after: performance.now() - began })
  } finally {
    for (const { child } of children) child.close()
    await within(END_MS, Promise.all(children.map(({ child }) => child.gone)))
  }
}

async function isThere(
  findings: Findings,
  { command, args = [], cwd, env = {}, inheritEnv }: ChildSpec,
): Promise<boolean> {
  if (cwd !== undefined && !existsSync(cwd)) {
    findings.problem('command', `the working folder ${cwd} does not exist`, 'make it, or mend "cwd"')
    return false
  }
  // Without PATH of its own a child gets that of this process, whether or not it inherits the rest.
  const file = await programFile(command, { env: { ...process.env, ...env }, cwd })
  if (file === undefined) {
    const named = /[\\/]/.test(command)
    const fix = command.includes(' ')
      ? 'arguments belong in "args", not in "command"'
      : named
        ? 'check the path, and that the file may be executed'
        : 'install it, or give its full path'
    findings.problem(
      'command',
      `${JSON.stringify(command)} is ${named ? 'no file that can be run' : 'not found in PATH'}`,
      fix,
    )
    return false
  }
  findings.ok('command', file)
  const unattended = args.some((arg) => arg === '-y' || arg === '--yes' || arg === '--no-install')
  if (/(?:^|[\\/])npx(?:\.cmd)?$/.test(command) && !unattended)
    findings.warning(
      'unattended',
      'npx may ask before it installs, and nobody can answer',
      'add "-y" as the first argument',
    )
  if (inheritEnv === true) return true
  const empty = Object.entries(env).filter(([, value]) => value === '')
  if (empty.length > 0)
    findings.warning(
      'environment',
      `empty: ${empty.map(([name]) => name).join(', ')}`,
      'set them where the gateway is started, or leave them out',
    )
  return true
}

/** A child, and what it wrote to standard output that is no message. */
class Heard extends WrappedLink {
  readonly child: ChildLink
  junk = 0
  firstJunk: string | undefined

  constructor(child: ChildLink) {
    super(child)
    this.child = child
  }

  override open(events: LinkEvents): void {
    const frame: LinkEvents['frame'] = (text, ...rest) => {
      this.#look(text)
      events.frame(text, ...rest)
    }
    super.open(wrappedEvents(events, { frame }))
  }

  #look(text: string): void {
    const line = text.trim()
    if (!isStrayLine(line)) return
    this.junk++
    this.firstJunk ??= oneLine(line, 120)
  }
}

function outputCheck(findings: Findings, children: readonly Heard[]): void {
  const junk = children.reduce((sum, each) => sum + each.junk, 0)
  if (junk === 0) return findings.ok('output', 'only messages on standard output')
  const first = JSON.stringify(children.find((each) => each.firstJunk !== undefined)?.firstJunk)
  findings.warning(
    'output',
    `${count(junk, 'line')} on standard output that ${junk === 1 ? 'is no message' : 'are no messages'}, the first ${first}`,
    'the server must log to standard error: some clients stop at such a line',
  )
}

async function endCheck(findings: Findings, children: readonly Heard[]): Promise<void> {
  const began = performance.now()
  const exits = await within(END_MS, Promise.all(children.map(({ child }) => child.gone)))
  const took = elapsed(performance.now() - began)
  const told = exits === 'late' ? 'SIGKILL' : exits.find((exit) => exit.told !== null)?.told
  if (told === undefined || told === null) return findings.ok('ends', `by itself when its input was closed, in ${took}`)
  findings.warning(
    'ends',
    `not when its input was closed: it still ran ${INPUT_END} later and had to be ended by ${told}`,
    'the server should end at the end of its standard input: clients that only close it leave it running',
  )
}

interface Failure {
  readonly aim: Aim
  readonly heard: Heard | undefined
  /** In milliseconds. */
  readonly after: number
}

function startFailure(findings: Findings, error: unknown, { aim, heard, after }: Failure): void {
  const symptoms = heard?.child.symptoms()
  if (symptoms !== undefined && / echoes its input\b/.test(symptoms))
    return findings.problem('speaks', oneLine(symptoms, 500), 'give the command of a server')
  const message = oneLine((error as Error).message, 500)
  const words = heard?.child.stderr().trim() ?? ''
  const said =
    words === '' ? 'it wrote nothing to standard error' : `its last words:\n${words.split('\n').slice(-10).join('\n')}`
  const kind = error instanceof ParleyError ? error.kind : undefined
  if (heard !== undefined && heard.junk > 0) {
    findings.problem(
      'output',
      `it wrote what is no message: ${JSON.stringify(heard.firstJunk)}`,
      'is it an MCP server over standard input and output? Some need an argument such as "stdio", and all must log to standard error',
    )
  }
  if (kind === 'initialization_timeout') {
    return findings.problem(
      'speaks',
      `no answer within ${elapsed(after)}; ${said}`,
      `if it has to fetch something first, give it longer: --timeout ${longerThan(milliseconds(aim.options.initialiseTimeout ?? '20s'), 2)}; else start it by hand and see what it waits for`,
    )
  }
  if (kind === 'connection_closed')
    return findings.problem(
      'starts',
      `it ended after ${elapsed(after)}: ${message.split('; its last words')[0]}; ${said}`,
      words === ''
        ? 'start it by hand and see what it does: it may miss an argument, or be no server'
        : 'mend what its last words name: often a missing argument, key or module',
    )
  if (kind === 'unsupported_protocol_version') return findings.problem('speaks', message, versionsFix(aim))
  findings.problem('starts', message, 'start it by hand and see what it says')
}
