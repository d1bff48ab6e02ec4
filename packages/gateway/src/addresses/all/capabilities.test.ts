/**
 * What one side declares among extensions and experimental capabilities reaches the other, or is reported as lost
 * (D-40, D-41).
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { type Capabilities, eraOf, type Loss, type ProtocolVersion, versions } from 'parley-mcp'
import {
  type Body,
  isObject,
  type Link,
  type LinkEvents,
  type SendOptions,
  WrappedLink,
  wrappedEvents,
} from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import type { ServerConfig, SessionPolicy } from '../../config/index.ts'
import { type RawClient, type RawMessage, type ScriptedServer, scripted, text } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

const KINDS = ['extensions', 'experimental'] as const
const TASKS = 'extensions.io.modelcontextprotocol/tasks'
const UI = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }

const name = fc.constantFrom(
  'io.modelcontextprotocol/ui',
  'com.example/one',
  'com.example/two',
  'io.modelcontextprotocol/tasks',
)
const valid = fc.dictionary(fc.constantFrom('a', 'b'), fc.jsonValue({ maxDepth: 1 }))
/** Older versions do not say what an extension is declared with. */
const anything = fc.oneof({ weight: 4, arbitrary: valid }, { weight: 1, arbitrary: fc.jsonValue() })
const declaring = (settings: fc.Arbitrary<unknown>): fc.Arbitrary<Capabilities> =>
  fc
    .record(
      { extensions: fc.dictionary(name, settings), experimental: fc.dictionary(name, valid) },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value))
    .filter((json) => !json.includes('__proto__'))
    .map((json) => JSON.parse(json) as Capabilities)
const declared = declaring(anything)
const policy = fc.constantFrom<(SessionPolicy | undefined)[]>(undefined, 'shared', 'principal', 'handle', 'request')

interface Setup {
  readonly client: ProtocolVersion
  readonly server: ProtocolVersion
  readonly address: 'all' | 'one'
  readonly wrap?: (link: Link) => Link
}

/** Says with everything what it knows of its client. */
function hearing(version: ProtocolVersion, capabilities: Capabilities = {}): ScriptedServer {
  return scripted({
    version,
    capabilities: { tools: {}, resources: {}, ...capabilities },
    answer: ({ method, params, caller }): Body => {
      const heard = JSON.stringify(caller.capabilities)
      if (method === 'tools/list')
        return { tools: [{ name: 'hear', description: heard, inputSchema: { type: 'object' } }] }
      if (method === 'resources/list') return { resources: [{ uri: 'ui://page', name: 'page' }] }
      if (method === 'resources/templates/list') return { resourceTemplates: [] }
      if (method === 'resources/read') return { contents: [{ uri: String(params['uri']), text: heard }] }
      return text(heard)
    },
  })
}

interface Conversation {
  readonly losses: readonly Loss[]
  readonly introduced: Body
  ask(method: string, params?: Body): Promise<RawMessage>
}

async function converse(
  setup: Setup,
  members: Record<string, RigServer>,
  capabilities: Capabilities,
  run: (conversation: Conversation) => Promise<void>,
): Promise<void> {
  const losses: Loss[] = []
  const rig = new AggregateRig(members, { onEvent: (event) => event.type === 'loss' && losses.push(event.loss) })
  try {
    const raw = setup.address === 'all' ? rig.raw() : rig.raw('a')
    const introduced = await introduction(raw, setup.client, capabilities)
    const ask = (method: string, params: Body = {}): Promise<RawMessage> =>
      eraOf(setup.client) === 'stateless' ? raw.ask(method, params, capabilities) : raw.request(method, params)
    await run({ losses, introduced, ask })
  } finally {
    await rig.close()
  }
}

async function introduction(raw: RawClient, version: ProtocolVersion, capabilities: Capabilities): Promise<Body> {
  if (eraOf(version) === 'handshake') return raw.shakeHands(version, capabilities)
  return (await raw.ask('server/discover', {}, capabilities)).result as Body
}

