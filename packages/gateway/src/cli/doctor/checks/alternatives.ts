/** Finds other addresses and transports of a server that did not answer as selected. */
import type { RemoteTarget } from 'parley-mcp/client'
import { type SelectedServer, shown, withTarget } from '../../arguments/selected-server.ts'
import { similarNames } from '../../arguments/similar-names.ts'
import { openClient } from '../../connection/connect.ts'
import type { CommandContext } from '../../terminal/io.ts'

const ADDRESS_GUESS_MS = 3000

/** The first likely address where a server answers. */
export async function otherAddress(
  selected: SelectedServer,
  said: string,
  context: CommandContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { url: given, transport: _, ...rest } = selected.target as RemoteTarget
  for (const url of candidates(new URL(given), said)) {
    try {
      const client = await openClient(withTarget(selected, { ...rest, url }), context, {
        signal,
        initialiseTimeout: ADDRESS_GUESS_MS,
      })
      await client.close()
      return shown(url)
    } catch {
      signal.throwIfAborted()
    }
  }
  return undefined
}

/**
 * Usual paths of servers, by the scheme of the address. An entry with a scheme is another protocol at the same port.
 */
const USUAL: Readonly<Record<string, readonly string[]>> = {
  http: ['/mcp', '/sse', '/mcp/sse', '/'],
  ws: ['/ws', '/mcp', '/'],
  tcp: ['http:/mcp'],
}

const ADVICE: Readonly<Record<string, string>> = {
  http: 'check the path of the address: servers are usually at /mcp or /sse',
  ws: 'check the path of the address: WebSockets are usually at /ws',
  tcp: 'check the port: is it a server that speaks MCP over TCP? A server over HTTP has an address such as http://HOST:PORT/mcp',
}

/** Without the `s` of the secure ones. */
const schemeOf = ({ protocol }: URL): string => /^(?:http|ws|tcp)/.exec(protocol)?.[0] ?? ''

export function usualAdvice(asked: URL): string {
  return ADVICE[schemeOf(asked)] ?? 'check the address'
}

/**
 * The most likely first, all at the same host, because requests may contain credentials. `said`: the error message of
 * the address.
 */
export function candidates(asked: URL, said: string): URL[] {
  const targets = [...meantIn(said), ...namedIn(said, asked.pathname), ...(USUAL[schemeOf(asked)] ?? [])]
  const urls = targets.map((target) =>
    target.startsWith('/') ? new URL(target, asked) : new URL(`http://${asked.host}${target.slice('http:'.length)}`),
  )
  return urls.filter(({ href, host }) => href !== asked.href && host === asked.host)
}

const SERVER = /^\/servers\/([^/]+)\/mcp$/

/**
 * The text comes from the server. A path that begins with two slashes or backslashes would be an address at another
 * host.
 */
const PATH = /^\/(?!\/)[^\s;,\\]*$/

/** The suggestion of a Parley gateway, which is better than a guess. */
function meantIn(said: string): string[] {
  const [, path = ''] = /did you mean (\S+)\?/.exec(said) ?? []
  return PATH.test(path) ? [path] : []
}

/**
 * A Parley server lists its endpoints. For the servers of a gateway, compares only the names, because the rest is equal.
 */
function namedIn(said: string, path: string): string[] {
  const [, list = ''] = /the endpoints? (?:are|is) (\/[^;]*)/.exec(said) ?? []
  const paths = list
    .replace(/ and \d+ more$/, '')
    .split(', ')
    .filter((each) => PATH.test(each))
  const [, name] = SERVER.exec(path) ?? []
  if (name === undefined) return similarNames(path, paths, 1)
  const names = paths.flatMap((each) => SERVER.exec(each)?.[1] ?? [])
  return similarNames(name, names, 1).map((each) => `/servers/${each}/mcp`)
}

const TRANSPORT_GUESS_MS = 5000
/** The names of the configuration for transports of a session. */
const NAMES: Readonly<Record<string, string>> = { http: 'streamable-http' }

/** The advice. Undefined if no other transport works. */
export async function otherTransport(
  selected: SelectedServer,
  context: CommandContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { transport: given, ...target } = selected.target as RemoteTarget
  if (given === undefined) return undefined
  try {
    const client = await openClient(withTarget(selected, target), context, {
      signal,
      initialiseTimeout: TRANSPORT_GUESS_MS,
    })
    const spoken = NAMES[client.session.transport] ?? client.session.transport
    await client.close()
    if (spoken === given) return undefined
    return `it speaks ${spoken}: ${selected.name === undefined ? `leave out --transport ${given}` : `remove "type" or "transport": "${given}" from its configuration`}`
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}
