/** `parley inspect`: one server, or all of a configuration. */
import { advised } from '../advice.ts'
import { overheard, type Surroundings } from '../connecting.ts'
import { EXIT, type ExitCode, failed, usageError } from '../failure.ts'
import { reportOf, tell } from '../failure-report.ts'
import { interruptible } from '../interrupt.ts'
import { columnsOf } from '../layout.ts'
import { adjusted, type SharedOptions } from '../options.ts'
import { paint } from '../paint.ts'
import { inParallel } from '../parallel.ts'
import { type Aim, aimsOf, type Wish } from '../target.ts'
import { oneLine } from '../text.ts'
import { inspection } from './inspection.ts'
import { textOf } from './report.ts'

export interface InspectOptions extends SharedOptions, Wish {
  fast?: boolean
  all?: boolean
  first: number
}

const SERVERS_AT_ONCE = 3

export async function inspectCommand(given: InspectOptions, surroundings: Surroundings): Promise<ExitCode> {
  const { io } = surroundings
  const aims = (await aimsOf(given)).map((aim) => overheard(adjusted(aim, given), io, given.verbose))
  if (aims.length === 0) throw usageError(`There is no server in ${given.config}`)
  return await interruptible(io, (signal) => {
    const look = (aim: Aim) => inspection(aim, surroundings, { fast: given.fast === true, signal })
    return given.config === undefined
      ? inspectOne(aims[0] as Aim, look, given, surroundings)
      : inspectAll(aims, look, given, surroundings)
  })
}

type Look = (aim: Aim) => ReturnType<typeof inspection>

async function inspectOne(aim: Aim, look: Look, given: InspectOptions, surroundings: Surroundings): Promise<ExitCode> {
  const inspected = await look(aim).catch((error: unknown) => {
    throw advised(error, aim, given, surroundings.program)
  })
  print(inspected, given, surroundings)
  return listsWell(inspected) ? EXIT.ok : EXIT.failed
}

/** Whether every list that the server offers could be had. */
function listsWell({ tools, resources, templates, prompts }: Awaited<ReturnType<Look>>): boolean {
  return [tools, resources, templates, prompts].every(({ error }) => error === null)
}

/** A server that cannot be reached does not hide the others. */
async function inspectAll(
  aims: readonly Aim[],
  look: Look,
  given: InspectOptions,
  surroundings: Surroundings,
): Promise<ExitCode> {
  const { io } = surroundings
  const found = await inParallel(aims, SERVERS_AT_ONCE, async (aim) => {
    const settled = await look(aim).then(
      (inspected) => ({ inspected }),
      (error: unknown) => ({ error }),
    )
    return { name: aim.label, ...settled }
  })
  if (given.json === true) {
    const servers = found.map((each) => ({
      name: each.name,
      ok: 'inspected' in each && listsWell(each.inspected),
      ...('inspected' in each ? each.inspected : { error: reportOf(each.error) }),
    }))
    io.stdout.write(`${JSON.stringify({ servers }, null, 2)}\n`)
  }
  for (const each of given.json === true ? [] : found) {
    io.stdout.write(`${paint(io.stdout, io.env).cyan(`── ${each.name}`)}\n`)
    if ('inspected' in each) print(each.inspected, given, surroundings)
    else {
      io.stdout.write(`  not reached: ${oneLine(reportOf(each.error).message, 300)}\n\n`)
      tell(failed(reportOf(each.error).kind, `${each.name}: ${reportOf(each.error).message}`), io, false)
    }
  }
  return found.every((each) => 'inspected' in each && listsWell(each.inspected)) ? EXIT.ok : EXIT.failed
}

function print(
  inspected: Awaited<ReturnType<Look>>,
  { json, first, all = false }: InspectOptions,
  { io }: Surroundings,
): void {
  io.stdout.write(
    json === true
      ? `${JSON.stringify(inspected, null, 2)}\n`
      : textOf(inspected, { paint: paint(io.stdout, io.env), first, all, columns: columnsOf(io.stdout) }),
  )
}
