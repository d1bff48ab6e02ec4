/** What a client can connect to, and how to open links to it. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { Acceptor } from '../session/index.ts'
import { type HttpHeaders, type HttpLinkOptions, memoryPair, openHttp, webSocketTo } from '../transport/index.ts'
import { LocalTools } from './calls/local-tools.ts'
import type { ConnectOptions } from './options.ts'

/** Opens a new link each time it is called. */
export type LinkOpener = () => Link | Promise<Link>

/** The address of a server, with settings for requests to it. */
export interface RemoteTarget extends Pick<HttpLinkOptions, 'headers' | 'authorize' | 'fetch' | 'listen'> {
  url: string | URL
  /** Default `auto`: chosen by the scheme. For HTTP: Streamable HTTP, or HTTP+SSE if the server refuses that. */
  transport?: RemoteTransport
}

export type RemoteTransport = 'auto' | 'streamable-http' | 'sse' | 'websocket' | 'tcp'

export type Target = Acceptor | Link | LinkOpener | string | URL | RemoteTarget

/** Settings of the connection that links use. */
export type LinkSettings = Pick<ConnectOptions, 'clock' | 'random' | 'limits'> & Pick<HttpLinkOptions, 'call'>

/** How to open links to a target. */
export interface ConnectMethod {
  readonly open: LinkOpener
  /** Whether `open` can be called more than once. */
  readonly canReopen: boolean
  /** Whether the client reconnects by default. */
  readonly reconnects: boolean
  /** Only for a server in this process. */
  readonly local?: LocalTools
  /** Origin and path of an HTTP server. The era memory of the process uses it as a key. */
  readonly address?: string | undefined
}

/** An opener of links to one HTTP server. */
interface AddressedOpener extends LinkOpener {
  address?: string
}

export function connectMethodFor(target: Target, settings: LinkSettings): ConnectMethod {
  if (typeof target === 'function') return methodOf(target)
  if (isLink(target)) return { open: () => target, canReopen: false, reconnects: false }
  if (isAcceptor(target)) return connectMethodForServer(target)
  const open = isRemote(target) ? openerFor(target, settings, openings) : undefined
  if (open === undefined) throw cannotConnectTo(target, SUPPORTED_TARGETS)
  return methodOf(open)
}

function methodOf(open: AddressedOpener): ConnectMethod {
  return { open, canReopen: true, reconnects: true, address: open.address }
}

function connectMethodForServer(server: Acceptor): ConnectMethod {
  const local = new LocalTools(server)
  const open = (): Link => {
    const [near, far] = memoryPair()
    server.accept(far, { onToolError: local.addError })
    return near
  }
  return { open, canReopen: true, reconnects: false, local }
}

export type LinkOpening = (url: URL, target: Omit<RemoteTarget, 'url'>, settings: LinkSettings) => Link | Promise<Link>

/** How to open links, by the scheme of an address. Each runtime has its own table. */
export type LinkOpenings = Readonly<Record<string, LinkOpening>>

/** For every runtime: uses only `fetch` and `WebSocket`. */
const openings: LinkOpenings = {
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
 * The headers are computed once, for the handshake. A message of up to twice the limit fails alone; a longer one ends
 * the connection.
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
/** The schemes that each transport accepts, and its own scheme. */
const SCHEMES: Readonly<
  Partial<Record<RemoteTransport, { readonly over: readonly string[]; readonly scheme: string }>>
> = {
  'streamable-http': { over: ['http:'], scheme: 'http:' },
  sse: { over: ['http:'], scheme: 'http:' },
  websocket: { over: ['ws:', 'http:'], scheme: 'ws:' },
  tcp: { over: ['tcp:'], scheme: 'tcp:' },
}

/** Undefined when no transport supports the address. */
export function openerFor(
  given: string | URL | RemoteTarget,
  settings: LinkSettings,
  available: LinkOpenings,
): LinkOpener | undefined {
  const address = addressIn(given)
  if (!URL.canParse(address)) return undefined
  const url = new URL(address)
  const { url: _, ...target } = isAddress(given) ? { url: given } : given
  const scheme = SECURE[url.protocol] ?? url.protocol
  const { over, scheme: own } = SCHEMES[target.transport ?? 'auto'] ?? { over: [scheme], scheme }
  const opening = available[own]
  if (opening === undefined || !over.includes(scheme)) return undefined
  if (own !== scheme) url.protocol = url.protocol === 'https:' ? 'wss:' : own
  const open: AddressedOpener = () => opening(new URL(url), target, settings)
  // The caller's own fetch may reach any server, whatever the address.
  if (own === 'http:' && target.fetch === undefined) open.address = `${url.origin}${url.pathname}`
  return open
}

function addressIn(target: string | URL | RemoteTarget): string {
  return String(isAddress(target) ? target : target.url)
}

function isAddress(target: unknown): target is string | URL {
  return typeof target === 'string' || target instanceof URL
}

/** Whether the target needs no address: a server value, a Link or a function. */
export function isDirectTarget(target: unknown): target is Acceptor | Link | LinkOpener {
  return typeof target === 'function' || isLink(target) || isAcceptor(target)
}

function isLink(target: unknown): target is Link {
  const { open, send, close } = (target ?? {}) as Partial<Link>
  return typeof open === 'function' && typeof send === 'function' && typeof close === 'function'
}

function isAcceptor(target: unknown): target is Acceptor {
  return typeof (target as Partial<Acceptor> | undefined)?.accept === 'function'
}

/** An address, alone or with settings. */
export function isRemote(target: unknown): target is string | URL | RemoteTarget {
  return isAddress(target) || isAddress((target as Partial<RemoteTarget> | undefined)?.url)
}

const SUPPORTED_TARGETS =
  'connect() of parley-mcp/client takes a server value, a Link, a function that opens one, or an address with http, https, ws or wss; { command } and tcp:// need connect() of parley-mcp/node'

/** `supported`: says which targets are supported. */
export function cannotConnectTo(target: unknown, supported: string): ParleyError {
  const shown = isRemote(target) ? `the address ${addressIn(target).slice(0, 200)}` : shapeOf(target)
  return new ParleyError('transport_error', {
    message: `Cannot connect to ${shown}: ${suggestion(target)}${supported}`,
  })
}

function shapeOf(target: unknown): string {
  return typeof target === 'object' && target !== null
    ? `an object with ${Object.keys(target).slice(0, 5).join(', ') || 'no members'}`
    : String(target)
}

const SCRIPT = /\.(?:[cm]?[jt]s|py)$/
const HOST = /^(?:localhost|[\w-]+(?:\.[\w-]+)+|\[[\da-f:]+\]|[\w-]+(?=:\d))(?::\d+)?(?:[/?]|$)/i

/** What the caller probably meant by a text that is not an address. */
function suggestion(target: unknown): string {
  if (typeof target !== 'string' || target.includes('://') || target.length > 200) return ''
  const words = target.trim().split(/\s+/)
  const [program, ...args] =
    words.length === 1 && SCRIPT.test(target) ? [target.endsWith('.py') ? 'python3' : 'node', ...words] : words
  if (args.length > 0)
    return `to start a program, pass { command: ${JSON.stringify(program)}, args: ${JSON.stringify(args)} }; `
  return HOST.test(target) ? `did you mean "http://${target}"? ` : ''
}
