/** Which conversation a client has: with the server itself, or through a gateway with the servers behind it. */
import { isObject } from 'parley-mcp/engine'
import type { ConversationOwner } from '../../http/index.ts'

/** What a gateway tells of one of its servers. */
export interface GatewayServer {
  readonly server: string
  readonly withSession: ConversationOwner
  readonly withoutSession: ConversationOwner
}

interface SessionFacts {
  readonly era: string | undefined
  readonly transport: string
  readonly remembered: boolean
}

const TIMEOUT_MS = 2000

/** In one line, for people. */
export function conversationOf({ era, transport, remembered }: SessionFacts): string {
  if (era === 'stateless') return 'none: each request stands for itself'
  if (transport === 'stdio') return 'one process for each client, which keeps its state until it ends'
  if (transport !== 'http') return 'one for each connection'
  return remembered
    ? 'a session of its own for each client, by an id of the server'
    : 'none: the server gives no session id'
}

/** What a client gets, as the gateway calls it. */
export const CONVERSATION_TEXTS: Readonly<Record<ConversationOwner, string>> = {
  session: 'one of its own',
  'local-user': 'the one of the local user, for all clients on this machine',
  principal: 'the one of its principal; without a principal, one for each request',
  shared: 'one that all clients share',
  request: 'one for each request: nothing is remembered',
  handle: 'the one whose handle it sends',
  none: 'none: requests are handed on',
}

/** The servers behind an address of a gateway; nothing where it is not one, or does not tell. */
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

function isConversationOwner(value: unknown): value is ConversationOwner {
  return typeof value === 'string' && Object.hasOwn(CONVERSATION_TEXTS, value)
}

/** Where a gateway would tell of its servers, and which one of them is meant. */
function addressOf(url: string): { readonly readiness: URL; readonly server: string | undefined } | undefined {
  const { origin, protocol, pathname } = new URL(url)
  const path = /^(.*?)(?:\/servers\/([^/]+))?\/(?:mcp|sse|ws)$/.exec(pathname)
  if (path === null || !/^(?:http|ws)s?:$/.test(protocol)) return undefined
  return {
    readiness: new URL(`${path[1] ?? ''}/readyz`, origin.replace(/^ws/, 'http')),
    server: path[2] && decodeURIComponent(path[2]),
  }
}
