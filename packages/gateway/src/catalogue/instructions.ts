/** Instructions of many servers as one text that is not too long to be read. */

export interface ServerInstructions {
  readonly name: string
  readonly text: string
}

/** Of the merged text, in UTF-8. */
const MAX_BYTES = 16 * 1024

/** One section per server. If the text is too long, the longest sections are cut, with a note. */
export function mergeInstructions(servers: readonly ServerInstructions[], maxBytes = MAX_BYTES): string {
  const spoken = servers.filter(({ text }) => text.trim() !== '').map(({ name, text }) => section(name, text.trim()))
  const whole = spoken.map(({ heading, text }) => heading + text).join(SEPARATOR)
  if (bytes(whole) <= maxBytes) return whole
  const frames = spoken.map(({ heading, note }) => bytes(heading) + bytes(note) + SEPARATOR.length)
  // A server is only counted if there is no room for its heading.
  let room = maxBytes - bytes(leftOutNote(servers.length))
  const shown = spoken.filter((_, at) => {
    const fits = (frames[at] as number) <= room
    if (fits) room -= frames[at] as number
    return fits
  })
  const share = fairShare(
    shown.map(({ text }) => bytes(text)),
    room,
  )
  const parts = shown.map(
    ({ heading, text, note }) => heading + (bytes(text) <= share ? text : cut(text, share) + note),
  )
  if (shown.length < spoken.length) parts.push(leftOutNote(spoken.length - shown.length))
  return parts.join(SEPARATOR)
}

const SEPARATOR = '\n\n'

function section(name: string, text: string): { heading: string; text: string; note: string } {
  return {
    heading: `## ${name}\n\n`,
    text,
    note: `\n[The instructions of ${name} go on; they were cut here for length.]`,
  }
}

function leftOutNote(count: number): string {
  return `[The instructions of ${count} more servers were left out for length.]`
}

/**
 * The largest length per text so that all texts fit into `room`. Short texts leave their rest to the longer ones.
 */
function fairShare(sizes: readonly number[], room: number): number {
  const ascending = [...sizes].sort((one, other) => one - other)
  let left = room
  for (const [at, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - at))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

function cut(text: string, size: number): string {
  const whole = Buffer.from(text, 'utf8')
  let end = Math.min(size, whole.length)
  // Not in the middle of a character.
  while (end > 0 && ((whole[end] ?? 0) & 0xc0) === 0x80) end--
  return whole.toString('utf8', 0, end).trimEnd()
}

function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}
