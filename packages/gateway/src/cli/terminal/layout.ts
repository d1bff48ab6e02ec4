/** Text laid out for the width of a terminal. */

/** For output without a known width. */
const USUAL_COLUMNS = 80
/** The width of a terminal. Some report 0 if they do not know it. */
export function columnsOf({ columns }: { readonly columns?: number | undefined }): number {
  return columns || USUAL_COLUMNS
}

/** A narrower column is hard to read. */
const NARROWEST = 28
/** A longer name would leave too little room for the second column. */
const WIDEST_NAME = 40

/** Breaks lines at spaces. A word that is too long stays whole, so that it can be copied. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** Indents all lines except the first. */
export function hanging(text: string, { columns, by }: { readonly columns: number; readonly by: number }): string {
  return wrapped(text, columns - by).join(`\n${' '.repeat(by)}`)
}

/**
 * Rows of two columns. The first is as wide as its widest entry that leaves room for the second. A text without room
 * beside its name goes below it.
 */
export function rows(entries: readonly (readonly [string, string])[], columns: number, by = '  '): string[] {
  const most = Math.min(WIDEST_NAME, columns - by.length - 2 - NARROWEST)
  const width = Math.max(0, ...entries.map(([name]) => name.length).filter((length) => length <= most))
  const start = by.length + width + 2
  return entries.map(([name, about]) => {
    const beside = `${by}${name.padEnd(width)}  ${about}`.trimEnd()
    // Beside a name that is wider than the column, the text would not be aligned.
    if (beside.length <= columns && (name.length <= width || about === '')) return beside
    if (name.length <= width) return `${by}${name.padEnd(width)}  ${hanging(about, { columns, by: start })}`
    const below = by.length + 4
    return `${by}${hanging(name, { columns, by: below })}${about === '' ? '' : `\n${' '.repeat(below)}${hanging(about, { columns, by: below })}`}`
  })
}
