/** What a client meets at the address of one server: that server, in the client's own version and era. */
import { eraOf, type LogLevel, ParleyError, type ProtocolVersion, type Tool } from 'parley-mcp'
import type { Answer, Body, Endpoint, HeaderParam, Inbound, Introduction, Session, Subscription } from 'parley-mcp/engine'
import { type Line, UNKNOWN, type Upstream } from '../upstream/index.ts'
import { BridgedCall } from './call.ts'
import { identityFor } from './identity.ts'
import type { Listeners } from './listeners.ts'
import { relay } from './relay.ts'
import { relayStateless } from './stateless.ts'
import type { TaskBridge } from './tasks.ts'

/** What all clients of one server share. */
export interface Shared {
  readonly upstream: Upstream
  readonly listeners: Listeners
  readonly tasks: TaskBridge
  /** What clients call a resource, where that is not what the server calls it. */
  readonly publicUri?: (uri: string) => string
}

type Handler = (endpoint: ServerEndpoint, inbound: Inbound, line: Line, params: Body) => Promise<Answer>

const KINDS = ['tools', 'prompts', 'resources'] as const

export class ServerEndpoint implements Endpoint {
  readonly takesForeignState = true
  readonly upstream: Upstream
  readonly #shared: Shared
  /** Of a client of the handshake era: the conversation that is its own. */
  #line: Line | undefined
  #session: Session | undefined
  #peer: Introduction | undefined
  #reopening: Promise<void> | undefined
  #level: LogLevel | undefined
  readonly #subscriptions = new Map<string, Subscription>()
  #closed = false

  constructor(shared: Shared) {
    this.upstream = shared.upstream
    this.#shared = shared
  }

  /** L4: a client is let in when the server has been reached, and is told clearly when it cannot be. */
  prepare(peer: Introduction | undefined): Promise<void> | undefined {
    return peer === undefined ? this.upstream.ready() : this.#openLine(peer)
  }

  introduce(): Introduction {
    return this.upstream.introduction ?? UNKNOWN
  }

  /** `params`: with the names and URIs of the server itself. */
  answer(inbound: Inbound, params: Body = inbound.params): Promise<Answer> {
    if (eraOf(inbound.caller.version) === 'stateless') return relayStateless(inbound, this.#shared, params)
    const line = this.#line
    if (line === undefined) return Promise.reject(new ParleyError('not_initialized', { message: `${inbound.method} came before initialize` }))
    return line.ready ? this.#answerWith(line, inbound, params) : this.#lineAgain().then((again) => this.#answerWith(again, inbound, params))
  }

  #answerWith(line: Line, inbound: Inbound, params: Body): Promise<Answer> {
    const handler = HANDLERS[inbound.method] ?? (inbound.method.startsWith('tasks/') ? TASKS : undefined)
    return handler === undefined ? relay(new BridgedCall(inbound), line, params, this.upstream) : handler(this, inbound, line, params)
  }

  tool(name: string): Body | undefined {
    return this.upstream.tools.definition(name) as Body | undefined
  }

  headerParams(tool: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    return this.upstream.tools.headerParams(tool)
  }

