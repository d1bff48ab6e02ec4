/** `parley inspect`: one server, or all of a configuration. */

import { type SharedOptions, withOptions } from '../arguments/options.ts'
import { type SelectedServer, type ServerSelection, selectServers } from '../arguments/selected-server.ts'
import { withStderrShown } from '../connection/connect.ts'
import { withHint } from '../connection/hints.ts'
import { EXIT, type ExitCode, failed, usageError } from '../failure.ts'
import { failureReport, printFailure } from '../failure-report.ts'
import { inParallel } from '../parallel.ts'
import { coloursFor } from '../terminal/colours.ts'
import { interruptible } from '../terminal/interrupt.ts'
import type { CommandContext } from '../terminal/io.ts'
import { columnsOf } from '../terminal/layout.ts'
import { oneLine } from '../terminal/text.ts'
import { inspection } from './inspection.ts'
import { textOf } from './report.ts'

export interface InspectOptions extends SharedOptions, ServerSelection {
  fast?: boolean
  all?: boolean
  first: number
}

const SERVERS_AT_ONCE = 3

export async function inspectCommand(given: InspectOptions, context: CommandContext): Promise<ExitCode> {
  const { io } = context
  const selectedServers = (await selectServers(given)).map((selected) =>
    withStderrShown(withOptions(selected, given), io, given.verbose),
  )
  if (selectedServers.length === 0) throw usageError(`There is no server in ${given.config}`)
  return await interruptible(io, (signal) => {
    const inspect = (selected: SelectedServer) => inspection(selected, context, { fast: given.fast === true, signal })
    return given.config === undefined
      ? inspectOne(selectedServers[0] as SelectedServer, inspect, given, context)
      : inspectAll(selectedServers, inspect, given, context)
  })
}

type Inspect = (selected: SelectedServer) => ReturnType<typeof inspection>

async function inspectOne(
  selected: SelectedServer,
  inspect: Inspect,
  given: InspectOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const inspected = await inspect(selected).catch((error: unknown) => {
    throw withHint(error, selected, given, context.program)
  })
  print(inspected, given, context)
  return listsWell(inspected) ? EXIT.ok : EXIT.failed
}

/** Whether every list of the server could be read. */
function listsWell({ tools, resources, templates, prompts }: Awaited<ReturnType<Inspect>>): boolean {
  return [tools, resources, templates, prompts].every(({ error }) => error === null)
}

/** A server that cannot be reached does not hide the others. */
async function inspectAll(
  selectedServers: readonly SelectedServer[],
  inspect: Inspect,
  given: InspectOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const { io } = context
  const found = await inParallel(selectedServers, SERVERS_AT_ONCE, async (selected) => {
    const settled = await inspect(selected).then(
      (inspected) => ({ inspected }),
      (error: unknown) => ({ error }),
    )
    return { name: selected.label, ...settled }
  })
  if (given.json === true) {
    const servers = found.map((each) => ({
      name: each.name,
      ok: 'inspected' in each && listsWell(each.inspected),
      ...('inspected' in each ? each.inspected : { error: failureReport(each.error) }),
    }))
    io.stdout.write(`${JSON.stringify({ servers }, null, 2)}\n`)
  }
  for (const each of given.json === true ? [] : found) {
    io.stdout.write(`${coloursFor(io.stdout, io.env).cyan(`── ${each.name}`)}\n`)
    if ('inspected' in each) print(each.inspected, given, context)
    else {
      io.stdout.write(`  not reached: ${oneLine(failureReport(each.error).message, 300)}\n\n`)
      printFailure(
        failed(failureReport(each.error).kind, `${each.name}: ${failureReport(each.error).message}`),
        io,
        false,
      )
    }
  }
  return found.every((each) => 'inspected' in each && listsWell(each.inspected)) ? EXIT.ok : EXIT.failed
}

function print(
  inspected: Awaited<ReturnType<Inspect>>,
  { json, first, all = false }: InspectOptions,
  { io }: CommandContext,
): void {
  io.stdout.write(
    json === true
      ? `${JSON.stringify(inspected, null, 2)}\n`
      : textOf(inspected, { colours: coloursFor(io.stdout, io.env), first, all, columns: columnsOf(io.stdout) }),
  )
}
