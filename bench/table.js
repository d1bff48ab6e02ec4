/** Markdown tables that are also readable in a terminal. */

/** The first column is text, the others are aligned to the right. */
export function table(head, rows) {
  const cells = [head, ...rows].map((row) => row.map(String))
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => row[column].length)))
  const line = (row) =>
    `| ${row.map((cell, column) => (column === 0 ? cell.padEnd(widths[column]) : cell.padStart(widths[column]))).join(' | ')} |`
  const rule = `| ${widths.map((width, column) => (column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`)).join(' | ')} |`
  return [line(cells[0]), rule, ...cells.slice(1).map(line)].join('\n')
}

/** Three significant digits, and no exponent. */
export function digits(value) {
  if (value >= 100) return Math.round(value).toLocaleString('en-GB')
  if (value >= 10) return value.toFixed(1)
  return value >= 1 ? value.toFixed(2) : value.toFixed(3)
}

export const counted = (value) => value.toLocaleString('en-GB')

export const microseconds = (value) => `${digits(value)} µs`
