/** What a client can be told of by its server: lists and resources, as sets that can be compared. */
import type { SubscriptionFilter } from '../../protocol/index.ts'

export type ListKind = 'tools' | 'resources' | 'prompts'

export const listKinds: readonly ListKind[] = ['tools', 'resources', 'prompts']

export const RESOURCE_UPDATED = 'notifications/resources/updated'

export function listChanged(kind: ListKind): string {
  return `notifications/${kind}/list_changed`
}

export interface News {
  readonly lists: ReadonlySet<ListKind>
  readonly uris: ReadonlySet<string>
}

export function isEmpty({ lists, uris }: News): boolean {
  return lists.size === 0 && uris.size === 0
}

export function isSame(one: News, other: News): boolean {
  return sameMembers(one.lists, other.lists) && sameMembers(one.uris, other.uris)
}

function sameMembers(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false
  for (const member of one) if (!other.has(member)) return false
  return true
}

/** As `subscriptions/listen` asks for it. */
export function filterOf({ lists, uris }: News): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  for (const kind of lists) filter[`${kind}ListChanged`] = true
  if (uris.size > 0) filter.resourceSubscriptions = [...uris]
  return filter
}

/** What of it was agreed to; servers may answer with anything. */
export function grantedOf({ lists, uris }: News, acknowledged: unknown): News {
  const filter = (acknowledged ?? {}) as { readonly [name: string]: unknown }
  const named = filter['resourceSubscriptions']
  const agreed = new Set<unknown>(Array.isArray(named) ? named : [])
  return {
    lists: new Set([...lists].filter((kind) => filter[`${kind}ListChanged`] === true)),
    uris: new Set([...uris].filter((uri) => agreed.has(uri))),
  }
}

/** Servers may report a part of what was asked for. */
export function isBelow(uri: string, above: string): boolean {
  return uri.startsWith(above) && (above.endsWith('/') || /^[/?#]/.test(uri.slice(above.length)))
}
