/** Text laid out for the width of a terminal. */

/** Where nobody knows how wide it is. */
export const USUAL_COLUMNS = 80
/** A column narrower than this is no pleasure to read. */
const NARROWEST = 28
const WIDEST_NAME = 48

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

/** Rows of two columns, the first as wide as its widest entry, within reason. What has no room beside a name stands below it. */
export function rows(entries: readonly (readonly [string, string])[], columns: number, by = '  '): string[] {
  const widest = Math.max(0, ...entries.map(([name]) => name.length))
  const width = Math.min(WIDEST_NAME, widest, columns - by.length - 2 - NARROWEST)
  const start = by.length + width + 2
  return entries.map(([name, about]) => {
    const beside = `${by}${name.padEnd(width)}  ${about}`.trimEnd()
    if (beside.length <= columns) return beside
    if (name.length <= width) return `${by}${name.padEnd(width)}  ${hanging(about, { columns, by: start })}`
    const below = by.length + 4
    return `${by}${hanging(name, { columns, by: below })}${about === '' ? '' : `\n${' '.repeat(below)}${hanging(about, { columns, by: below })}`}`
  })
}
