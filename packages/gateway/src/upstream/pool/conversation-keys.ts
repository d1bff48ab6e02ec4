/** The keys of kept conversations, and the handle by which a client names its own. */
import { type Body, HANDLE_KEY, type Inbound } from 'parley-mcp/engine'
import type { SessionPolicy } from '../../config/index.ts'
import type { ClientAbilities } from '../clients/client-abilities.ts'

/**
 * How long a handle must be that a client chooses itself, so that others cannot guess it. Such a handle is valid at
 * every server of the gateway.
 */
const MIN_CHOSEN_LENGTH = 64

export function isChosenByClient(handle: unknown): handle is string {
  return typeof handle === 'string' && handle.length >= MIN_CHOSEN_LENGTH && handle.length <= 4 * MIN_CHOSEN_LENGTH
}

/**
 * The parameters that a server gets. A handle is a secret of the client. Returns the same object when there is no
 * handle.
 */
export function withoutHandle(params: Body): Body {
  const meta = params['_meta'] as Body | undefined
  if (meta?.[HANDLE_KEY] === undefined) return params
  const { [HANDLE_KEY]: _, ...others } = meta
  const { _meta: _all, ...rest } = params
  return Object.keys(others).length === 0 ? rest : { ...rest, _meta: others }
}

export function handleIn({ params }: Inbound): unknown {
  return (params['_meta'] as Body | undefined)?.[HANDLE_KEY]
}

export function handleKey({ principal }: Inbound, handle: string, abilities: ClientAbilities): string {
  return conversationKey('handle', principal, handle, abilities.key)
}

export function principalKey({ principal }: Inbound, abilities: ClientAbilities): string {
  return conversationKey('principal', principal, abilities.key)
}

/** The other keys are JSON, or begin with another word. */
export function sharedKey({ key }: ClientAbilities): string {
  return `shared ${key}`
}

/** The key of the conversation in which clients that declare the same extensions read lists. */
export function listsKey({ declaration }: ClientAbilities): string {
  return `lists ${declaration.key}`
}

/** JSON: two keys are equal only when all their parts are equal. */
function conversationKey(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null))
}

/** Whether the policy gives the local user one conversation. */
export function isLocalPolicy(policy: SessionPolicy | undefined): boolean {
  return policy === undefined || policy === 'principal'
}