/** Paths of what was declared and is not the same in what was heard. */
function unheard(given: unknown, heard: unknown, path: string): string[] {
  if (isDeepStrictEqual(given, heard)) return []
  if (!isObject(given) || !isObject(heard)) return [path]
  return Object.keys(given).flatMap((key) => unheard(given[key], heard[key], `${path}.${key}`))
}

/** What is neither heard nor reported; tasks are told in the words of each era. */
function silent(given: Capabilities, heard: unknown, losses: readonly Loss[]): string[] {
  const lost = losses.map(({ path }) => path)
  return KINDS.flatMap((kind) => {
    const all = (given as Body)[kind]
    if (!isObject(all)) return []
    const names = isObject(heard) && isObject(heard[kind]) ? heard[kind] : {}
    return Object.keys(all).flatMap((each) => unheard(all[each], names[each], `${kind}.${each}`))
  }).filter((path) => !path.startsWith(TASKS) && !lost.some((each) => `capabilities.${path}`.startsWith(each)))
}

const memberOf = (server: ScriptedServer, { wrap }: Setup, config: Partial<ServerConfig> = {}): RigServer => ({
  server,
  config,
  ...(wrap && { wrap }),
})

/** What the client declares: in every answer that the server gives it. */
const clientIsHeard = (setup: Setup): fc.IAsyncProperty<[Capabilities, SessionPolicy | undefined]> =>
  fc.asyncProperty(declared, policy, async (given, session) => {
    const members = { a: memberOf(hearing(setup.server), setup, { session }) }
    await converse(setup, members, given, async ({ losses, ask }) => {
      const { tools } = (await ask('tools/list')).result as { tools: { name: string; description: string }[] }
      const called = (await ask('tools/call', { name: tools[0]?.name, arguments: {} })).result as {
        content: { text: string }[]
      }
      const read = (await ask('resources/read', { uri: setup.address === 'all' ? 'ui://a+page' : 'ui://page' }))
        .result as { contents: { text: string }[] }
      for (const heard of [tools[0]?.description, called.content[0]?.text, read.contents[0]?.text]) {
        expect(silent(given, JSON.parse(String(heard)), losses)).toEqual([])
      }
    })
  })

/** What a server of the fixtures can say at all. */
const declarable = (version: ProtocolVersion): fc.Arbitrary<Capabilities> =>
  declaring(eraOf(version) === 'stateless' ? valid : anything)

/** What servers declare: in what the client is told of them. */
const serversAreHeard = (setup: Setup): fc.IAsyncProperty<[Capabilities, Capabilities]> =>
  fc.asyncProperty(declarable(setup.server), declarable(setup.server), async (one, other) => {
    const members = { a: memberOf(hearing(setup.server, one), setup), b: memberOf(hearing(setup.server, other), setup) }
    await converse(setup, members, {}, async ({ losses, introduced }) => {
      for (const given of setup.address === 'all' ? [one, other] : [one])
        expect(silent(given, introduced['capabilities'], losses)).toEqual([])
    })
  })

const pairs = versions.flatMap((client) => versions.map((server) => ({ client, server })))
const RUNS = { numRuns: 5 }

describe.each(['all', 'one'] as const)('D-40, D-41 at the address of %s', (address) => {
  it.each(pairs)(
    'law: a server of $server hears what a client of $client declares, or it is reported',
    async ({ client, server }) => {
      await fc.assert(clientIsHeard({ client, server, address }), RUNS)
    },
  )

  it.each(pairs)(
    'law: a client of $client hears what servers of $server declare, or it is reported',
    async ({ client, server }) => {
      await fc.assert(serversAreHeard({ client, server, address }), RUNS)
    },
  )

  it.each(pairs)('the laws find what is lost in silence between $client and $server', async ({ client, server }) => {
    const planted: Setup = { client, server, address, wrap: (link) => new Forgetful(link) }
    for (const law of [clientIsHeard(planted), serversAreHeard(planted)] as fc.IAsyncProperty<unknown>[]) {
      expect(await fc.check(law, { numRuns: 50, endOnFailure: true })).toMatchObject({ failed: true })
    }
  })
})

