/** Under which key a conversation with a server is kept, and the handle by which a client names its own. */
import { type Body, HANDLE_KEY, type Inbound } from 'parley-mcp/engine'
import type { SessionPolicy } from '../../config/index.ts'
import type { ClientAbilities } from '../clients/client-abilities.ts'

/** A client may choose a handle itself if it cannot be guessed; it is then the same at every server of the gateway. */
const CHOSEN_LENGTH = 64

export function isChosenByClient(handle: unknown): handle is string {
  return typeof handle === 'string' && handle.length >= CHOSEN_LENGTH && handle.length <= 4 * CHOSEN_LENGTH
}

/**
 * As servers are sent them: a handle opens the conversation it is of to whoever has it. The same object where there is
 * none.
 */
export function withoutHandle(params: Body): Body {
  const meta = params['_meta'] as Body | undefined
  if (meta?.[HANDLE_KEY] === undefined) return params
  const { [HANDLE_KEY]: _, ...kept } = meta
  const { _meta: _all, ...rest } = params
  return Object.keys(kept).length === 0 ? rest : { ...rest, _meta: kept }
}

export function handleIn({ params }: Inbound): unknown {
  return (params['_meta'] as Body | undefined)?.[HANDLE_KEY]
}

export function handleKey({ principal }: Inbound, handle: string, abilities: ClientAbilities): string {
  return keyOf('handle', principal, handle, abilities.key)
}

export function principalKey({ principal }: Inbound, abilities: ClientAbilities): string {
  return keyOf('principal', principal, abilities.key)
}

/** None of the others begins like that: they are JSON, or begin with another word. */
export function sharedKey({ key }: ClientAbilities): string {
  return `shared ${key}`
}

/** Of the conversation in which lists are read for all clients that declare the same. */
export function listsKey({ declaration }: ClientAbilities): string {
  return `lists ${declaration.key}`
}

/** Whatever the parts say, two keys are only equal when all of them are. */
function keyOf(...parts: readonly (string | undefined)[]): string {
  return JSON.stringify(parts.map((part) => part ?? null))
}

/** Policies that give the local user one conversation; the others name something else. */
export function isLocalPolicy(policy: SessionPolicy | undefined): boolean {
  return policy === undefined || policy === 'principal'
}
