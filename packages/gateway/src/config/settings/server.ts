/** One server of the configuration, and the object of all servers. */

import { type ConfigNode, entriesOf } from '../documents/document.ts'
import { type Group, group } from '../shapes/group.ts'
import type { ConfigLocation } from '../shapes/location.ts'
import { flag } from '../shapes/scalars.ts'
import { rejectKind, type Shape } from '../shapes/shape.ts'
import { RULES } from '../shapes/text-rules.ts'
import type { GatewaySettings, ServerConfig } from '../types.ts'
import { restartDefaults, serverDefaults, toolDefaults } from './defaults.ts'
import { SERVER_FIELDS } from './fields.ts'
import { SERVER_FOREIGN_KEYS } from './foreign-keys.ts'
import { readTarget } from './target.ts'

export interface ReadServer {
  readonly name: string
  readonly keyAt: number
  readonly location: ConfigLocation
  readonly group: Group<typeof SERVER_FIELDS>
}

export const server = group(SERVER_FIELDS, SERVER_FOREIGN_KEYS)

export const servers: Shape<readonly ReadServer[]> = {
  schema: {
    type: 'object',
    propertyNames: { pattern: RULES.serverName.pattern.source },
    additionalProperties: { $ref: '#/$defs/server' },
  },
  read(node, location) {
    if (node.kind !== 'object')
      return rejectKind(node, location, 'an object', '{ "files": { "command": "npx", "args": ["some-server"] } }')
    return [...entriesOf(node).values()].flatMap(({ key: name, keyAt, value }) => {
      const here = location.child(name)
      if (!RULES.serverName.pattern.test(name)) here.problem(keyAt, RULES.serverName.wrong, nameHint(name))
      const read = server.read(value, isDisabled(value, here) ? here.lackingVariables() : here)
      return read === undefined ? [] : [{ name, keyAt, location: here, group: read }]
    })
  },
}

/** Undefined if the server is disabled, or has a problem that has been reported. */
export function configure(
  { name, keyAt, location, group }: ReadServer,
  baseFolder: string,
  gateway: GatewaySettings,
): ServerConfig | undefined {
  const target = readTarget(group, location, keyAt, baseFolder)
  const {
    disabled,
    command: _,
    args,
    env,
    cwd,
    url,
    transport,
    type,
    headers,
    restart,
    tools,
    rateLimit,
    maxMessageSize,
    ...plain
  } = group.values
  if (target === undefined || disabled) return undefined
  return {
    ...serverDefaults(name, target),
    ...plain,
    restart:
      typeof restart === 'string' ? { ...restartDefaults, policy: restart } : (restart?.values ?? restartDefaults),
    tools: tools?.values ?? toolDefaults,
    rateLimit: rateLimit?.values,
    maxMessageSize: maxMessageSize ?? gateway.maxMessageSize,
  }
}

function nameHint(name: string): string {
  const mended = name
    .trim()
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, 64)
  return RULES.serverName.pattern.test(mended)
    ? `${RULES.serverName.hint} For example "${mended}".`
    : RULES.serverName.hint
}

/** Known before the rest is read: a server that is switched off may lack its variables. */
function isDisabled(node: ConfigNode, location: ConfigLocation): boolean {
  const entry = node.kind === 'object' ? entriesOf(node).get('disabled') : undefined
  return entry !== undefined && flag.read(entry.value, location.silent()) === true
}
