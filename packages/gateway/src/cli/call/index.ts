/** `parley call`: one call of one tool. */
import { type LogLevel, logLevels, ParleyError, type Tool } from 'parley-mcp'
import type { CallOutcome, Client, ElicitQuestion, ElicitReply, Progress } from 'parley-mcp/client'
import { milliseconds } from 'parley-mcp/engine'
import { advised } from '../advice.ts'
import { openPatiently, overheard, type Surroundings } from '../connecting.ts'
import { EXIT, type ExitCode, failed, usageError } from '../failure.ts'
import { GATEWAY } from '../gateway-name.ts'
import { interruptible } from '../interrupt.ts'
import { didYouMean } from '../nearest.ts'
import { adjusted, type SharedOptions } from '../options.ts'
import { type SlowNote, slowNote } from '../slow-note.ts'
import { aimOf } from '../target.ts'
import { bytes, count, oneLine } from '../text.ts'
import { Asker, type AskerOptions } from './asker.ts'
import { askingHint } from './asking-hint.ts'
import { demandFolder, printed, writeBinaries } from './content.ts'
import { type News, news } from './news.ts'
import { strangeArguments, typedArguments } from './typed.ts'

import { callWish, givenArguments } from './wish.ts'

export interface CallOptions extends SharedOptions, AskerOptions {
  words: readonly string[]
  command: readonly string[]
  arg?: readonly string[]
  out?: string
  log?: string
}

/** As the client has it unless told otherwise. */
const REQUEST_TIMEOUT = '60s'

export async function callCommand(given: CallOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { io } = surroundings
  const { url, tool, json } = callWish(given, surroundings.program)
  const level = levelIn(given.log)
  const stop = new AbortController()
  const asker = new Asker(io, given, (mistake) => stop.abort(mistake))
  const aim = overheard(adjusted(await aimOf({ ...given, url }), given), io, given.verbose)
  const written = await givenArguments(json, io.stdin)
  if (given.out !== undefined) await demandFolder(given.out)
  const heard = news(io, given.json === true)
  return await interruptible(io, async (signal) => {
    let note: SlowNote | undefined
    const elicit = (question: ElicitQuestion): Promise<ElicitReply> => {
      note?.stop()
      return asker.answer(question)
    }
    const client = await openPatiently(aim, surroundings, {
      ...(asker.canBeAsked && { elicit }),
      onLog: heard.log,
      signal,
    }).catch((error: unknown) => {
      throw advised(error, aim, given, surroundings.program)
    })
    try {
      if (level !== undefined && client.capabilities.logging !== undefined) await client.setLogLevel(level, { signal })
      const { inputSchema } = await toolCalled(tool, client, signal)
      const args = { ...written, ...typedArguments(given.arg ?? [], inputSchema) }
      note = slowNote(io, tool, milliseconds(aim.options.timeout ?? REQUEST_TIMEOUT))
      const outcome = await callIt(client, tool, args, {
        heard,
        note,
        signal: AbortSignal.any([signal, stop.signal]),
      }).catch((error: unknown) => {
        stop.signal.throwIfAborted()
        throw hinted(error, client, asker)
      })
      asker.noteUnused()
      return await finish(
        outcome,
        { tool, strange: strangeArguments(args, inputSchema), canBeAsked: asker.canBeAsked },
        client,
        given,
        surroundings,
      )
    } finally {
      note?.stop()
      asker.close()
      await client.close()
    }
  })
}

/** Servers of the stateless era refuse what they would have to ask for. */
function hinted(error: unknown, { version }: Client, { canBeAsked }: Asker): unknown {
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
      ? 'it offers no tools at all'
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

/** At a gateway a server that is down is missing with all of its tools, and so is one whose tools are all hidden. */
function absentServer(name: string, names: readonly string[], client: Client): string {
  const [server = '', rest] = name.split('__', 2)
  if (client.server.name !== GATEWAY || rest === undefined || names.some((each) => each.startsWith(`${server}__`)))
    return ''
  return `; nothing of a server ${JSON.stringify(server)} is there: it is down, which /readyz of the gateway tells, or its tools are hidden by the configuration`
}

interface Attention {
  readonly heard: News
  readonly note: SlowNote
  readonly signal: AbortSignal
}

function callIt(
  client: Client,
  tool: string,
  args: Record<string, unknown>,
  { heard, note, signal }: Attention,
): Promise<CallOutcome> {
  const onProgress = (progress: Progress): void => {
    note.stop()
    heard.progress(progress)
  }
  return client.call(tool, args, { throwOnError: false, signal, onProgress })
}

interface Called {
  readonly tool: string
  /** About arguments its schema does not know. */
  readonly strange: string | undefined
  readonly canBeAsked: boolean
}

async function finish(
  outcome: CallOutcome,
  { tool, strange, canBeAsked }: Called,
  client: Client,
  { json, out }: CallOptions,
  { io }: Surroundings,
): Promise<ExitCode> {
  const { content, structured = null, text, meta = null } = outcome
  if (outcome.isError) {
    const words = printed(outcome, true).trimEnd()
    const hint = askingHint(words, client.version, canBeAsked) ?? strange
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
