/** The target of a server: a command to start, or an address with a transport that fits it. */
import { resolve } from 'node:path'
import type { Group } from '../shapes/group.ts'
import type { ConfigLocation } from '../shapes/location.ts'
import type { CommandTarget, RemoteTarget, RemoteTransport } from '../types.ts'
import type { SERVER_FIELDS, ServerValues } from './fields.ts'

type ServerGroup = Group<typeof SERVER_FIELDS>

const SCHEMES: Readonly<Record<RemoteTransport, readonly string[]>> = {
  'streamable-http': ['http:', 'https:'],
  sse: ['http:', 'https:'],
  websocket: ['ws:', 'wss:'],
  tcp: ['tcp:'],
}
/** The transport by scheme. HTTP has two transports, and the gateway asks the server. */
const BY_SCHEME = new Map<string, RemoteTransport | undefined>([
  ['http:', undefined],
  ['https:', undefined],
  ['ws:', 'websocket'],
  ['wss:', 'websocket'],
  ['tcp:', 'tcp'],
])
const COMMAND_KEYS = ['args', 'env', 'cwd'] as const
const ADDRESS_KEYS = ['headers'] as const

export function readTarget(
  group: ServerGroup,
  location: ConfigLocation,
  keyAt: number,
  baseFolder: string,
): CommandTarget | RemoteTarget | undefined {
  const { entries, meant } = group
  const [command, url] = [entries.get('command'), entries.get('url')]
  if (command !== undefined && url !== undefined) {
    location.problem(
      url.keyAt,
      'Has both "command" and "url".',
      'Keep "command" for a program to start, or "url" for a server that is already running.',
    )
  } else if (command === undefined && url === undefined) {
    if (!meant.has('command') && !meant.has('url')) {
      location.problem(
        keyAt,
        'Has neither "command" nor "url".',
        'Write "command" (and "args") for a program to start, or "url" for a server that is already running.',
      )
    }
  } else
    return url === undefined ? commandTarget(group, location, baseFolder) : remoteTarget(group, location, url.value.at)
  return undefined
}

function commandTarget(group: ServerGroup, location: ConfigLocation, baseFolder: string): CommandTarget | undefined {
  const { command, args, env, cwd } = group.values
  warnOfUnused(group, location, ADDRESS_KEYS, 'url')
  const { transport, key } = readTransport(group, location)
  if (transport !== undefined && transport !== 'stdio') {
    location
      .child(key)
      .problem(
        group.entries.get(key)?.value.at ?? group.at,
        'A command only speaks stdio.',
        `Remove "${key}", or write "url" instead of "command".`,
      )
  }
  if (command === undefined) return undefined
  // A path may contain spaces, but not the name of a program.
  if (/^[^\\/\s]+\s/.test(command)) {
    location
      .child('command')
      .warning(
        group.entries.get('command')?.value.at ?? group.at,
        'The command contains spaces. The gateway does not split it.',
        'Write only the program in "command", and each argument in "args".',
      )
  }
  const isRelative = /^\.\.?[\\/]/.test(command)
  return {
    kind: 'command',
    command: isRelative ? resolve(baseFolder, command) : command,
    args,
    env,
    cwd: cwd === undefined ? undefined : resolve(baseFolder, cwd),
  }
}

function remoteTarget(group: ServerGroup, location: ConfigLocation, at: number): RemoteTarget | undefined {
  const { url, headers } = group.values
  warnOfUnused(group, location, COMMAND_KEYS, 'command')
  const { transport, key } = readTransport(group, location)
  if (transport === 'stdio') {
    location
      .child(key)
      .problem(
        group.entries.get(key)?.value.at ?? at,
        'A server with a "url" does not speak stdio.',
        `Remove "${key}", or write "command" instead of "url".`,
      )
    return undefined
  }
  if (url === undefined) return undefined
  const fault = urlFault(url, transport)
  if (fault !== undefined) location.child('url').problem(at, ...fault)
  else return { kind: 'remote', url, transport: transport ?? BY_SCHEME.get(new URL(url).protocol), headers }
  return undefined
}

function urlFault(
  text: string,
  transport: RemoteTransport | undefined,
): readonly [message: string, hint: string] | undefined {
  if (!URL.canParse(text)) return ['Not a URL.', 'Write the complete URL: https://example.com/mcp.']
  const url = new URL(text)
  if (!BY_SCHEME.has(url.protocol))
    return [`The gateway does not speak ${JSON.stringify(url.protocol)}.`, 'Use http:, https:, ws:, wss: or tcp:.']
  if (transport !== undefined && !SCHEMES[transport].includes(url.protocol)) {
    return [
      `The transport "${transport}" does not fit "${url.protocol}".`,
      `Begin the URL with ${SCHEMES[transport].join(' or ')}, or remove the transport.`,
    ]
  }
  // `fetch` refuses such a URL, and addresses appear in logs.
  if (url.username !== '' || url.password !== '')
    return [
      'The URL contains a user name or password.',
      `Put them into "headers": { "Authorization": "Basic \${CREDENTIALS}" }.`,
    ]
  if (url.protocol === 'tcp:' && (url.port === '' || url.hostname === ''))
    return ['A tcp: URL needs a host and a port.', 'Write tcp://host:port.']
  return undefined
}

/** `transport` and `type` mean the same. If both are there, they must agree. */
function readTransport(
  { values, entries }: ServerGroup,
  location: ConfigLocation,
): { transport: ServerValues['transport']; key: 'transport' | 'type' } {
  const { transport, type } = values
  const second = entries.get('type')
  if (transport !== undefined && type !== undefined && transport !== type) {
    location
      .child('type')
      .problem(second?.value.at ?? 0, '"type" and "transport" contradict each other.', 'Remove one of them.')
  }
  return transport === undefined ? { transport: type, key: 'type' } : { transport, key: 'transport' }
}

function warnOfUnused(
  { entries }: ServerGroup,
  location: ConfigLocation,
  keys: readonly string[],
  partner: string,
): void {
  for (const key of keys) {
    const entry = entries.get(key)
    if (entry !== undefined && !isEmpty(entry.value))
      location.child(key).warning(entry.keyAt, `Has no effect without "${partner}".`, 'Remove it.')
  }
}

function isEmpty(node: {
  readonly kind: string
  readonly entries?: readonly unknown[]
  readonly items?: readonly unknown[]
}): boolean {
  return node.entries?.length === 0 || node.items?.length === 0
}
