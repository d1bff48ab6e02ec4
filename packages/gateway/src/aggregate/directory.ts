/** Which server a name, a URI or a task belongs to, and what it is called there. */
import { ParleyError } from 'parley-mcp'
import type { ServedUpstream } from '../bridge/index.ts'
import { type FoundName, isAppUri } from '../catalogue/index.ts'
import type { Subject } from '../upstream/index.ts'
import type { BareTools } from './bare-tools.ts'
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

const TOOLS: Naming = {
  what: 'tool',
  method: 'tools/list',
  kind: 'tool_not_found',
  find: (offers, name) => offers.findTool(name),
}
const PROMPTS: Naming = {
  what: 'prompt',
  method: 'prompts/list',
  kind: 'prompt_not_found',
  find: (offers, name) => offers.findPrompt(name),
}

/** Of a name, in characters, that an error repeats. */
const MOST_SHOWN = 200
const MOST_CANDIDATES = 20

export class Directory {
  readonly #offers: Offers
  readonly #lists: Lists
  readonly #tasks: TaskIds
  readonly #bareTools: BareTools

  constructor(offers: Offers, lists: Lists, tasks: TaskIds, bareTools: BareTools) {
    this.#offers = offers
    this.#lists = lists
    this.#tasks = tasks
    this.#bareTools = bareTools
  }

  /**
   * By the name clients are shown, or else by the name it has at the only server that has it. `readOwn` reads what the
   * client alone is shown.
   */
  async tool(name: unknown, readOwn?: () => Promise<void>): Promise<Route> {
    const route = await this.#named(TOOLS, name)
    if (route !== undefined) return route
    await readOwn?.()
    const bare = name as string
    const [served, ...others] = await this.#bareTools.owners(bare)
    if (served === undefined) throw unknown(TOOLS, bare)
    if (others.length > 0)
      throw ambiguous(
        bare,
        [served, ...others].map(({ upstream }) => this.#offers.toolName(upstream.name, bare)),
      )
    return { served, own: bare }
  }

  async prompt(name: unknown): Promise<Route> {
    const route = await this.#named(PROMPTS, name)
    if (route === undefined) throw unknown(PROMPTS, name as string)
    return route
  }

  /** Without asking anybody. */
  knownTool(name: string): Route | undefined {
    const found = this.#offers.findTool(name)
    const route = this.#route(found?.server, found?.name)
    if (route !== undefined) return route
    const [served, ...others] = this.#bareTools.knownOwners(name)
    return served === undefined || others.length > 0 ? undefined : { served, own: name }
  }

  /** Without asking anybody. */
  known({ kind, name }: Subject): Route | undefined {
    if (kind === 'tool') return this.knownTool(name)
    if (kind === 'task') return this.findTask(name)
    const found = kind === 'prompt' ? this.#offers.findPrompt(name) : undefined
    const routed = kind === 'resource' ? this.#offers.route(name) : undefined
    return this.#route(found?.server ?? routed?.server, found?.name ?? routed?.uri)
  }

  /**
   * Nobody may have read the lists since the gateway was started; then they are read now, as far as they decide whose
   * it is.
   */
  async resource(uri: unknown): Promise<Route> {
    if (typeof uri !== 'string') throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
    const offerer = this.#offers.offeredBy(uri)
    // Who answers for another page is whoever has it alone: those after the first one count, too.
    if (offerer !== undefined) await (isAppUri(uri) ? this.#lists.reached() : this.#lists.knownBefore(offerer))
    else if (this.#offers.route(uri) === undefined)
      await this.#lists.learnResources((unread) => this.#isDecided(uri, unread))
    const routed = this.#offers.route(uri)
    const served = this.#offers.server(routed?.server)
    if (served === undefined || routed === undefined) {
      throw new ParleyError('resource_not_found', {
        message: `Resource not found: ${uri.slice(0, 200)}: ${this.#whyNot(uri)}`,
        data: { uri },
      })
    }
    return { served, own: routed.uri }
  }

  /** Whether what is `unread` can make no difference any more to whose a URI is. */
  #isDecided(uri: string, unread: ReadonlyMap<string, unknown>): boolean {
    return isAppUri(uri) ? unread.size === 0 : this.#offers.ownerOf(uri, unread) !== undefined
  }

  #whyNot(uri: string): string {
    const offerers = this.#offers.offerers(uri)
    if (offerers.length < 2) return 'no server here lists it, has a template for it or has spoken of it'
    return `several servers have it; ask for ${offerers.map((server) => this.#offers.publicUri(server, uri)).join(' or ')}`.slice(
      0,
      1000,
    )
  }

  task(taskId: unknown): Route {
    if (typeof taskId !== 'string') throw new ParleyError('invalid_params', { message: '"taskId" must be a string' })
    const route = this.findTask(taskId)
    if (route === undefined)
      throw new ParleyError('task_not_found', { message: 'Task not found: it is unknown here, or its time is over' })
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

  /** `undefined`: no server is known by such a name. */
  async #named(naming: Naming, name: unknown): Promise<Route | undefined> {
    const { method, find } = naming
    if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
    let found = find(this.#offers, name)
    const served = this.#offers.server(found?.server)
    if (served === undefined) return undefined
    // Shortened names are known by the list they stand in.
    if (found?.name === undefined) {
      await this.#lists.read(method, served)
      found = find(this.#offers, name)
    }
    if (found?.name === undefined) throw unknown(naming, name)
    return { served, own: found.name }
  }
}

function unknown({ what, kind }: Naming, name: string): ParleyError {
  const shown = name.slice(0, MOST_SHOWN)
  return new ParleyError(kind, {
    message: `Unknown ${what}: ${shown}; names here are <server>__<name>`,
    data: { name: shown },
  })
}

function ambiguous(name: string, candidates: readonly string[]): ParleyError {
  const shown = name.slice(0, MOST_SHOWN)
  const named = candidates.slice(0, MOST_CANDIDATES).join(', ')
  const message = `Unknown tool: ${shown}; names here are <server>__<name>, and several servers have a tool of that name: call one of ${named}`
  return new ParleyError('tool_not_found', {
    message,
    data: { name: shown, candidates: candidates.slice(0, MOST_CANDIDATES) },
  })
}
