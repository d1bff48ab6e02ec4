/** The lists and resources whose changes a server reports. */
import type { SubscriptionFilter } from '../../protocol/index.ts'

export type ListKind = 'tools' | 'resources' | 'prompts'

export const listKinds: readonly ListKind[] = ['tools', 'resources', 'prompts']

export const RESOURCE_UPDATED = 'notifications/resources/updated'

export function listChanged(kind: ListKind): string {
  return `notifications/${kind}/list_changed`
}

export interface Subjects {
  readonly lists: ReadonlySet<ListKind>
  readonly uris: ReadonlySet<string>
}

export function isEmpty({ lists, uris }: Subjects): boolean {
  return lists.size === 0 && uris.size === 0
}

export function isSame(one: Subjects, other: Subjects): boolean {
  return sameMembers(one.lists, other.lists) && sameMembers(one.uris, other.uris)
}

function sameMembers(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  if (one.size !== other.size) return false
  for (const member of one) if (!other.has(member)) return false
  return true
}

/** The filter of `subscriptions/listen`. */
export function filterOf({ lists, uris }: Subjects): SubscriptionFilter {
  const filter: SubscriptionFilter = {}
  for (const kind of lists) filter[`${kind}ListChanged`] = true
  if (uris.size > 0) filter.resourceSubscriptions = [...uris]
  return filter
}

/** The part that the server accepted. Servers may answer with anything. */
export function acceptedOf({ lists, uris }: Subjects, acknowledged: unknown): Subjects {
  const filter = (acknowledged ?? {}) as { readonly [name: string]: unknown }
  const named = filter['resourceSubscriptions']
  const accepted = new Set<unknown>(Array.isArray(named) ? named : [])
  return {
    lists: new Set([...lists].filter((kind) => filter[`${kind}ListChanged`] === true)),
    uris: new Set([...uris].filter((uri) => accepted.has(uri))),
  }
}

/** Whether `uri` is a part of the resource `above`: servers may report only the part that changed. */
export function isBelow(uri: string, above: string): boolean {
  return uri.startsWith(above) && (above.endsWith('/') || /^[/?#]/.test(uri.slice(above.length)))
}
