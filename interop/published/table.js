/** Shows what clients see of published servers through Parley, beside what they see without it. */
import { inColumns } from '../columns.js'
import { CLIENTS } from './clients.js'
import { RULES } from './rules.js'

const WAYS = ['own', 'all', 'bridge']
const SHOWN = 110

/** `ok`, `ok+N` with N differences that a rule explains, or `FAIL`. */
function cellOf({ ways }, client, way) {
  const { unexplained, rules } = ways.find((each) => each.client === client && each.way === way)
  if (unexplained.length > 0) return 'FAIL'
  return rules.length === 0 ? 'ok' : `ok+${rules.length}`
}

export function tableOf(results) {
  const columns = CLIENTS.flatMap(({ title }) => WAYS.map((way) => ({ title, way })))
  const rows = results.map((result) => [
    `${result.server.name}@${result.server.version}`,
    String(result.tools),
    String(result.calls),
    ...columns.map(({ title, way }) => cellOf(result, title, way)),
  ])
  const head = ['server', 'tools', 'calls', ...columns.map(({ title, way }) => `${title.replace('SDK ', '')} ${way}`)]
  return inColumns([head, ...rows])
}

const short = (value) => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
}

/** Undocumented differences, the rules of the others, and what was not tried. `left`: programs that did not end. */
export function notesOn(results, absent, left) {
  const failures = results.flatMap(({ server, ways }) =>
    ways.flatMap(({ client, way, unexplained }) =>
      unexplained.map(
        ({ path, direct, seen }) =>
          `FAIL  ${server.name}, ${client} ${way}, ${path}: ${short(direct)} directly, ${short(seen)} through Parley`,
      ),
    ),
  )
  const used = results.flatMap(({ ways }) => ways.flatMap(({ rules }) => rules))
  const rules = RULES.map((rule) => ({ ...rule, count: used.filter((id) => id === rule.id).length })).filter(
    ({ count }) => count > 0,
  )
  return [
    ...failures,
    ...left.parley.map((line) => `FAIL  left running by Parley: ${line}`),
    ...left.direct.map((line) => `note  left running by a direct client: ${line}`),
    ...rules.map(({ id, count, what, link }) => `rule  ${id}, ${count} times: ${what} (${link})`),
    ...absent.map(({ server, notTried }) => `not tried  ${server.name}@${server.version}: ${notTried}`),
  ]
}

export function summaryOf(results, absent, left) {
  const ways = results.flatMap((result) => result.ways)
  const total = (count) => ways.reduce((sum, way) => sum + count(way), 0)
  const tools = results.reduce((sum, result) => sum + result.tools, 0)
  const calls = results.reduce((sum, result) => sum + result.calls, 0)
  const [compared, ruled] = [total((way) => way.compared), total(({ rules }) => rules.length)]
  const unexplained = total((way) => way.unexplained.length)
  return (
    `${results.length} servers with ${tools} tools, ${calls} calls in ${ways.length} meetings: ${compared} values compared, ` +
    `${ruled} differ by a rule, ${unexplained} without; ` +
    `${left.parley.length} processes left over; ${absent.length} servers not tried`
  )
}
