/** Turns the text of a configuration file into a configuration, or throws all of its problems. */
import { dirname, extname, resolve } from 'node:path'
import { hasLocalUser, isLoopback, isOwnAddress } from './addresses.ts'
import type { ConfigFormat, ConfigNode, ParsedDocument } from './documents/document.ts'
import { parseJson } from './documents/json.ts'
import { parseYaml } from './documents/yaml.ts'
import { nearest } from './nearest.ts'
import type { ConfigProblem } from './problem.ts'
import { settingsDefaults } from './settings/defaults.ts'
import { root } from './settings/root.ts'
import { configure, type ReadServer } from './settings/server.ts'
import { ConfigLocation } from './shapes/location.ts'
import { ProblemList, quoted } from './shapes/problem-list.ts'
import type { Environment } from './shapes/variables.ts'
import type { GatewayConfig, GatewaySettings, ServerConfig } from './types.ts'

/** Settings of the command line that replace those of the file. */
export type Override = Partial<Pick<GatewaySettings, 'port' | 'host'>>

export interface ParseOptions {
  /** The name for messages. */
  readonly file: string
  /** Default: the format of the ending of `file`. */
  readonly format?: ConfigFormat
  readonly env: Environment
  /** Where relative paths start. Default: the folder of `file`. */
  readonly baseFolder?: string
  readonly override?: Override
}

export interface ParsedConfig {
  readonly config: GatewayConfig
  readonly warnings: readonly ConfigProblem[]
}

type RootValues = NonNullable<ReturnType<typeof root.read>>

/** Larger than any configuration that a person writes. */
const MAX_CHARACTERS = 1024 * 1024
const FORMATS: Readonly<Record<string, ConfigFormat>> = {
  '.json': 'json',
  '.jsonc': 'json',
  '.yaml': 'yaml',
  '.yml': 'yaml',
}
const PARSERS: Readonly<Record<ConfigFormat, (text: string) => ParsedDocument>> = { json: parseJson, yaml: parseYaml }
const EXAMPLE = 'Write for example { "mcpServers": { "files": { "command": "npx", "args": ["some-server"] } } }.'

/** Throws a `ConfigError` that names every problem. */
export function parseConfig(source: string, options: ParseOptions): ParsedConfig {
  const { file, env, baseFolder = dirname(resolve(file)), override = {} } = options
  const text = source.startsWith('\uFEFF') ? source.slice(1) : source
  const problems = new ProblemList(file, text.length > MAX_CHARACTERS ? '' : text)
  const location = new ConfigLocation({ problems, env })
  const node = parseText(text, options.format ?? FORMATS[extname(file).toLowerCase()], problems)
  const read = node === undefined ? undefined : root.read(node, location)
  if (node !== undefined) reportRepeated(node, location)
  const servers = read === undefined ? [] : readServers(read, location)
  const gateway = { ...readSettings(read, location, baseFolder, override), ...override }
  const configured = servers.flatMap((server) => {
    const config = configure(server, baseFolder, gateway)
    if (config !== undefined) {
      refuseCycle(server, config, gateway)
      warnOfUnknownPrincipals(server, config, gateway)
    }
    return config === undefined ? [] : [config]
  })
  refuseUnknownRequired(read, location, servers)
  const warnings = problems.finish()
  return { config: { servers: new Map(configured.map((config) => [config.name, config])), gateway }, warnings }
}

function parseText(text: string, format: ConfigFormat | undefined, problems: ProblemList): ConfigNode | undefined {
  if (format === undefined) {
    problems.add(undefined, [], 'The file name has no known ending.', `Use one of ${Object.keys(FORMATS).join(', ')}.`)
  } else if (text.length > MAX_CHARACTERS) {
    problems.add(undefined, [], 'The file is larger than 1 MB.', 'Check that it is the right file.')
  } else {
    const { root: found, faults } = PARSERS[format](text)
    for (const { at, message, hint } of faults) problems.add(at, [], message, hint)
    if (found === undefined && faults.length === 0) problems.add(0, [], 'The file is empty.', EXAMPLE)
    return found
  }
  return undefined
}

