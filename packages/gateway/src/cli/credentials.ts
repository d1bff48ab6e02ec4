/** What to do about a server that wants to know who asks. */
import type { RemoteTarget } from 'parley-mcp/client'
import type { Aim } from './target.ts'

export function hasHeaders({ headers }: RemoteTarget): boolean {
  return typeof headers === 'object' && Object.keys(headers).length > 0
}

export function credentialsHint({ target }: Aim): string {
  return hasHeaders(target as RemoteTarget)
    ? 'the credentials that were given are not taken: get new ones'
    : `give credentials: --header 'Authorization: Bearer …', or "headers" in the configuration`
}
