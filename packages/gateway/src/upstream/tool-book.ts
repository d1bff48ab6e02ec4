/** The tools of a server as the gateway knows them: which ones clients see, under which names, and what their definitions say. */
import { ParleyError, type Tool } from 'parley-mcp'
import { type Body, type HeaderParam, headerParamsOf } from 'parley-mcp/engine'
import { type PinBook, type ToolFilter, toolFilter } from '../catalogue/index.ts'
import type { Upstream } from './upstream.ts'

const NO_PARAMS: readonly HeaderParam[] = []
/** Most pages of one list. */
const MOST_PAGES = 1000
/** How often a list that changes while it is read is read again. */
const MOST_ATTEMPTS = 3

export class ToolBook {
  readonly #upstream: Upstream
  readonly #filter: ToolFilter
  /** By the name at the server: all of them once the whole list was read, before that those that clients have seen. */
  #known = new Map<string, Tool>()
  #isComplete = false
  /** Raised when the list has changed: what was read before is of no use then. */
  #generation = 0
  #learning: Promise<void> | undefined
  #relearning: Promise<void> | undefined
  /** What was found in definitions, which are looked at with every call. */
  readonly #params = new WeakMap<Tool, readonly HeaderParam[]>()
  #said = new Set<string>()
  /** Set by whoever keeps the pins. */
  pins: PinBook | undefined

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#filter = toolFilter(upstream.config.tools)
  }

  /** False when lists can be handed on as they are. */
  get changesLists(): boolean {
    return this.#filter.active || this.#pinning
  }

  /** The name at the server; throws for tools that clients do not see. */
  toServer(name: string): string {
    const original = this.#filter.active ? this.#filter.toServer(name) : name
    this.pins?.guard(this.#upstream.name, original, this.#upstream.config.tools.pin)
    return original
  }

  /** One page of the list, as clients may see it. */
  shown(listed: readonly Tool[]): readonly Tool[] {
    const { name, config } = this.#upstream
    const tools = listed.every(isNamed) ? listed : listed.filter(isNamed)
    if (tools !== listed) this.#say(`Server "${name}" lists tools without a name, which nobody could call: they are left out`)
    this.#learn(tools)
    const pinned = this.#pinning ? this.pins?.apply(name, tools, config.tools.pin) : undefined
    for (const { tool, expected } of pinned?.changes ?? []) {
      const what = config.tools.pin === 'block' ? 'is hidden' : 'is shown all the same'
      this.#say(`The definition of tool "${tool}" of server "${name}" is not the one that was pinned (${(expected ?? 'none').slice(0, 12)}…): it ${what}`)
    }
    const { tools: filtered, problems } = this.#filter.apply(pinned?.tools ?? tools)
    for (const problem of problems) this.#say(`Server "${name}": ${problem}`)
    return filtered
  }

  /** A definition by the name clients use; `undefined` when it is not known (yet). */
  definition(name: string): Tool | undefined {
    try {
      return this.#known.get(this.#filter.active ? this.#filter.toServer(name) : name)
    } catch {
      return undefined
    }
  }

  /** A definition by the name at the server. */
  original(name: string): Tool | undefined {
    return this.#known.get(name)
  }

  /** The arguments of a tool that travel in headers as well; the list is read first if need be (D-60). */
  headerParams(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (!this.#isComplete && this.definition(name) === undefined) return this.learn().then(() => this.#paramsIn(this.definition(name)))
    return this.#paramsIn(this.definition(name))
  }

  /** The same by the name at the server, for calls on their way there: also of tools that clients do not see. */
  headerParamsOfOriginal(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (this.#isComplete || this.#known.has(name)) return this.#paramsIn(this.#known.get(name))
    return this.learn().then(() => this.#paramsIn(this.#known.get(name)))
  }

  /** The server finds that what is known of its tools is wrong. Calls that hear so at the same time read the list once. */
  relearn(): Promise<void> {
    this.#relearning ??= this.#learnAnew().finally(() => {
      this.#relearning = undefined
    })
    return this.#relearning
  }

  /** Resolves when the list has been read, now or before. */
  async seen(): Promise<void> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS && !this.#isComplete; attempt++) await this.learn()
  }

  /** Reads the whole list. */
  learn(): Promise<void> {
    this.#learning ??= this.#readAll().finally(() => {
      this.#learning = undefined
    })
    return this.#learning
  }

  forget(): void {
    this.#generation++
    this.#known = new Map()
    this.#isComplete = false
  }

  get #pinning(): boolean {
    return this.#upstream.config.tools.pin !== 'off' && this.pins !== undefined
  }

  #paramsIn(tool: Tool | undefined): readonly HeaderParam[] {
    if (tool === undefined) return NO_PARAMS
    let params = this.#params.get(tool)
    if (params === undefined) {
      const found = headerParamsOf(tool.inputSchema)
      params = typeof found === 'string' ? NO_PARAMS : found
      this.#params.set(tool, params)
    }
    return params
  }

  async #learnAnew(): Promise<void> {
    // What is being read now may have been written before.
    await this.#learning?.catch(() => {})
    this.forget()
    await this.learn()
  }

  #learn(tools: readonly Tool[]): void {
    for (const tool of tools) this.#known.set(tool.name, tool)
  }

  async #readAll(): Promise<void> {
    // Lists are the same for everybody (D-53): no conversation is begun for this one.
    const line = this.#upstream.anyLine ?? (await this.#upstream.home())
    const generation = this.#generation
    if (!line.client.session.hasPeerCapability('tools')) {
      this.#isComplete = true
      return
    }
    const found = new Map<string, Tool>()
    let cursor: unknown
    for (let page = 0; page < MOST_PAGES; page++) {
      const params: Body = cursor === undefined ? {} : { cursor }
      const result = await line.request('tools/list', params, {})
      if (!Array.isArray(result['tools']))
        throw new ParleyError('invalid_answer', { message: `Server "${this.#upstream.name}" answered tools/list without tools` })
      for (const tool of (result['tools'] as Tool[]).filter(isNamed)) found.set(tool.name, tool)
      cursor = result['nextCursor']
      if (cursor === undefined) break
    }
    this.#known = found
    this.#isComplete = generation === this.#generation
    if (this.changesLists) this.shown([...found.values()])
  }

  /** Once, however often the list is read. */
  #say(message: string): void {
    if (this.#said.has(message) || this.#said.size > 1000) return
    this.#said.add(message)
    this.#upstream.log.warning(message, { server: this.#upstream.name })
  }
}

function isNamed(tool: Tool | null): boolean {
  return typeof tool?.name === 'string'
}
