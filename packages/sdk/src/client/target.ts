/** What a client can connect to, and how to get there: once, or as often as needed. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { Acceptor } from '../session/index.ts'
import { type HttpHeaders, type HttpLinkOptions, memoryPair, openHttp, webSocketTo } from '../transport/index.ts'
import { LocalTools } from './calls/local-tools.ts'
import type { ConnectOptions } from './options.ts'

/** Opens a new link each time it is called. */
export type LinkOpener = () => Link | Promise<Link>

/** A server by its address, with what has to be said to reach it. */
export interface RemoteTarget extends Pick<HttpLinkOptions, 'headers' | 'authorize' | 'fetch' | 'listen'> {
  url: string | URL
  /**
   * Default `auto`: what the address says; behind `http` and `https` Streamable HTTP, and HTTP+SSE where that is
   * refused.
   */
  transport?: RemoteTransport
}

export type RemoteTransport = 'auto' | 'streamable-http' | 'sse' | 'websocket' | 'tcp'

export type Target = Acceptor | Link | LinkOpener | string | URL | RemoteTarget

/** What the link itself may need of the settings of the connection. */
export type LinkSettings = Pick<ConnectOptions, 'clock' | 'random' | 'limits'> & Pick<HttpLinkOptions, 'call'>

export interface Way {
  readonly open: LinkOpener
  /** Whether it can be gone more than once. */
  readonly repeatable: boolean
  /**
   * Whether a lost connection is made again unless the caller says otherwise: somebody else's process may well come
   * back.
   */
  readonly comesBack: boolean
  /** Only for a server in this process. */
  readonly local?: LocalTools
  /** Origin and path of an HTTP server: what is found out about it holds for everybody in this process. */
  readonly address?: string
}

export function wayTo(target: Target, settings: LinkSettings): Way {
  if (typeof target === 'function') return { open: target, repeatable: true, comesBack: true, ...addressOf(target) }
  if (isLink(target)) return { open: () => target, repeatable: false, comesBack: false }
  if (isAcceptor(target)) return wayToValue(target)
  const open = isRemote(target) ? openerFor(target, settings, openings) : undefined
  if (open === undefined) throw noWayTo(target, TAKEN)
  return { open, repeatable: true, comesBack: true, ...addressOf(open) }
}

const addresses = new WeakMap<LinkOpener, string>()

function addressOf(open: LinkOpener): { address?: string } {
  const address = addresses.get(open)
  return address === undefined ? {} : { address }
}

function wayToValue(server: Acceptor): Way {
  const local = new LocalTools(server)
  const open = (): Link => {
    const [near, far] = memoryPair()
    server.accept(far, { onToolError: local.note })
    return near
  }
  return { open, repeatable: true, comesBack: false, local }
}

export type Opening = (url: URL, target: Omit<RemoteTarget, 'url'>, settings: LinkSettings) => Link | Promise<Link>

/** How to open links, by the scheme of an address: one table for each runtime. */
export type Openings = Readonly<Record<string, Opening>>

/** Only what fetch and WebSocket can do, which every runtime has. */
const openings: Openings = {
  'http:': (url, target, settings) => openHttp(url, httpOptions(target, settings)),
  'ws:': async (url, { headers }, settings) => webSocketTo(url, await webSocketOptions(headers, settings)),
}

export function httpOptions(
  { transport, ...target }: Omit<RemoteTarget, 'url'>,
  { clock, random, call }: LinkSettings,
): Parameters<typeof openHttp>[1] {
  const known = transport === 'streamable-http' || transport === 'sse' ? { transport } : {}
  return { ...target, ...known, ...(clock && { clock }), ...(random && { random }), ...(call && { call }) }
}

/**
 * The handshake of a WebSocket is made once, so headers are asked for once. Messages up to twice the limit fail alone;
 * longer ones end the connection.
 */
export async function webSocketOptions(
  headers: RemoteTarget['headers'],
  { limits }: LinkSettings,
): Promise<{ headers?: HttpHeaders; maxMessage?: number }> {
  const given = typeof headers === 'function' ? await headers() : headers
  const { maxBytes } = limits ?? {}
  return { ...(given !== undefined && { headers: given }), ...(maxBytes !== undefined && { maxMessage: maxBytes * 2 }) }
}

