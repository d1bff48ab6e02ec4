/** Durations as people write them: `1500`, `'30s'`, `'2m'`. */

export type Duration = number | `${number}ms` | `${number}s` | `${number}m` | `${number}h`

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** Milliseconds; throws a `RangeError` that shows the accepted forms. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === 'number' && duration >= 0) return duration
  const match = typeof duration === 'string' ? /^(\d{1,12}(?:\.\d{1,6})?)(ms|s|m|h)$/.exec(duration) : null
  if (match === null)
    throw new RangeError(
      `Not a duration: ${JSON.stringify(duration)}; write milliseconds, or '500ms', '30s', '2m', '1h'`,
    )
  return Number(match[1]) * (UNITS[match[2] as string] as number)
}
