/** Several servers behind one address, all in memory: what tests of the aggregate begin with. */
import type { ProtocolVersion } from 'parley-mcp'
import { type Client, type ConnectOptions, connect, memoryPair } from 'parley-mcp/client'
import { type Acceptor, type Clock, type Link, type SessionEvent, systemClock } from 'parley-mcp/engine'
import { createServer, embed, link, prompt, resource, type ServerOptions, tool, user } from 'parley-mcp/server'
import { type ServerConfig, serverDefaults } from '../../config/index.ts'
import { type GatewayLog, silentLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { RawClient } from '../server/peers.fixtures.ts'
import { ServerAddress } from '../server/server-address.ts'
import { AggregateAddress } from './aggregate-address.ts'

export interface RigServer {
  /** One for all links, or one for each. Absent: links to it open, and no request is answered. */
  readonly server?: Acceptor | (() => Acceptor)
  /** What it is spoken to in. */
  readonly version?: ProtocolVersion
  readonly config?: Partial<ServerConfig>
  /** Called before each link to it; what it throws or rejects with is why there is none. */
  readonly before?: () => Promise<void>
  /** What the links to it are like, if not as they are in memory. */
  readonly wrap?: (link: Link) => Link
}

export interface RigOptions {
  readonly clock?: Clock
  readonly log?: GatewayLog
  /** Told what sessions on either side report. */
  readonly onEvent?: (event: SessionEvent) => void
}

export class AggregateRig {
  readonly aggregate: AggregateAddress
  readonly addresses = new Map<string, ServerAddress>()
  readonly #clients: { close(): unknown }[] = []
  readonly #clock: Clock
  readonly #log: GatewayLog
  readonly #observed: Pick<RigOptions, 'onEvent'>

  constructor(
    members: Readonly<Record<string, RigServer>>,
    { clock = systemClock, log = silentLog, onEvent }: RigOptions = {},
  ) {
    this.#clock = clock
    this.#log = log
    this.#observed = onEvent === undefined ? {} : { onEvent }
    this.aggregate = new AggregateAddress({ translation: 'lenient', log, clock, ...this.#observed })
    this.#set(members)
  }

  upstream(name: string): Upstream {
    return (this.addresses.get(name) as ServerAddress).upstream
  }

  /** These are added, or come in the place of those with their names, and are started. */
  replace(members: Readonly<Record<string, RigServer>>, gone: readonly string[] = []): ServerAddress[] {
    const old: ServerAddress[] = []
    for (const name of [...Object.keys(members), ...gone]) {
      const before = this.addresses.get(name)
      if (before !== undefined) old.push(before)
    }
    for (const name of gone) this.addresses.delete(name)
    this.#set(members)
    for (const { upstream } of Object.keys(members).flatMap((name) => this.addresses.get(name) ?? []))
      if (!upstream.config.lazy) upstream.gatewayConversation().catch(() => {})
    for (const address of old) this.#clients.unshift({ close: () => address.close() })
    return old
  }

  /** The caller closes the removed addresses. */
  forget(name: string): ServerAddress[] {
    const old = this.replace({}, [name])
    this.#clients.splice(0, old.length)
    return old
  }

  async connect(options: ConnectOptions = {}): Promise<Client> {
    const client = await connect(this.aggregate as Acceptor, { keepAlive: false, ...options })
    this.#clients.push(client)
    return client
  }

  /** `server`: at the address of that one alone. */
  raw(server?: string): RawClient {
    const client = new RawClient((server === undefined ? this.aggregate : this.addresses.get(server)) as Acceptor)
    this.#clients.push(client)
    return client
  }

  async close(): Promise<void> {
    for (const client of this.#clients) await client.close()
    await this.aggregate.close()
    await Promise.all([...this.addresses.values()].map((address) => address.close()))
  }

  #set(members: Readonly<Record<string, RigServer>>): void {
    for (const [name, member] of Object.entries(members)) this.addresses.set(name, this.#make(name, member))
    this.aggregate.setServers([...this.addresses.values()])
  }

  #make(name: string, { server, version, config, before, wrap }: RigServer): ServerAddress {
    const own: ServerConfig = {
      ...serverDefaults(name, { kind: 'command', command: 'none', args: [], env: {}, cwd: undefined }),
      ...(version && { versions: [version] }),
      ...config,
    }
    const launch = async (): Promise<Link> => {
      await before?.()
      const [near, far] = memoryPair()
      if (server === undefined) far.open({ frame: () => {}, closed: () => {} })
      else (typeof server === 'function' ? server() : server).accept(far)
      return wrap?.(near) ?? near
    }
    const upstream = new Upstream(own, {
      log: this.#log,
      translation: 'lenient',
      clock: this.#clock,
      launch,
      conversationIdle: 600_000,
      ...this.#observed,
    })
    return new ServerAddress(upstream, { translation: 'lenient', clock: this.#clock, ...this.#observed })
  }
}

const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] } as const

/** A server with all kinds of definitions. Its texts contain its name. */
export function notesServer(self: string, options: ServerOptions = {}) {
  const server = createServer(
    { name: self, version: '1.0.0', instructions: `Be kind to ${self}` },
    { tasks: { pollInterval: 10 }, ...options },
  )
  return server.add(
    tool('who', { description: 'Says who answers' }, () => self),
    tool('greet', { description: 'Greets', input: person }, ({ name }) => `${self} greets ${name}`),
    tool('links', { description: 'Links to what it has' }, () => [
      link({ uri: 'note://same', name: 'same' }),
      link({ uri: 'secret://unlisted/7', name: 'unlisted' }),
      embed('note://same', `embedded by ${self}`),
    ]),
    tool('ask', { description: 'Asks a form' }, async (_, ctx) => {
      const answer = await ctx.elicit('who', 'Who?', person)
      return `${self} heard ${answer.action === 'accept' ? answer.content.name : answer.action}`
    }),
    tool('think', { description: 'Asks a model' }, async (_, ctx) => {
      const { content } = await ctx.sample('thought', 'Think')
      return `${self} was told ${JSON.stringify(content)}`
    }),
    tool(
      'look',
      { description: 'Asks for roots' },
      async (_, ctx) => `${self} sees ${(await ctx.roots()).map(({ uri }) => uri).join()}`,
    ),
    tool('count', { description: 'Counts and talks' }, (_, ctx) => {
      ctx.progress(1, 2, 'half')
      ctx.log('info', { counted: 1 }, 'counter')
      ctx.log('debug', 'too much')
      ctx.progress(2, 2, 'whole')
      return 'counted'
    }),
    tool(
      'wait',
      { description: 'Never ends by itself' },
      (_, ctx) =>
        new Promise((_resolve, reject) => ctx.signal.addEventListener('abort', () => reject(new Error('over')))),
    ),
    tool('later', { description: 'Runs as a task', execution: { taskSupport: 'optional' } }, () => [
      link({ uri: 'note://same', name: `later ${self}` }),
    ]),
    tool('touch', { description: 'Changes its resource' }, () => {
      server.updated('note://same')
      server.updated(`note://${self}`)
      return 'touched'
    }),
    tool('grow', { description: 'Gets another tool' }, () => {
      server.add(tool('grown', { description: 'New' }, () => `grown at ${self}`))
      return 'grown'
    }),
    resource('note://same', { name: 'same', mimeType: 'text/plain' }, () => `the same of ${self}`),
    resource(`note://${self}`, { name: self, mimeType: 'text/plain' }, () => `the own of ${self}`),
    resource(
      'secret://unlisted/{page}',
      { name: 'pages', complete: { page: (value) => [`${value}-${self}`] } },
      ({ page }) => `page ${String(page)} of ${self}`,
    ),
    prompt(
      'hi',
      { description: 'Says hi', arguments: { tone: {} }, complete: { tone: (value) => [`${value}-${self}`] } },
      () => [user(`Hi from ${self}`), user(embed('note://same', `embedded by ${self}`))],
    ),
  )
}
