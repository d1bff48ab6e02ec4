/** Which addresses belong to this machine, and which one is the gateway's own. */
import type { GatewaySettings } from './types.ts'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'ws:': '80', 'https:': '443', 'wss:': '443' }
const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/** Whether a server at `url` would be the gateway itself, which would then call itself without end. */
export function isOwnAddress(url: string, listening: { readonly host: string; readonly port: number }): boolean {
  const { protocol, hostname, port } = new URL(url)
  // The system chooses port 0 later, and no other program can have that port then.
  if (listening.port === 0 || Number(port === '' ? DEFAULT_PORTS[protocol] : port) !== listening.port) return false
  const [theirs, own] = [plainHost(hostname), plainHost(listening.host)]
  if (theirs === own) return true
  // A connection to "every address" reaches this machine.
  if (EVERY_ADDRESS.has(own)) return isLoopback(theirs) || EVERY_ADDRESS.has(theirs)
  return THIS_MACHINE.has(own) && (THIS_MACHINE.has(theirs) || EVERY_ADDRESS.has(theirs))
}

export function isLoopback(host: string): boolean {
  const plain = plainHost(host)
  return THIS_MACHINE.has(plain) || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/**
 * Whether all requests without a principal come from one person: only this machine reaches the gateway, and no proxy
 * names users. Other names in `allowedHosts` mean a proxy that admits people from elsewhere.
 */
export function hasLocalUser({
  host,
  allowedHosts,
  principalHeader,
}: Pick<GatewaySettings, 'host' | 'allowedHosts' | 'principalHeader'>): boolean {
  return principalHeader === undefined && isLoopback(host) && (allowedHosts ?? []).every(isLoopback)
}

/** One spelling for each host: no brackets, no final dot, IPv4 in full even if written short or as IPv6. */
function plainHost(host: string): string {
  const bare = host.replace(/^\[|\]$/g, '')
  const address = bare.includes(':') ? `[${bare}]` : bare
  const known = URL.canParse(`http://${address}`)
    ? new URL(`http://${address}`).hostname.replace(/^\[|\]$/g, '')
    : bare.toLowerCase()
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(known)
  if (mapped !== null)
    return [mapped[1], mapped[2]]
      .flatMap((half) => [Number.parseInt(half as string, 16) >> 8, Number.parseInt(half as string, 16) & 255])
      .join('.')
  const name = known.replace(/\.$/, '')
  return name.endsWith('.localhost') ? 'localhost' : name
}
