/** Describes which session a client gets: with a server, or with the servers behind a gateway. */
import { isObject } from 'parley-mcp/engine'
import type { ConversationSharing } from '../../http/index.ts'

/** A server behind a gateway, as the gateway reports it. */
export interface GatewayServer {
  readonly server: string
  readonly withSession: ConversationSharing
  readonly withoutSession: ConversationSharing
}

interface SessionFacts {
  readonly era: string | undefined
  readonly transport: string
  readonly remembered: boolean
}

const TIMEOUT_MS = 2000

/** One line for people. */
export function conversationOf({ era, transport, remembered }: SessionFacts): string {
  if (era === 'stateless') return 'none: each request stands for itself'
  if (transport === 'stdio') return 'one process for each client, which keeps its state until it ends'
  if (transport !== 'http') return 'one for each connection'
  return remembered
    ? 'a session of its own for each client, by an id of the server'
    : 'none: the server gives no session id'
}

/** Texts for the words that the gateway uses. */
export const CONVERSATION_TEXTS: Readonly<Record<ConversationSharing, string>> = {
  session: 'one of its own',
  'local-user': 'the one of the local user, for all clients on this machine',
  principal: 'the one of its principal; without a principal, one for each request',
  shared: 'one that all clients share',
  request: 'one for each request: nothing is remembered',
  handle: 'the one whose handle it sends',
  none: 'none: requests are handed on',
}

/** The servers behind a gateway. Null if the address is not a gateway, or the gateway does not report them. */
export async function gatewayServers(
  url: string,
  signal: AbortSignal,
  get: typeof fetch = fetch,
): Promise<readonly GatewayServer[] | null> {
  try {
    const found = addressOf(url)
    if (found === undefined) return null
    const response = await get(found.readiness, {
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
      redirect: 'error',
    })
    const { servers } = (await response.json()) as { servers?: unknown }
    if (!isObject(servers)) return null
    const all = Object.entries(servers).flatMap(([server, state]) => gatewayServerIn(server, state))
    const meant = all.filter(({ server }) => found.server === undefined || found.server === server)
    return meant.length === 0 ? null : meant
  } catch {
    return null
  }
}

function gatewayServerIn(server: string, state: unknown): GatewayServer[] {
  const conversations = isObject(state) ? state['conversations'] : undefined
  if (!isObject(conversations)) return []
  const { withSession, withoutSession } = conversations
  return isConversationOwner(withSession) && isConversationOwner(withoutSession)
    ? [{ server, withSession, withoutSession }]
    : []
}

function isConversationOwner(value: unknown): value is ConversationSharing {
  return typeof value === 'string' && Object.hasOwn(CONVERSATION_TEXTS, value)
}

/** The URL where a gateway reports its servers, and the server that the address belongs to. */
function addressOf(url: string): { readonly readiness: URL; readonly server: string | undefined } | undefined {
  const { origin, protocol, pathname } = new URL(url)
  const path = /^(.*?)(?:\/servers\/([^/]+))?\/(?:mcp|sse|ws)$/.exec(pathname)
  if (path === null || !/^(?:http|ws)s?:$/.test(protocol)) return undefined
  return {
    readiness: new URL(`${path[1] ?? ''}/readyz`, origin.replace(/^ws/, 'http')),
    server: path[2] && decodeURIComponent(path[2]),
  }
}
