/** Sample calls for a user who has just started the gateway: harmless tools with valid arguments. */
import type { Era, Tool } from 'parley-mcp'
import { isObject } from 'parley-mcp/engine'
import { NameTable } from '../../catalogue/index.ts'
import type { Upstream } from '../../upstream/index.ts'

export interface SampleCall {
  /** The name at the address of all servers. */
  readonly name: string
  readonly args: unknown
  /** The era of the server. */
  readonly era: Era
}

const MOST_CALLS = 3
const MOST_DEPTH = 4
const LONGEST = 160
/** Characters that need no escape between single quotes in a shell. */
const PLAIN = /^[ !-&(-~]*$/

/** One call for each connected server, up to a limit. */
export async function sampleCalls(upstreams: readonly Upstream[]): Promise<SampleCall[]> {
  const names = new NameTable(upstreams.map(({ name }) => name))
  const found = await Promise.all(
    upstreams
      .filter(({ version }) => version !== undefined)
      .map((upstream) => callOf(upstream, names).catch(() => undefined)),
  )
  return found.filter((call) => call !== undefined).slice(0, MOST_CALLS)
}

async function callOf(upstream: Upstream, names: NameTable): Promise<SampleCall | undefined> {
  const { client } = await upstream.gatewayConversation()
  if (upstream.era === undefined || !client.session.hasPeerCapability('tools')) return undefined
  const { tools } = await client.request('tools/list', {}, {})
  if (!Array.isArray(tools)) return undefined
  for (const tool of upstream.tools.shown(tools as Tool[]).filter(isHarmless)) {
    const args = sampleOf(tool.inputSchema)
    const text = JSON.stringify(args)
    if (isObject(args) && text.length <= LONGEST && PLAIN.test(text))
      return { name: names.publicName(upstream.name, tool.name), args, era: upstream.era }
  }
  return undefined
}

/** Whether the annotations say so. Without them, a tool counts as destructive, as in the specification. */
function isHarmless({ annotations }: Tool): boolean {
  return annotations?.readOnlyHint === true || annotations?.destructiveHint === false
}

/** A value that the schema probably allows: its example, else only the required parts. */
export function sampleOf(schema: unknown, depth = 0): unknown {
  if (!isObject(schema) || depth > MOST_DEPTH) return null
  const given = [first(schema['examples']), schema['const'], schema['default'], first(schema['enum'])].find(
    (each) => each !== undefined,
  )
  if (given !== undefined) return given
  const variant = first(schema['anyOf']) ?? first(schema['oneOf'])
  if (variant !== undefined) return sampleOf(variant, depth + 1)
  const type = Array.isArray(schema['type']) ? schema['type'][0] : schema['type']
  return typeof type === 'string' && Object.hasOwn(SAMPLES, type) ? SAMPLES[type]?.(schema, depth) : null
}

function first(list: unknown): unknown {
  return Array.isArray(list) ? list[0] : undefined
}

const number = ({ minimum = 1 }: Record<string, unknown>): unknown => minimum

const SAMPLES: Readonly<Record<string, (schema: Record<string, unknown>, depth: number) => unknown>> = {
  string: () => 'text',
  integer: number,
  number,
  boolean: () => true,
  array: ({ items, minItems }, depth) => (Number(minItems) > 0 ? [sampleOf(items, depth + 1)] : []),
  object: ({ properties, required }, depth) => {
    const wanted =
      Array.isArray(required) && isObject(properties)
        ? required.filter((key) => typeof key === 'string' && Object.hasOwn(properties, key))
        : []
    return Object.fromEntries(
      wanted.map((key: string) => [key, sampleOf((properties as Record<string, unknown>)[key], depth + 1)]),
    )
  },
}
