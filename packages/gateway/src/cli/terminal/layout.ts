/** Text laid out for the width of a terminal. */

/** Where nobody knows how wide it is. */
const USUAL_COLUMNS = 80
/** Of a terminal; some say 0 where they do not know. */
export function columnsOf({ columns }: { readonly columns?: number | undefined }): number {
  return columns || USUAL_COLUMNS
}

/** A column narrower than this is no pleasure to read. */
const NARROWEST = 28
/** A longer name would take the room from what is said of all others. */
const WIDEST_NAME = 40

/** Broken at spaces; a word that is too long stays whole, so that it can be copied. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** The first line as it is, the others below it by so many spaces. */
export function hanging(text: string, { columns, by }: { readonly columns: number; readonly by: number }): string {
  return wrapped(text, columns - by).join(`\n${' '.repeat(by)}`)
}

/**
 * Rows of two columns, the first as wide as its widest entry that leaves room for the second. What has no room beside a
 * name stands below it.
 */
export function rows(entries: readonly (readonly [string, string])[], columns: number, by = '  '): string[] {
  const most = Math.min(WIDEST_NAME, columns - by.length - 2 - NARROWEST)
  const width = Math.max(0, ...entries.map(([name]) => name.length).filter((length) => length <= most))
  const start = by.length + width + 2
  return entries.map(([name, about]) => {
    const beside = `${by}${name.padEnd(width)}  ${about}`.trimEnd()
    // Beside a name that is wider than the column nothing would stand where the eye looks for it.
    if (beside.length <= columns && (name.length <= width || about === '')) return beside
    if (name.length <= width) return `${by}${name.padEnd(width)}  ${hanging(about, { columns, by: start })}`
    const below = by.length + 4
    return `${by}${hanging(name, { columns, by: below })}${about === '' ? '' : `\n${' '.repeat(below)}${hanging(about, { columns, by: below })}`}`
  })
}
