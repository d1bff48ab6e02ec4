/** What the doctor found, for people. */
import type { Paint } from '../paint.ts'
import { count, harmless, indent } from '../text.ts'
import type { Check, Status } from './check.ts'

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'warning', problem: 'problem' }

export function textOf(checks: readonly Check[], paint: Paint): string {
  const subjects = [...new Set(checks.map((check) => check.subject))]
  const blocks = subjects.flatMap((subject) => [
    paint.bold(harmless(subject)),
    ...checks.filter((check) => check.subject === subject).map((check) => line(check, paint)),
    '',
  ])
  return `${[...blocks, verdict(checks, paint)].join('\n')}\n`
}

function line({ check, status, detail, fix }: Check, paint: Paint): string {
  const colour = { ok: paint.green, warning: paint.yellow, problem: paint.red }[status]
  const [first = '', ...more] = harmless(detail).split('\n')
  const rest = more.length === 0 ? '' : `\n${indent(more.join('\n'), '           | ')}`
  return `  ${colour(MARKS[status].padEnd(7))}  ${check}: ${first}${rest}${fix === null ? '' : `\n           ${paint.cyan('→')} ${harmless(fix)}`}`
}

function verdict(checks: readonly Check[], paint: Paint): string {
  const [problems, warnings] = [numberOf(checks, 'problem'), numberOf(checks, 'warning')]
  if (problems > 0) return paint.red(`${count(problems, 'problem')}, ${count(warnings, 'warning')}`)
  return warnings > 0 ? paint.yellow(`no problems, ${count(warnings, 'warning')}`) : paint.green('all is well')
}

export function numberOf(checks: readonly Check[], status: Status): number {
  return checks.filter((check) => check.status === status).length
}