describe('D-40 lists that depend on an extension', () => {
  /** Shows its page only to clients that say they can draw it, as servers of the extension do. */
  const choosy = (version: ProtocolVersion): ScriptedServer =>
    scripted({
      version,
      answer: ({ method, caller }): Body => {
        const { extensions } = caller.capabilities as { extensions?: Body }
        const shown =
          extensions?.['io.modelcontextprotocol/ui'] === undefined
            ? {}
            : { _meta: { ui: { resourceUri: 'ui://page' } } }
        return method === 'tools/list'
          ? {
              tools: [{ name: 'show', inputSchema: { type: 'object' }, ...shown }],
              ttlMs: 60_000,
              cacheScope: 'public',
            }
          : text('shown')
      },
    })
  const cases = pairs
    .filter(({ server }) => ['2025-11-25', '2026-07-28'].includes(server))
    .flatMap((pair) => (['all', 'one'] as const).map((address) => ({ ...pair, address })))

  it.each(cases)('are each client’s own: $client, $server, at $address', async ({ client, server, address }) => {
    const members = { a: { server: choosy(server) } }
    for (const order of [
      [UI, {}, UI],
      [{}, UI, {}],
    ]) {
      const rig = new AggregateRig(members)
      try {
        for (const extensions of order) {
          const raw = address === 'all' ? rig.raw() : rig.raw('a')
          await introduction(raw, client, { extensions })
          const answer =
            eraOf(client) === 'stateless' ? raw.ask('tools/list', {}, { extensions }) : raw.request('tools/list')
          const { tools } = (await answer).result as { tools: Body[] }
          const uri = address === 'all' ? 'ui://a+page' : 'ui://page'
          expect(tools[0]?.['_meta']).toEqual(extensions === UI ? { ui: { resourceUri: uri } } : undefined)
        }
      } finally {
        await rig.close()
      }
    }
  })

  it('take no second conversation where a client declares nothing but tasks', async () => {
    const server = choosy('2025-11-25')
    const rig = new AggregateRig({ a: { server } })
    try {
      const raw = rig.raw()
      for (const extensions of [{}, { 'io.modelcontextprotocol/tasks': {} }])
        await raw.ask('tools/list', {}, { extensions })
      expect(server.sessions).toHaveLength(1)
      for (let count = 0; count < 3; count++) await raw.ask('tools/list', {}, { extensions: UI })
      expect(server.sessions).toHaveLength(2)
    } finally {
      await rig.close()
    }
  })
})

describe('D-41 a server that is reached late', () => {
  it('has declared what a client of the handshake era is not told any more: that is reported once', async () => {
    const losses: Loss[] = []
    const rig = new AggregateRig(
      { a: { server: hearing('2025-11-25') } },
      { onEvent: (event) => event.type === 'loss' && losses.push(event.loss) },
    )
    try {
      const raw = rig.raw()
      await introduction(raw, '2025-11-25', {})
      rig.replace({ b: { server: hearing('2025-11-25', { extensions: UI }) } })
      await rig.upstream('b').gatewayConversation()
      for (let count = 0; count < 2; count++) await raw.request('tools/list')
      expect(losses.map(({ rule, path }) => `${rule} ${path}`)).toEqual([
        'D-41 capabilities.extensions.io.modelcontextprotocol/ui',
      ])
      expect((await introduction(rig.raw(), '2026-07-28', {}))['capabilities']).toMatchObject({ extensions: UI })
    } finally {
      await rig.close()
    }
  })
})

/** Drops extensions in both directions without a word. */
class Forgetful extends WrappedLink {
  override open(events: LinkEvents): void {
    super.open(
      wrappedEvents(events, {
        frame: (frame, _parsed, ...rest) => events.frame(withoutExtensions(frame), undefined, ...rest),
      }),
    )
  }

  override send(frame: string, options?: SendOptions): void {
    super.send(withoutExtensions(frame), options)
  }
}

function withoutExtensions(frame: string): string {
  return JSON.stringify(JSON.parse(frame, (key, value) => (key === 'extensions' ? undefined : value)))
}