  /** What the client tells is the server's business, as far as it has a session there. */
  notified(method: string, params: Body): void {
    if (method === 'notifications/roots/list_changed' && this.#line !== undefined) this.#line.roots = undefined
    this.#line?.client.notify(method, params)
  }

  /** Whom the server can ask and tell from now on. */
  attach(session: Session): void {
    this.#session = session
  }

  opened(session: Session): void {
    const line = this.#line
    if (line === undefined) return
    this.attach(session)
    for (const kind of KINDS) {
      if (line.client.session.hasPeerCapability(kind)) line.client.onListChanged(kind, () => session.notify(`notifications/${kind}/list_changed`))
    }
  }

  closing(session: Session): void {
    this.#shared.listeners.endAll(session)
  }

  closed(session: Session): void {
    this.#closed = true
    this.#shared.listeners.endAll(session)
    this.#shared.tasks.release(session)
    void this.#line?.close()
  }

  // What the protocol says differently in each era, and the client of the SDK says for us

  async setLevel(inbound: Inbound, line: Line): Promise<Body> {
    const level = inbound.params['level'] as LogLevel
    await line.client.setLogLevel(level, { signal: inbound.signal })
    this.#level = level
    return {}
  }

  /** For whoever asks several servers at once: those without log messages are left alone. */
  async wantLevel(level: LogLevel): Promise<void> {
    if (this.#line?.client.session.hasPeerCapability('logging')) await this.#line.client.setLogLevel(level)
  }

  async subscribe(inbound: Inbound, line: Line, params: Body): Promise<Body> {
    const uri = uriIn(params)
    if (this.#subscriptions.has(uri)) return {}
    this.#session ??= inbound.session
    const subscription = await this.#follow(line, uri)
    if (this.#closed || this.#subscriptions.has(uri)) await subscription.unsubscribe()
    else this.#subscriptions.set(uri, subscription)
    return {}
  }

  async unsubscribe(params: Body): Promise<Body> {
    const uri = uriIn(params)
    const subscription = this.#subscriptions.get(uri)
    this.#subscriptions.delete(uri)
    await subscription?.unsubscribe()
    return {}
  }

  async listTools(inbound: Inbound, line: Line): Promise<Answer> {
    const result = await relay(new BridgedCall(inbound), line, inbound.params, this.upstream)
    return withTools(result, (tools) => this.upstream.tools.shown(tools))
  }

  async callTool(inbound: Inbound, line: Line, params: Body): Promise<Answer> {
    return this.#shared.tasks.call(new BridgedCall(inbound), line, await callParams(params, this.upstream))
  }

  askAboutTask(inbound: Inbound, line: Line): Promise<Answer> {
    return this.#shared.tasks.ask(new BridgedCall(inbound), line)
  }

  /** The server was away. Its supervisor says whether it can be had again; a client whose session has outlived the server's does not notice more. */
  async #lineAgain(): Promise<Line> {
    this.upstream.demandUp()
    if (this.#line?.open) return this.#line
    this.#reopening ??= this.#reopen().finally(() => {
      this.#reopening = undefined
    })
    await this.#reopening
    return this.#line as Line
  }

  async #reopen(): Promise<void> {
    const session = this.#session
    await this.#openLine(this.#peer as Introduction)
    if (session !== undefined) this.opened(session)
    const line = this.#line as Line
    if (this.#level !== undefined) await this.wantLevel(this.#level).catch(() => {})
    for (const uri of [...this.#subscriptions.keys()]) {
      const again = await this.#follow(line, uri).catch(() => undefined)
      if (again === undefined) this.#subscriptions.delete(uri)
      else this.#subscriptions.set(uri, again)
    }
    // Whatever has changed meanwhile nobody has told.
    for (const kind of KINDS) if (line.client.session.hasPeerCapability(kind)) session?.notify(`notifications/${kind}/list_changed`)
    for (const uri of this.#subscriptions.keys()) session?.notify('notifications/resources/updated', { uri: this.#shared.publicUri?.(uri) ?? uri })
  }

  #follow(line: Line, uri: string): Promise<Subscription> {
    return line.subscribe(
      uri,
      (changed) => void this.#session?.notify('notifications/resources/updated', { uri: this.#shared.publicUri?.(changed) ?? changed }),
    )
  }

  async #openLine(peer: Introduction): Promise<void> {
    this.upstream.demandUp()
    this.#peer = peer
    const version = (): ProtocolVersion | undefined => this.#session?.version
    const line = await this.upstream.openLine(
      identityFor(peer),
      {
        get version() {
          return version()
        },
        ask: (question) => {
          if (this.#session === undefined) throw new ParleyError('not_initialized', { message: 'The client is not ready yet' })
          return this.#session.request(question.method, question.params, { timeout: '10m', signal: question.signal })
        },
        tell: (method, params) => void this.#session?.notify(method, params),
      },
      true,
    )
    if (this.#closed) return void line.close()
    this.#line = line
  }
}

const TASKS: Handler = (endpoint, inbound, line) => endpoint.askAboutTask(inbound, line)

const HANDLERS: Readonly<Record<string, Handler>> = {
  'logging/setLevel': (endpoint, inbound, line) => endpoint.setLevel(inbound, line),
  'resources/subscribe': (endpoint, inbound, line, params) => endpoint.subscribe(inbound, line, params),
  'resources/unsubscribe': (endpoint, _inbound, _line, params) => endpoint.unsubscribe(params),
  'tools/list': (endpoint, inbound, line) => endpoint.listTools(inbound, line),
  'tools/call': (endpoint, inbound, line, params) => endpoint.callTool(inbound, line, params),
}

/** The name the server knows the tool by; where changed definitions are blocked, the list has been read before. */
export async function callParams(params: Body, upstream: Upstream): Promise<Body> {
  const name = params['name']
  if (typeof name !== 'string' || !upstream.tools.changesLists) return params
  await upstream.tools.seen()
  const own = upstream.tools.toServer(name)
  return own === name ? params : { ...params, name: own }
}

export function withTools(result: Answer, change: (tools: readonly Tool[]) => readonly Tool[]): Answer {
  const tools: unknown = (result as Body)['tools']
  if (!Array.isArray(tools)) return result
  const changed = change(tools as Tool[])
  return changed === tools ? result : { ...(result as Body), tools: [...changed] }
}

function uriIn({ uri }: Body): string {
  if (typeof uri === 'string') return uri
  throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
}
