/** What a client meets at the address of all servers: one server with the tools, resources and prompts of all. */
import { eraOf, type LogLevel, logLevels, ParleyError } from 'parley-mcp'
import { type Answer, type Body, type Endpoint, type HeaderParam, type Inbound, type Introduction, isObject, Serialised, type Session } from 'parley-mcp/engine'
import type { ServedUpstream, ServerEndpoint } from '../bridge/index.ts'
import { mergeIntroductions } from '../catalogue/index.ts'
import type { Directory, Route } from './directory.ts'
import type { AggregateListeners } from './listeners.ts'
import { STATUS_URI, statusContents } from './status.ts'

/** What all clients of the aggregate share. */
export interface Whole {
  readonly self: { readonly name: string; readonly version: string }
  readonly servers: () => readonly ServedUpstream[]
  readonly directory: Directory
  readonly listeners: AggregateListeners
  /** Resolves when every server was reached or has had its chance. */
  settled(): Promise<void> | undefined
}

type Handler = (endpoint: AggregateEndpoint, inbound: Inbound) => Promise<Answer>
const NOTHING: Body = {}
const MOST_TASKS = 10_000

export class AggregateEndpoint implements Endpoint {
  readonly takesForeignState = true
  readonly whole: Whole
  /** This client's way to each server, from its first use on. */
  readonly #ways = new Map<ServedUpstream, { readonly endpoint: ServerEndpoint; ready: Promise<void> | undefined }>()
  /** Whose task is whose. */
  readonly #tasks = new Map<string, ServedUpstream>()
  #peer: Introduction | undefined
  #session: Session | undefined
  #level: LogLevel | undefined
  #statusFollowed: (() => void) | undefined

  constructor(whole: Whole) {
    this.whole = whole
  }

  prepare(peer: Introduction | undefined): Promise<void> | undefined {
    if (peer !== undefined) this.#peer = peer
    return this.whole.settled()
  }

  introduce(): Introduction {
    return mergeIntroductions(
      this.whole.servers().map(({ upstream }) => ({ name: upstream.name, introduction: upstream.introduction })),
      this.whole.self,
    )
  }

  answer(inbound: Inbound): Promise<Answer> {
    const { directory } = this.whole
    if (directory.isList(inbound.method)) return directory.page(inbound.method, inbound.params['cursor'])
    const handler = HANDLERS[inbound.method] ?? (inbound.method.startsWith('tasks/') ? askAboutTask : undefined)
    if (handler !== undefined) return handler(this, inbound)
    const message = `${inbound.method.slice(0, 200)} does not say which server it is for; ask that server at its own address, /servers/NAME/mcp`
    return Promise.reject(new ParleyError('method_not_found', { message }))
  }

  tool(name: string): Body | undefined {
    const route = this.whole.directory.knownTool(name)
    return route?.served.upstream.tools.definition(route.own) as Body | undefined
  }

  async headerParams(name: string): Promise<readonly HeaderParam[]> {
    const { served, own } = await this.whole.directory.tool(name)
    return served.upstream.tools.headerParams(own)
  }

