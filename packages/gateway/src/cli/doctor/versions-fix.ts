/** What to do about a server that speaks no version in common with this program. */
import type { Aim } from '../target.ts'

export function versionsFix({ options }: Aim): string {
  return options.versions === undefined
    ? 'it speaks a version this program does not know: update parley-gateway, or the server'
    : 'let it speak another version: remove "versions" from the configuration'
}
