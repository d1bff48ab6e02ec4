/** Servers side by side in one scenario: how many answers a second, and how much work each takes. */
import { digits, microseconds, table } from './table.js'

export function scenarioTable({ title, bytes, results }) {
  const rows = Object.entries(results).map(([name, { us, low, high, work }]) => [
    name,
    digits(1e6 / us),
    `${digits(1e6 / high)} – ${digits(1e6 / low)}`,
    digits(results.floor.us / us),
    microseconds(work),
    digits(results.floor.work / work),
    bytes[name] ?? '',
  ])
  return `### ${title}\n\n${table(['server', 'per second', 'range', 'share of the floor', 'work of the server', 'its share', 'bytes'], rows)}`
}
