/** Prints reports of the doctor for people. */
import type { Colours } from '../../terminal/colours.ts'
import { count, printable } from '../../terminal/text.ts'
import type { Check, Status, SubjectReport } from './subject-report.ts'

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'warning', problem: 'problem' }

export function blockOf({ subject, checks }: SubjectReport, colours: Colours, unfinished = false): string {
  const rest = unfinished ? [`  ${colours.yellow('not finished')}`] : []
  return `${[colours.bold(printable(subject)), ...checks.map((check) => line(check, colours)), ...rest, ''].join('\n')}\n`
}

function line({ check, status, detail, fix }: Check, colours: Colours): string {
  const colour = { ok: colours.green, warning: colours.yellow, problem: colours.red }[status]
  const [first = '', ...more] = printable(detail).split('\n')
  const rest = more.map((each) => `\n           ${`| ${each}`.trimEnd()}`).join('')
  return `  ${colour(MARKS[status].padEnd(7))}  ${check}: ${first}${rest}${fix === null ? '' : `\n           ${colours.cyan('→')} ${printable(fix)}`}`
}

export function verdictOn(checks: readonly Check[], colours: Colours, unfinished = false): string {
  const [problems, warnings] = [numberOf(checks, 'problem'), numberOf(checks, 'warning')]
  if (problems > 0) return `${colours.red(`${count(problems, 'problem')}, ${count(warnings, 'warning')}`)}\n`
  if (unfinished) return `${colours.yellow('no problems so far, but not all is finished')}\n`
  return `${warnings > 0 ? colours.yellow(`no problems, ${count(warnings, 'warning')}`) : colours.green('all is well')}\n`
}

export function numberOf(checks: readonly Check[], status: Status): number {
  return checks.filter((check) => check.status === status).length
}