const SECURE: Readonly<Record<string, string>> = { 'https:': 'http:', 'wss:': 'ws:' }
/** Schemes a transport can be named for, and the one it has itself. */
const NAMED: Readonly<Partial<Record<RemoteTransport, { readonly over: readonly string[]; readonly scheme: string }>>> =
  {
    'streamable-http': { over: ['http:'], scheme: 'http:' },
    sse: { over: ['http:'], scheme: 'http:' },
    websocket: { over: ['ws:', 'http:'], scheme: 'ws:' },
    tcp: { over: ['tcp:'], scheme: 'tcp:' },
  }

/** Undefined when there is no way to such an address. */
export function openerFor(
  given: string | URL | RemoteTarget,
  settings: LinkSettings,
  available: Openings,
): LinkOpener | undefined {
  const address = addressIn(given)
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  const { url: _, ...target } = isAddress(given) ? { url: given } : given
  const scheme = SECURE[url.protocol] ?? url.protocol
  const { over, scheme: own } = NAMED[target.transport ?? 'auto'] ?? { over: [scheme], scheme }
  const opening = available[own]
  if (opening === undefined || !over.includes(scheme)) return undefined
  if (own !== scheme) url.protocol = url.protocol === 'https:' ? 'wss:' : own
  const open: LinkOpener = () => opening(new URL(url), target, settings)
  // Behind a fetch of somebody's own, an address can be anything.
  if (own === 'http:' && target.fetch === undefined) addresses.set(open, `${url.origin}${url.pathname}`)
  return open
}

function addressIn(target: string | URL | RemoteTarget): string {
  return String(isAddress(target) ? target : target.url)
}

function isAddress(target: unknown): target is string | URL {
  return typeof target === 'string' || target instanceof URL
}

/** Whether it can be connected to without knowing how to get anywhere. */
export function isAtHand(target: unknown): target is Acceptor | Link | LinkOpener {
  return typeof target === 'function' || isLink(target) || isAcceptor(target)
}

function isLink(target: unknown): target is Link {
  const { open, send, close } = (target ?? {}) as Partial<Link>
  return typeof open === 'function' && typeof send === 'function' && typeof close === 'function'
}

function isAcceptor(target: unknown): target is Acceptor {
  return typeof (target as Partial<Acceptor> | undefined)?.accept === 'function'
}

/** An address, alone or with more. */
export function isRemote(target: unknown): target is string | URL | RemoteTarget {
  return isAddress(target) || isAddress((target as Partial<RemoteTarget> | undefined)?.url)
}

const TAKEN =
  'connect() of parley-mcp/client takes a server value, a Link, a function that opens one, or an address with http, https, ws or wss; { command } and tcp:// need connect() of parley-mcp/node'

/** `taken`: what can be connected to instead. */
export function noWayTo(target: unknown, taken: string): ParleyError {
  const shown = isRemote(target) ? `the address ${addressIn(target).slice(0, 200)}` : shapeOf(target)
  return new ParleyError('transport_error', { message: `Cannot connect to ${shown}: ${suggestion(target)}${taken}` })
}

function shapeOf(target: unknown): string {
  return typeof target === 'object' && target !== null
    ? `an object with ${Object.keys(target).slice(0, 5).join(', ') || 'no members'}`
    : String(target)
}

const SCRIPT = /\.(?:[cm]?[jt]s|py)$/
const HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:[/?]|$)/i

/** What was probably meant by a text that is no address. */
function suggestion(target: unknown): string {
  if (typeof target !== 'string' || target.includes('://') || target.length > 200) return ''
  const words = target.trim().split(/\s+/)
  const [program, ...args] =
    words.length === 1 && SCRIPT.test(target) ? [target.endsWith('.py') ? 'python3' : 'node', ...words] : words
  if (args.length > 0)
    return `to start a program, pass { command: ${JSON.stringify(program)}, args: ${JSON.stringify(args)} }; `
  return HOST.test(target) ? `did you mean "http://${target}"? ` : ''
}
