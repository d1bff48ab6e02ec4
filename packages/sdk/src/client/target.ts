/** What a client can connect to, and how to get there: once, or as often as needed. */
import { ParleyError } from '../errors/index.ts'
import type { Link } from '../jsonrpc/index.ts'
import type { Acceptor } from '../session/index.ts'
import { memoryPair, type OpenHttpOptions, openHttp } from '../transport/index.ts'

/** Opens a new link each time it is called. */
export type LinkOpener = () => Link | Promise<Link>

/** A server by its address, with what has to be said to reach it. */
export interface RemoteTarget extends Omit<OpenHttpOptions, 'transport' | 'clock' | 'random'> {
  url: string | URL
  /** Default: what the address says; for `http` and `https` Streamable HTTP, and HTTP+SSE where that is refused. */
  transport?: 'auto' | 'streamable-http' | 'sse'
}

export type Target = Acceptor | Link | LinkOpener | string | URL | RemoteTarget

export interface Way {
  readonly open: LinkOpener
  /** Whether it can be gone more than once. */
  readonly repeatable: boolean
  /** Whether a lost connection is made again unless the caller says otherwise: somebody else's process may well come back. */
  readonly comesBack: boolean
}

export function wayTo(target: Target): Way {
  if (typeof target === 'function') return { open: target, repeatable: true, comesBack: true }
  if (typeof target === 'string' || target instanceof URL) return wayToAddress({ url: target })
  if (isLink(target)) return { open: () => target, repeatable: false, comesBack: false }
  if (isAcceptor(target)) return { open: () => linkToValue(target), repeatable: true, comesBack: false }
  if (isRemote(target)) return wayToAddress(target)
  throw unreachable(shapeOf(target))
}

function linkToValue(server: Acceptor): Link {
  const [near, far] = memoryPair()
  server.accept(far)
  return near
}

type Opening = (url: URL, options: Omit<RemoteTarget, 'url'>) => Link | Promise<Link>

const SCHEMES: Readonly<Record<string, Opening>> = { 'http:': openHttp, 'https:': openHttp }

function wayToAddress({ url: address, ...options }: RemoteTarget): Way {
  const url = URL.canParse(String(address)) ? new URL(String(address)) : undefined
  const opening = url === undefined ? undefined : SCHEMES[url.protocol]
  if (url === undefined || opening === undefined) throw unreachable(`the address ${String(address).slice(0, 200)}`)
  return { open: () => opening(url, options), repeatable: true, comesBack: true }
}

function isLink(target: unknown): target is Link {
  const { open, send, close } = (target ?? {}) as Partial<Link>
  return typeof open === 'function' && typeof send === 'function' && typeof close === 'function'
}

function isAcceptor(target: unknown): target is Acceptor {
  return typeof (target as Partial<Acceptor> | undefined)?.accept === 'function'
}

function isRemote(target: unknown): target is RemoteTarget {
  const { url } = (target ?? {}) as Partial<RemoteTarget>
  return typeof url === 'string' || url instanceof URL
}

function unreachable(given: string): ParleyError {
  return new ParleyError('transport_error', {
    message: `Cannot connect to ${given}: connect() of parley-mcp/client takes a server value, a Link, a function that opens one, or an address such as https://example.com/mcp; { command } and tcp:// need connect() of parley-mcp/node`,
  })
}

function shapeOf(target: unknown): string {
  return typeof target === 'object' && target !== null ? `an object with ${Object.keys(target).slice(0, 5).join(', ') || 'no members'}` : String(target)
}
