/** Rows as lines, each column as wide as its longest cell. The first row is the heading. */
export function inColumns(rows) {
  const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)))
  const line = (row) => row.map((cell, column) => cell.padEnd(widths[column])).join('  ')
  return rows.map((row) => line(row).trimEnd())
}