  notified(method: string, params: Body): void {
    for (const { endpoint } of this.#ways.values()) endpoint.notified(method, params)
  }

  opened(session: Session): void {
    this.#session = session
    this.whole.listeners.add(session)
  }

  closing(session: Session): void {
    this.whole.listeners.endAll(session)
  }

  closed(session: Session): void {
    this.whole.listeners.remove(session)
    this.#statusFollowed?.()
    for (const { endpoint } of this.#ways.values()) endpoint.closed(session)
    this.#ways.clear()
  }

  /** Hands the request to the server it belongs to, in that server's words. */
  async send(inbound: Inbound, { served }: Route, params: Body): Promise<Answer> {
    const answer = await (await this.#wayTo(served, inbound)).answer(inbound, params)
    if (answer instanceof Serialised || !isObject(answer)) return answer
    this.#noteTask(answer as Body, served)
    return this.whole.directory.shown(served.upstream.name, answer as Body)
  }

  async setLevel(inbound: Inbound): Promise<Body> {
    const level = inbound.params['level'] as LogLevel
    if (!logLevels.includes(level)) throw new ParleyError('invalid_log_level', { message: `Invalid log level: use one of ${logLevels.join(', ')}` })
    this.#level = level
    await Promise.allSettled([...this.#ways.keys()].map(async (served) => this.#applyLevel(served)))
    return NOTHING
  }

  async subscribe(inbound: Inbound): Promise<Answer> {
    if (inbound.params['uri'] !== STATUS_URI) return this.#aboutResource(inbound)
    const { session } = inbound
    this.#statusFollowed ??= this.whole.listeners.onStatus(() => session.notify('notifications/resources/updated', { uri: STATUS_URI }))
    return NOTHING
  }

  async unsubscribe(inbound: Inbound): Promise<Answer> {
    if (inbound.params['uri'] !== STATUS_URI) return this.#aboutResource(inbound)
    this.#statusFollowed?.()
    this.#statusFollowed = undefined
    return NOTHING
  }

  async #aboutResource(inbound: Inbound): Promise<Answer> {
    const route = await this.whole.directory.resource(inbound.params['uri'])
    return this.send(inbound, route, { ...inbound.params, uri: route.own })
  }

  async aboutTask(inbound: Inbound): Promise<Answer> {
    if (inbound.method === 'tasks/list') return this.#listTasks(inbound)
    const served = this.#tasks.get(String(inbound.params['taskId']))
    if (served === undefined) throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown here, or its time is over' })
    return (await this.#wayTo(served, inbound)).answer(inbound)
  }

  /** Of the servers this client has used: nobody else can have tasks of it. */
  async #listTasks(inbound: Inbound): Promise<Body> {
    const lists = await Promise.allSettled([...this.#ways.values()].map(async ({ endpoint }) => (await endpoint.answer(inbound)) as Body))
    return { tasks: lists.flatMap((list) => (list.status === 'fulfilled' && Array.isArray(list.value['tasks']) ? list.value['tasks'] : [])) }
  }

  #noteTask(answer: Body, served: ServedUpstream): void {
    const task = isObject(answer['task']) ? answer['task'] : answer
    const id = task['taskId']
    if (typeof id !== 'string' || this.#tasks.has(id)) return
    this.#tasks.set(id, served)
    const [oldest] = this.#tasks.keys()
    if (this.#tasks.size > MOST_TASKS && oldest !== undefined) this.#tasks.delete(oldest)
  }

  async #wayTo(served: ServedUpstream, inbound: Inbound): Promise<ServerEndpoint> {
    served.upstream.demandUp()
    let way = this.#ways.get(served)
    if (way === undefined) {
      way = { endpoint: served.endpoint((uri) => this.whole.directory.publicUri(served.upstream.name, uri)), ready: undefined }
      this.#ways.set(served, way)
    }
    if (eraOf(inbound.caller.version) === 'stateless') return way.endpoint
    way.ready ??= this.#open(served, way.endpoint)
    try {
      await way.ready
    } catch (error) {
      way.ready = undefined
      throw error
    }
    return way.endpoint
  }

  async #open(served: ServedUpstream, endpoint: ServerEndpoint): Promise<void> {
    if (this.#peer === undefined || this.#session === undefined) throw new ParleyError('not_initialized', { message: 'The client is not ready yet' })
    await endpoint.prepare(this.#peer)
    endpoint.attach(this.#session)
    await this.#applyLevel(served)
  }

  async #applyLevel(served: ServedUpstream): Promise<void> {
    if (this.#level !== undefined) await this.#ways.get(served)?.endpoint.wantLevel(this.#level)
  }
}

const askAboutTask: Handler = (endpoint, inbound) => endpoint.aboutTask(inbound)

const HANDLERS: Readonly<Record<string, Handler>> = {
  'tools/call': async (endpoint, inbound) => {
    const route = await endpoint.whole.directory.tool(inbound.params['name'])
    return endpoint.send(inbound, route, { ...inbound.params, name: route.own })
  },
  'prompts/get': async (endpoint, inbound) => {
    const route = await endpoint.whole.directory.prompt(inbound.params['name'])
    return endpoint.send(inbound, route, { ...inbound.params, name: route.own })
  },
  'resources/read': async (endpoint, inbound) => {
    const { uri } = inbound.params
    if (uri === STATUS_URI) return statusContents(endpoint.whole.servers().map(({ upstream }) => upstream))
    const route = await endpoint.whole.directory.resource(uri)
    return endpoint.send(inbound, route, { ...inbound.params, uri: route.own })
  },
  'resources/subscribe': (endpoint, inbound) => endpoint.subscribe(inbound),
  'resources/unsubscribe': (endpoint, inbound) => endpoint.unsubscribe(inbound),
  'completion/complete': async (endpoint, inbound) => {
    const ref: unknown = inbound.params['ref']
    if (!isObject(ref)) throw new ParleyError('invalid_params', { message: '"ref" must be an object' })
    const isPrompt = ref['type'] === 'ref/prompt'
    const route = isPrompt ? await endpoint.whole.directory.prompt(ref['name']) : await endpoint.whole.directory.resource(ref['uri'])
    return endpoint.send(inbound, route, { ...inbound.params, ref: { ...ref, [isPrompt ? 'name' : 'uri']: route.own } })
  },
  'logging/setLevel': (endpoint, inbound) => endpoint.setLevel(inbound),
  'subscriptions/listen': (endpoint, inbound) => endpoint.whole.listeners.listen(inbound),
}
