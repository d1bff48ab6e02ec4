/** Makes text of other programs safe for a terminal: no control characters, no extra lines. */

/**
 * Terminals obey these: control characters except tab and line break, other line ends, and characters that change the
 * direction of writing.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression finds them
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/g

export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(CONTROL_CHARACTERS, '\ufffd')
}

/** The first line that is not empty, cut to a length. */
export function oneLine(text: string | undefined, width = 100): string {
  const line = printable(text ?? '')
    .split('\n')
    .map((each) => each.trim())
    .find((each) => each !== '')
  return cut(line ?? '', width)
}

export function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, Math.max(0, width - 1))}…` : text
}

export function indent(text: string, by = '  '): string {
  return text
    .split('\n')
    .map((line) => (line === '' ? line : `${by}${line}`))
    .join('\n')
}

/** `1 tool`, `2 tools`. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const

export function bytes(size: number): string {
  let [value, unit] = [size, 0]
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`
}

export function elapsed(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
