/** One server of the configuration, and the object of all of them. */

import { restartDefaults, serverDefaults, toolDefaults } from './defaults.ts'
import { type ConfigNode, entriesOf } from './document.ts'
import { SERVER_FIELDS } from './fields.ts'
import { SERVER_FOREIGN } from './foreign.ts'
import { type Group, group } from './group.ts'
import type { Place } from './place.ts'
import { RULES } from './rules.ts'
import { flag } from './scalars.ts'
import { rejectKind, type Shape } from './shape.ts'
import { readTarget } from './target.ts'
import type { GatewaySettings, ServerConfig } from './types.ts'

export interface ReadServer {
  readonly name: string
  readonly keyAt: number
  readonly place: Place
  readonly group: Group<typeof SERVER_FIELDS>
}

export const server = group(SERVER_FIELDS, SERVER_FOREIGN)

export const servers: Shape<readonly ReadServer[]> = {
  schema: {
    type: 'object',
    propertyNames: { pattern: RULES.serverName.pattern.source },
    additionalProperties: { $ref: '#/$defs/server' },
  },
  read(node, place) {
    if (node.kind !== 'object')
      return rejectKind(node, place, 'an object', '{ "files": { "command": "npx", "args": ["some-server"] } }')
    return [...entriesOf(node).values()].flatMap(({ key: name, keyAt, value }) => {
      const here = place.child(name)
      if (!RULES.serverName.pattern.test(name)) here.problem(keyAt, RULES.serverName.wrong, nameHint(name))
      const read = server.read(value, isDisabled(value, here) ? here.lackingVariables() : here)
      return read === undefined ? [] : [{ name, keyAt, place: here, group: read }]
    })
  },
}

/** Absent: it is switched off, or something is wrong with it, which has been reported. */
export function configure(
  { name, keyAt, place, group }: ReadServer,
  baseFolder: string,
  gateway: GatewaySettings,
): ServerConfig | undefined {
  const target = readTarget(group, place, keyAt, baseFolder)
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
function isDisabled(node: ConfigNode, place: Place): boolean {
  const entry = node.kind === 'object' ? entriesOf(node).get('disabled') : undefined
  return entry !== undefined && flag.read(entry.value, place.silent()) === true
}
