/** Colours for a terminal whose user has not turned them off. */
import type { CliIo, Writer } from './io.ts'

const CODES = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39], cyan: [36, 39] } as const

export type Colour = keyof typeof CODES

export type Colours = Readonly<Record<Colour, (text: string) => string>>

export function coloursFor(writer: Writer, env: CliIo['env']): Colours {
  const coloured = writer.isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb'
  const entries = Object.entries(CODES).map(([name, [on, off]]) => [
    name,
    (text: string) => (coloured ? `\u001b[${on}m${text}\u001b[${off}m` : text),
  ])
  return Object.fromEntries(entries) as Colours
}
