/** What the doctor found, for people. */
import type { Paint } from '../paint.ts'
import { count, harmless } from '../text.ts'
import type { Check, Findings, Status } from './check.ts'

const MARKS: Readonly<Record<Status, string>> = { ok: 'ok', warning: 'warning', problem: 'problem' }

export function blockOf({ subject, checks }: Findings, paint: Paint, unfinished = false): string {
  const rest = unfinished ? [`  ${paint.yellow('not finished')}`] : []
  return `${[paint.bold(harmless(subject)), ...checks.map((check) => line(check, paint)), ...rest, ''].join('\n')}\n`
}

function line({ check, status, detail, fix }: Check, paint: Paint): string {
  const colour = { ok: paint.green, warning: paint.yellow, problem: paint.red }[status]
  const [first = '', ...more] = harmless(detail).split('\n')
  const rest = more.map((each) => `\n           ${`| ${each}`.trimEnd()}`).join('')
  return `  ${colour(MARKS[status].padEnd(7))}  ${check}: ${first}${rest}${fix === null ? '' : `\n           ${paint.cyan('→')} ${harmless(fix)}`}`
}

export function verdictOn(checks: readonly Check[], paint: Paint, unfinished = false): string {
  const [problems, warnings] = [numberOf(checks, 'problem'), numberOf(checks, 'warning')]
  if (problems > 0) return `${paint.red(`${count(problems, 'problem')}, ${count(warnings, 'warning')}`)}\n`
  if (unfinished) return `${paint.yellow('no problems so far, but not all is finished')}\n`
  return `${warnings > 0 ? paint.yellow(`no problems, ${count(warnings, 'warning')}`) : paint.green('all is well')}\n`
}

export function numberOf(checks: readonly Check[], status: Status): number {
  return checks.filter((check) => check.status === status).length
}
