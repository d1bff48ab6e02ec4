/** A time to try when one of so many milliseconds was too short, in whole minutes and always longer. */
export function longerThan(ms: number, least = 1): string {
  return `${Math.max(least, Math.ceil(ms / 30_000))}m`
}
