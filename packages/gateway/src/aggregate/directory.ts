/** Finds the server of a name, a URI or a task, and its name at that server. */
import { ParleyError } from 'parley-mcp'
import { type FoundName, isAppUri } from '../catalogue/index.ts'
import type { Subject, Upstream } from '../upstream/index.ts'
import type { BareTools } from './bare-tools.ts'
import type { ListMethod, Lists } from './lists.ts'
import type { NameIndex } from './name-index.ts'
import type { TaskIds } from './task-ids.ts'

export interface Route {
  readonly upstream: Upstream
  /** A name, a URI or the id of a task. */
  readonly nameAtServer: string
}

interface Naming {
  readonly what: string
  readonly method: ListMethod
  readonly kind: 'tool_not_found' | 'prompt_not_found'
  readonly find: (nameIndex: NameIndex, name: string) => FoundName | undefined
}

const TOOLS: Naming = {
  what: 'tool',
  method: 'tools/list',
  kind: 'tool_not_found',
  find: (nameIndex, name) => nameIndex.findTool(name),
}
const PROMPTS: Naming = {
  what: 'prompt',
  method: 'prompts/list',
  kind: 'prompt_not_found',
  find: (nameIndex, name) => nameIndex.findPrompt(name),
}

/** Of a name that an error repeats. */
const MAX_SHOWN_CHARACTERS = 200
const MAX_CANDIDATES = 20

export class Directory {
  readonly #nameIndex: NameIndex
  readonly #lists: Lists
  readonly #tasks: TaskIds
  readonly #bareTools: BareTools

  constructor(nameIndex: NameIndex, lists: Lists, tasks: TaskIds, bareTools: BareTools) {
    this.#nameIndex = nameIndex
    this.#lists = lists
    this.#tasks = tasks
    this.#bareTools = bareTools
  }

  /**
   * By the public name, or else by the name at the server if only one server has it. `readClientTools` reads the lists
   * that only this client sees.
   */
  async tool(name: unknown, readClientTools?: () => Promise<void>): Promise<Route> {
    const route = await this.#named(TOOLS, name)
    if (route !== undefined) return route
    await readClientTools?.()
    const bare = name as string
    const [upstream, ...others] = await this.#bareTools.owners(bare)
    if (upstream === undefined) throw unknown(TOOLS, bare)
    if (others.length > 0)
      throw ambiguous(
        bare,
        [upstream, ...others].map(({ name: server }) => this.#nameIndex.toolName(server, bare)),
      )
    return { upstream, nameAtServer: bare }
  }

  async prompt(name: unknown): Promise<Route> {
    const route = await this.#named(PROMPTS, name)
    if (route === undefined) throw unknown(PROMPTS, name as string)
    return route
  }

  /** Sends no request. */
  knownTool(name: string): Route | undefined {
    const found = this.#nameIndex.findTool(name)
    const route = this.#route(found?.server, found?.name)
    if (route !== undefined) return route
    const [upstream, ...others] = this.#bareTools.knownOwners(name)
    return upstream === undefined || others.length > 0 ? undefined : { upstream, nameAtServer: name }
  }

  /** Sends no request. */
  known({ kind, name }: Subject): Route | undefined {
    if (kind === 'tool') return this.knownTool(name)
    if (kind === 'task') return this.findTask(name)
    const found = kind === 'prompt' ? this.#nameIndex.findPrompt(name) : undefined
    const routed = kind === 'resource' ? this.#nameIndex.route(name) : undefined
    return this.#route(found?.server ?? routed?.server, found?.name ?? routed?.uri)
  }

  /**
   * The lists may be unread since the gateway was started. Then this reads those that decide which server has the URI.
   */
  async resource(uri: unknown): Promise<Route> {
    if (typeof uri !== 'string') throw new ParleyError('invalid_params', { message: '"uri" must be a string' })
    const offerer = this.#nameIndex.offeredBy(uri)
    // A page of an app must be at one server only, so the servers after the first one count as well.
    if (offerer !== undefined)
      await (isAppUri(uri) ? this.#lists.waitForReached() : this.#lists.waitForServersBefore(offerer))
    else if (this.#nameIndex.route(uri) === undefined)
      await this.#lists.discoverResources((unread) => this.#isDecided(uri, unread))
    const routed = this.#nameIndex.route(uri)
    const upstream = this.#nameIndex.server(routed?.server)
    if (upstream === undefined || routed === undefined) {
      throw new ParleyError('resource_not_found', {
        message: `Resource not found: ${uri.slice(0, 200)}: ${this.#whyNot(uri)}`,
        data: { uri },
      })
    }
    return { upstream, nameAtServer: routed.uri }
  }

  /** Whether the `unread` lists cannot change the server of a URI any more. */
  #isDecided(uri: string, unread: ReadonlyMap<string, unknown>): boolean {
    return isAppUri(uri) ? unread.size === 0 : this.#nameIndex.ownerOf(uri, unread) !== undefined
  }

  #whyNot(uri: string): string {
    const offerers = this.#nameIndex.offerers(uri)
    if (offerers.length < 2) return 'no server here lists it, has a template for it or has linked to it'
    return `several servers have it; ask for ${offerers.map((server) => this.#nameIndex.publicUri(server, uri)).join(' or ')}`.slice(
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
    return this.#route(routed?.server, routed?.taskId)
  }

  #route(server: string | undefined, nameAtServer: string | undefined): Route | undefined {
    const upstream = this.#nameIndex.server(server)
    return upstream === undefined || nameAtServer === undefined ? undefined : { upstream, nameAtServer }
  }

  /** `undefined`: the name contains no known server. */
  async #named(naming: Naming, name: unknown): Promise<Route | undefined> {
    const { method, find } = naming
    if (typeof name !== 'string') throw new ParleyError('invalid_params', { message: '"name" must be a string' })
    let found = find(this.#nameIndex, name)
    const upstream = this.#nameIndex.server(found?.server)
    if (upstream === undefined) return undefined
    // A shortened name is only known after its list was read.
    if (found?.name === undefined) {
      await this.#lists.read(method, upstream)
      found = find(this.#nameIndex, name)
    }
    if (found?.name === undefined) throw unknown(naming, name)
    return { upstream, nameAtServer: found.name }
  }
}

function unknown({ what, kind }: Naming, name: string): ParleyError {
  const shown = name.slice(0, MAX_SHOWN_CHARACTERS)
  return new ParleyError(kind, {
    message: `Unknown ${what}: ${shown}; names here are <server>__<name>`,
    data: { name: shown },
  })
}

function ambiguous(name: string, candidates: readonly string[]): ParleyError {
  const shown = name.slice(0, MAX_SHOWN_CHARACTERS)
  const named = candidates.slice(0, MAX_CANDIDATES).join(', ')
  const message = `Unknown tool: ${shown}; names here are <server>__<name>, and several servers have a tool of that name: call one of ${named}`
  return new ParleyError('tool_not_found', {
    message,
    data: { name: shown, candidates: candidates.slice(0, MAX_CANDIDATES) },
  })
}
