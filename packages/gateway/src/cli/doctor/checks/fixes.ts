/** Advice that several checks give. */
import type { SelectedServer } from '../../arguments/selected-server.ts'

/** A longer timeout to try, in whole minutes. */
export function longerThan(ms: number, least = 1): string {
  return `${Math.max(least, Math.ceil(ms / 30_000))}m`
}

/** For a server that speaks no version in common with this program. */
export function versionsFix({ options }: SelectedServer): string {
  return options.versions === undefined
    ? 'it speaks a version this program does not know: update parley-gateway, or the server'
    : 'let it speak another version: remove "versions" from the configuration'
}
