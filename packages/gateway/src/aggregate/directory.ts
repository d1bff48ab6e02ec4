/** Which server a name, a URI or a task belongs to, and what it is called there. */
import { ParleyError } from 'parley-mcp'
import type { ServedUpstream } from '../bridge/index.ts'
import type { FoundName } from '../catalogue/index.ts'
import type { Subject } from '../upstream/index.ts'
import type { ListMethod, Lists } from './lists.ts'
import type { Offers } from './offers.ts'
import type { TaskIds } from './task-ids.ts'

export interface Route {
  readonly served: ServedUpstream
  /** The name, URI or id at the server. */
  readonly own: string
}

interface Naming {
  readonly what: string
  readonly method: ListMethod
  readonly kind: 'tool_not_found' | 'prompt_not_found'
  readonly find: (offers: Offers, name: string) => FoundName | undefined
}

const TOOLS: Naming = { what: 'tool', method: 'tools/list', kind: 'tool_not_found', find: (offers, name) => offers.findTool(name) }
const PROMPTS: Naming = { what: 'prompt', method: 'prompts/list', kind: 'prompt_not_found', find: (offers, name) => offers.findPrompt(name) }

export class Directory {
  readonly #offers: Offers
  readonly #lists: Lists
  readonly #tasks: TaskIds

  constructor(offers: Offers, lists: Lists, tasks: TaskIds) {
    this.#offers = offers
    this.#lists = lists
    this.#tasks = tasks
  }

  tool(name: unknown): Promise<Route> {
    return this.#named(TOOLS, name)
  }

  prompt(name: unknown): Promise<Route> {
    return this.#named(PROMPTS, name)
  }

  /** Without asking anybody. */
  knownTool(name: string): Route | undefined {
    const found = this.#offers.findTool(name)
    return this.#route(found?.server, found?.name)
  }

  /** Without asking anybody. */
  known({ kind, name }: Subject): Route | undefined {
    if (kind === 'tool') return this.knownTool(name)
    if (kind === 'task') return this.findTask(name)
    const found = kind === 'prompt' ? this.#offers.findPrompt(name) : undefined
    const routed = kind === 'resource' ? this.#offers.route(name) : undefined
    return this.#route(found?.server ?? routed?.server, found?.name ?? routed?.uri)
  }

  /** Nobody may have read the lists since the gateway was started; then they are read now, as far as they decide whose it is. */
  async resource(uri: unknown): Promise<Route> {
    if (typeof uri !== 'string') throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
    const offerer = this.#offers.offeredBy(uri)
    if (offerer !== undefined) await this.#lists.knownBefore(offerer)
    else if (this.#offers.route(uri) === undefined) await this.#lists.learnResources((unread) => this.#offers.ownerOf(uri, unread) !== undefined)
    const routed = this.#offers.route(uri)
    const served = this.#offers.server(routed?.server)
    if (served === undefined || routed === undefined) {
      const message = `Resource not found: ${uri.slice(0, 200)}: no server here lists it, has a template for it or has spoken of it`
      throw new ParleyError('resource_not_found', { message, data: { uri } })
    }
    return { served, own: routed.uri }
  }

  task(taskId: unknown): Route {
    if (typeof taskId !== 'string') throw new ParleyError('invalid_params', { message: '"taskId" must be a string' })
    const route = this.findTask(taskId)
    if (route === undefined) throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown here, or its time is over' })
    return route
  }

  findTask(taskId: string): Route | undefined {
    const routed = this.#tasks.route(taskId)
    return this.#route(routed?.server, routed?.own)
  }

  #route(server: string | undefined, own: string | undefined): Route | undefined {
    const served = this.#offers.server(server)
    return served === undefined || own === undefined ? undefined : { served, own }
  }

  async #named({ what, method, kind, find }: Naming, name: unknown): Promise<Route> {
    if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
    let found = find(this.#offers, name)
    const served = this.#offers.server(found?.server)
    // Shortened names are known by the list they stand in.
    if (served !== undefined && found?.name === undefined) {
      await this.#lists.read(method, served)
      found = find(this.#offers, name)
    }
    if (served === undefined || found?.name === undefined) {
      throw new ParleyError(kind, { message: `Unknown ${what}: ${name.slice(0, 200)}; names here are <server>__<name>`, data: { name: name.slice(0, 200) } })
    }
    return { served, own: found.name }
  }
}
