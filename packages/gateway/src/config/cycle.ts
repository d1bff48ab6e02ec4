/** Notices a server that is the gateway itself, which would call itself for ever. */

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'ws:': '80', 'https:': '443', 'wss:': '443' }
const THIS_MACHINE: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '::1'])
const EVERY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

export function isOwnAddress(url: string, listening: { readonly host: string; readonly port: number }): boolean {
  const { protocol, hostname, port } = new URL(url)
  // Port 0 is chosen later, by then nothing else can have it.
  if (listening.port === 0 || Number(port === '' ? DEFAULT_PORTS[protocol] : port) !== listening.port) return false
  const [theirs, own] = [plainHost(hostname), plainHost(listening.host)]
  if (theirs === own) return true
  // Who connects to "every address" connects to this machine.
  if (EVERY_ADDRESS.has(own)) return isLoopback(theirs) || EVERY_ADDRESS.has(theirs)
  return THIS_MACHINE.has(own) && (THIS_MACHINE.has(theirs) || EVERY_ADDRESS.has(theirs))
}

export function isLoopback(host: string): boolean {
  const plain = plainHost(host)
  return THIS_MACHINE.has(plain) || /^127(?:\.\d{1,3}){3}$/.test(plain)
}

/** One spelling for each: without brackets and final dot, short and IPv6 forms of IPv4 written out. */
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
