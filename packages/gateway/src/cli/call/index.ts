/** `parley call`: one call of one tool. */
import {
  type LogLevel,
  type LogMessageParams,
  logLevels,
  methodIn,
  ParleyError,
  type ProtocolVersion,
  supports,
  type Tool,
  versions,
} from 'parley-mcp'
import type { CallOutcome, Client, ElicitQuestion, ElicitReply, Progress } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { gatewayInfo } from '../../config/index.ts'
import { type SharedOptions, withOptions } from '../arguments/options.ts'
import { selectServer } from '../arguments/selected-server.ts'
import { didYouMean } from '../arguments/similar-names.ts'
import { openClientWithNote, withStderrShown } from '../connection/connect.ts'
import { withHint } from '../connection/hints.ts'
import { EXIT, type ExitCode, failed, usageError } from '../failure.ts'
import { coloursFor } from '../terminal/colours.ts'
import { interruptible } from '../terminal/interrupt.ts'
import type { CliIo, CommandContext } from '../terminal/io.ts'
import { bytes, count, oneLine } from '../terminal/text.ts'
import { type WaitingNote, waitingNote } from '../terminal/waiting-note.ts'
import { toolCall, writtenArguments } from './call-arguments.ts'
import { demandFolder, printed, writeBinaries } from './content.ts'
import { type AnswerOptions, QuestionAnswerer } from './question-answerer.ts'
import { typedArguments, unknownArgument } from './typed-arguments.ts'

export interface CallOptions extends SharedOptions, AnswerOptions {
  words: readonly string[]
  command: readonly string[]
  arg?: readonly string[]
  out?: string
  log?: string
}

/** The default of the client. */
const REQUEST_TIMEOUT = '60s'

export async function callCommand(given: CallOptions, context: CommandContext): Promise<ExitCode> {
  const { io } = context
  const { url, tool, json } = toolCall(given, context.program)
  const level = levelIn(given.log)
  const stop = new AbortController()
  const answerer = new QuestionAnswerer(io, given, (mistake) => stop.abort(mistake))
  const selected = withStderrShown(withOptions(await selectServer({ ...given, url }), given), io, given.verbose)
  const written = await writtenArguments(json, io.stdin)
  if (given.out !== undefined) await demandFolder(given.out)
  const output = callOutput(io, given.json === true)
  return await interruptible(io, async (signal) => {
    let note: WaitingNote | undefined
    const elicit = (question: ElicitQuestion): Promise<ElicitReply> => {
      note?.stop()
      return answerer.answer(question)
    }
    const client = await openClientWithNote(selected, context, {
      ...(answerer.canBeAsked && { elicit }),
      onLog: output.log,
      signal,
    }).catch((error: unknown) => {
      throw withHint(error, selected, given, context.program)
    })
    try {
      if (level !== undefined && client.capabilities.logging !== undefined) await client.setLogLevel(level, { signal })
      const { inputSchema } = await toolCalled(tool, client, signal)
      const args = { ...written, ...typedArguments(given.arg ?? [], inputSchema) }
      note = waitingNote(io, tool, milliseconds(selected.options.timeout ?? REQUEST_TIMEOUT))
      const outcome = await sendCall(client, tool, args, {
        output,
        note,
        signal: AbortSignal.any([signal, stop.signal]),
      }).catch((error: unknown) => {
        stop.signal.throwIfAborted()
        throw hinted(error, client, answerer)
      })
      answerer.noteUnused()
      return await finish(
        outcome,
        { tool, unknown: unknownArgument(args, inputSchema), canBeAsked: answerer.canBeAsked },
        client,
        given,
        context,
      )
    } finally {
      note?.stop()
      answerer.close()
      await client.close()
    }
  })
}

/** A server of the stateless era refuses a call if it cannot ask the client. */
function hinted(error: unknown, { version }: Client, { canBeAsked }: QuestionAnswerer): unknown {
  if (!(error instanceof ParleyError)) return error
  const { kind, message, data } = error
  const hint = askingHint(message, version, canBeAsked)
  return hint === undefined ? error : failed(kind, message, { hint, data, cause: error })
}

function levelIn(text: string | undefined): LogLevel | undefined {
  const level = logLevels.find((each) => each === text)
  if (text !== undefined && level === undefined)
    throw usageError(
      `There is no log level ${JSON.stringify(text)}${didYouMean(text, logLevels)}`,
      `there are ${logLevels.join(', ')}`,
    )
  return level
}