function reportRepeated(node: ConfigNode, location: ConfigLocation): void {
  if (node.kind === 'list')
    for (const [index, item] of node.items.entries()) reportRepeated(item, location.child(index))
  if (node.kind !== 'object') return
  const seen = new Map<string, number>()
  for (const { key, keyAt, value } of node.entries) {
    const first = seen.get(key)
    if (first !== undefined)
      location
        .child(key)
        .problem(
          keyAt,
          `This key is there twice. The first is on line ${location.lineOf(first)}.`,
          'Remove or rename one of the two.',
        )
    seen.set(key, first ?? keyAt)
    reportRepeated(value, location.child(key))
  }
}

function readServers({ at, values, entries, meant }: RootValues, location: ConfigLocation): readonly ReadServer[] {
  const [usual, editors] = [entries.get('mcpServers'), entries.get('servers')]
  if (usual !== undefined && editors !== undefined)
    location.problem(editors.keyAt, 'Has both "mcpServers" and "servers".', 'Move all servers into "mcpServers".')
  if (usual === undefined && editors === undefined && !meant.has('mcpServers') && !meant.has('servers'))
    location.problem(at, '"mcpServers" is missing.', EXAMPLE)
  const found = values.mcpServers ?? values.servers ?? []
  const entry = usual ?? editors
  if (entry !== undefined && found.every(({ group }) => group.values.disabled))
    location.child(entry.key).warning(entry.keyAt, 'No server is enabled.', EXAMPLE)
  return found
}

function readSettings(
  read: RootValues | undefined,
  rootLocation: ConfigLocation,
  baseFolder: string,
  override: Override,
): GatewaySettings {
  const gateway = read?.values.gateway
  if (gateway === undefined) return settingsDefaults
  const location = rootLocation.child('gateway')
  const { store, host, allowedHosts, pins, audit, crashReports } = gateway.values
  const at = (key: string): number => gateway.entries.get(key)?.value.at ?? gateway.at
  if (store !== 'memory')
    location.child('store').problem(at('store'), 'This store is not available yet in this version.', 'Use "memory".')
  if (override.host === undefined && !isLoopback(host) && allowedHosts === undefined) {
    location
      .child('host')
      .warning(
        at('host'),
        'Other machines can reach this address, so the gateway does not start without "allowedHosts".',
        'List the host names of the gateway in "allowedHosts", such as ["mcp.example.com"]. ["any"] allows every name.',
      )
  }
  const found = (path: string | undefined): string | undefined =>
    path === undefined ? undefined : resolve(baseFolder, path)
  const files = {
    pins: found(pins),
    audit: found(audit),
    crashReports: crashReports === 'off' ? crashReports : found(crashReports),
  }
  const { rateLimit, memory } = gateway.values
  return { ...gateway.values, rateLimit: rateLimit?.values, memory: memory?.values, ...files }
}

/** With the name of a missing server, the gateway would never be ready. */
function refuseUnknownRequired(
  read: RootValues | undefined,
  location: ConfigLocation,
  servers: readonly ReadServer[],
): void {
  const gateway = read?.values.gateway
  const at = gateway?.entries.get('requiredServers')?.value.at ?? 0
  const names = servers.filter(({ group }) => !group.values.disabled).map(({ name }) => name)
  for (const [index, name] of (gateway?.values.requiredServers ?? []).entries()) {
    if (names.includes(name)) continue
    const near = nearest(name, names)
    const hint = near === undefined ? 'Write the name of an enabled server.' : `Did you mean "${near}"?`
    location
      .child('gateway')
      .child('requiredServers')
      .child(index)
      .problem(at, `There is no server ${quoted(name)}.`, hint)
  }
}

function refuseCycle({ group, location }: ReadServer, { target }: ServerConfig, gateway: GatewaySettings): void {
  if (target.kind !== 'remote' || !isOwnAddress(target.url, gateway)) return
  location
    .child('url')
    .problem(
      group.entries.get('url')?.value.at ?? group.at,
      'This is the address of the gateway itself, which would call itself without end.',
      'Correct the URL, or give the gateway another port.',
    )
}

/** Over HTTP, only a proxy names users. A gateway that only this machine reaches has one user. */
function warnOfUnknownPrincipals(
  { group, location }: ReadServer,
  { session }: ServerConfig,
  gateway: GatewaySettings,
): void {
  if (session !== 'principal' || gateway.principalHeader !== undefined || hasLocalUser(gateway)) return
  location
    .child('session')
    .warning(
      group.entries.get('session')?.value.at ?? group.at,
      '"principal" needs gateway.principalHeader. Without it, the gateway knows no user over HTTP, and every request gets its own session.',
      'Set gateway.principalHeader, or "session": "shared".',
    )
}