async function toolCalled(name: string, client: Client, signal: AbortSignal): Promise<Tool> {
  const tools = client.capabilities.tools === undefined ? [] : await client.tools({ signal })
  const found = tools.find((tool) => tool.name === name)
  if (found !== undefined) return found
  const names = tools.map((tool) => tool.name)
  const few = names
    .slice(0, 20)
    .map((each) => oneLine(each))
    .join(', ')
  const listed =
    names.length === 0
      ? 'it offers no tools'
      : `it has ${count(names.length, 'tool')}: ${few}${names.length > 20 ? ', …' : ''}`
  throw failed(
    'tool_not_found',
    `${oneLine(client.server.name)} has no tool ${JSON.stringify(name)}${didYouMean(name, names)}`,
    {
      hint: `${listed}${absentServer(name, names, client)}`,
      data: { tool: name, tools: names },
    },
  )
}

/** A gateway lists no tools of a server that is down, or whose tools are all hidden. */
function absentServer(name: string, names: readonly string[], client: Client): string {
  const [server = '', rest] = name.split('__', 2)
  if (
    client.server.name !== gatewayInfo.name ||
    rest === undefined ||
    names.some((each) => each.startsWith(`${server}__`))
  )
    return ''
  return `; there are no tools of a server ${JSON.stringify(server)}: it is down (see /readyz of the gateway), or the configuration hides its tools`
}

interface RunningCall {
  readonly output: CallOutput
  readonly note: WaitingNote
  readonly signal: AbortSignal
}

function sendCall(
  client: Client,
  tool: string,
  args: Record<string, unknown>,
  { output, note, signal }: RunningCall,
): Promise<CallOutcome> {
  const onProgress = (progress: Progress): void => {
    note.stop()
    output.progress(progress)
  }
  return client.call(tool, args, { throwOnError: false, signal, onProgress })
}

interface CallOutcomeContext {
  readonly tool: string
  /** A hint about an argument that the schema does not name. */
  readonly unknown: string | undefined
  readonly canBeAsked: boolean
}

async function finish(
  outcome: CallOutcome,
  { tool, unknown, canBeAsked }: CallOutcomeContext,
  client: Client,
  { json, out }: CallOptions,
  { io }: CommandContext,
): Promise<ExitCode> {
  const { content, structured = null, text, meta = null } = outcome
  if (outcome.isError) {
    const words = printed(outcome, true).trimEnd()
    const hint = askingHint(words, client.version, canBeAsked) ?? unknown
    throw failed('tool_error', json === true ? text : words || 'The tool failed without saying why', {
      ...(hint === undefined ? {} : { hint }),
      data: { tool, content, structured },
    })
  }
  const files = out === undefined ? [] : await writeBinaries(outcome, out)
  if (json === true) {
    io.stdout.write(
      `${JSON.stringify({ tool, version: client.version, content, structured, text, meta, losses: client.losses(), files }, null, 2)}\n`,
    )
    return EXIT.ok
  }
  io.stdout.write(printed(outcome, io.stdout.isTTY === true))
  for (const { file, size } of files) io.stderr.write(`wrote ${file} (${bytes(size)})\n`)
  return EXIT.ok
}

/** Capabilities for questions, and the versions that have them. */
const NEEDS: Readonly<Record<string, (version: ProtocolVersion) => boolean>> = {
  'elicitation.form': (version) => methodIn(version, 'elicitation/create') !== undefined,
  'elicitation.url': (version) => supports(version, 'elicitation-url'),
}

/** `words`: the error message of the call. */
function askingHint(words: string, version: ProtocolVersion, canBeAsked: boolean): string | undefined {
  const [, capability = ''] = /client capability "([a-z.]+)"/.exec(words) ?? []
  const has = Object.hasOwn(NEEDS, capability) ? NEEDS[capability] : undefined
  if (has === undefined) return undefined
  if (!has(version)) return `--version ${versions.find(has)} or later can be asked`
  return canBeAsked
    ? undefined
    : 'the server asks a question: answer with --answer key=value, or at a terminal without --decline'
}

interface CallOutput {
  progress(progress: Progress): void
  log(message: LogMessageParams): void
}

function callOutput(io: CliIo, json: boolean): CallOutput {
  const { dim } = coloursFor(io.stderr, io.env)
  const tell = (data: object, text: string): void =>
    void io.stderr.write(json ? `${JSON.stringify(data)}\n` : `${dim(text)}\n`)
  return {
    progress: (progress) => {
      const { progress: done, total, message } = progress
      tell(
        { progress },
        `${done}${total === undefined ? '' : `/${total}`}${message === undefined ? '' : ` ${oneLine(message, 200)}`}`,
      )
    },
    log: (log) => {
      const { level, logger, data } = log
      tell(
        { log },
        `[${level}]${logger === undefined ? '' : ` ${oneLine(logger, 60)}:`} ${oneLine(typeof data === 'string' ? data : JSON.stringify(data), 1000)}`,
      )
    },
  }
}
