/** The tools of one server: which of them clients see, their names for clients, and what their definitions say. */
import { ParleyError, type Tool } from 'parley-mcp'
import { type HeaderParam, weightOf } from 'parley-mcp/engine'
import { namesTools, straySettings, type ToolFilter, type ToolPins, toolFilter } from '../../catalogue/index.ts'
import type { ServerConfig } from '../../config/index.ts'
import type { GatewayLog } from '../../log/index.ts'
import type { Conversation } from '../conversation/conversation.ts'
import { Definitions, type KnownTool } from './definitions.ts'

const NO_PARAMS: readonly HeaderParam[] = []
/** How much of a list is read. The list of a faulty server may never end. */
const MAX_PAGES = 1000
const MAX_BYTES = 32 * 1024 * 1024
const TO_ACCEPT =
  'to accept it as it is now, take its line under the name of the server out of the pins file ("pins", else parley.pins.json) and restart'
const MAX_LIMITED_NAMES = 10_000
const MAX_WARNINGS = 1000
/** How often a list is read that changes while it is read. */
const MAX_ATTEMPTS = 3

interface ToolCatalogueHost {
  readonly name: string
  readonly log: GatewayLog
  readonly config: Pick<ServerConfig, 'tools'>
  readonly anyConversation: Conversation | undefined
  gatewayConversation(): Promise<Conversation>
}

export class ToolCatalogue {
  readonly #server: ToolCatalogueHost
  readonly #filter: ToolFilter
  /** By the name at the server. Before the whole list was read: only the tools that clients have seen. */
  #known = new Definitions()
  #isComplete = false
  /** Raised when the list has changed. Results of earlier reads are then out of date. */
  #generation = 0
  /** Names of tools that only some clients see. After a change they stay until such a list is read again. */
  readonly #shownToSome = new Set<string>()
  #shownToSomeAt = 0
  #reading: Promise<void> | undefined
  #readingAgain: Promise<void> | undefined
  readonly #warnings = new Set<string>()
  #pins: ToolPins | undefined

  constructor(server: ToolCatalogueHost) {
    this.#server = server
    this.#filter = toolFilter(server.config.tools)
  }

  usePins(pins: ToolPins | undefined): void {
    this.#pins = pins
  }

  /** Whether clients see other lists than those of the server. */
  get changesLists(): boolean {
    return this.#filter.active || this.#pinning
  }

  /** Whether the whole list was read, and has not changed since. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Changes whenever the list may have changed. */
  get generation(): number {
    return this.#generation
  }

  /** Adds the names, for clients, of tools in a list that only some clients see. */
  noteShownToSome(names: Iterable<string>): void {
    if (this.#shownToSomeAt !== this.#generation) this.#shownToSome.clear()
    this.#shownToSomeAt = this.#generation
    for (const name of names) if (this.#shownToSome.size < MAX_LIMITED_NAMES) this.#shownToSome.add(name)
  }

  /** Whether all or some clients see a tool with this name, as far as is known. */
  has(name: string): boolean {
    return this.#shownToSome.has(name) || this.definition(name) !== undefined
  }

  /** The name at the server. Throws for tools that clients do not see. */
  toServer(name: string): string {
    const original = this.#filter.active ? this.#filter.toServer(name) : name
    this.#pins?.guard(this.#server.name, original, this.#server.config.tools.pin)
    return original
  }

  /** The same without errors, for logs. Returns the name itself for tools that clients do not see. */
  nameAtServer(name: string): string {
    try {
      return this.#filter.active ? this.#filter.toServer(name) : name
    } catch {
      return name
    }
  }

  /** One page of the list, as clients see it. */
  shown(listed: readonly Tool[]): readonly Tool[] {
    const tools = this.#named(listed)
    for (const tool of tools) this.#known.put(tool)
    return this.#filtered(tools)
  }

  #named(listed: readonly Tool[]): readonly Tool[] {
    if (listed.every(isNamed)) return listed
    this.#warn(
      `Server "${this.#server.name}" lists tools without a name: they are left out, because no client could call them`,
    )
    return listed.filter(isNamed)
  }

  #filtered(tools: readonly Tool[]): readonly Tool[] {
    const { name, config } = this.#server
    const pinned = this.#pinning ? this.#pins?.apply(name, tools, config.tools.pin) : undefined
    for (const { tool, expected } of pinned?.changes ?? []) {
      const what = config.tools.pin === 'block' ? 'is hidden' : 'is shown all the same'
      const pin = expected === undefined ? 'there are too many pins for its own' : `${expected.slice(0, 12)}…`
      this.#warn(
        `The definition of tool "${tool}" of server "${name}" is not the one that was pinned (${pin}): it ${what}; ${TO_ACCEPT}`,
      )
    }
    // A copy is not passed on as the text of the server. That text could hold a key twice, with one value checked here
    // and the other one read by clients.
    const { tools: filtered, problems } = this.#filter.apply(pinned === undefined ? tools : [...pinned.tools])
    for (const problem of problems) this.#warn(`Server "${name}": ${problem}`)
    return filtered
  }

  /** The definition with this name for clients. `undefined`: it is not known, or not yet. */
  definition(name: string): KnownTool | undefined {
    try {
      return this.#known.get(this.#filter.active ? this.#filter.toServer(name) : name)
    } catch {
      return undefined
    }
  }

  /** The definition with this name at the server. */
  original(name: string): KnownTool | undefined {
    return this.#known.get(name)
  }

  /** The arguments of a tool that are also sent in headers (D-60). Reads the list first if necessary. */
  headerParams(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (!this.#isComplete && this.definition(name) === undefined)
      return this.read().then(() => paramsOf(this.definition(name)))
    return paramsOf(this.definition(name))
  }

  /** The same by the name at the server, also for tools that clients do not see. */
  headerParamsOfOriginal(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (this.#isComplete || this.#known.has(name)) return paramsOf(this.#known.get(name))
    return this.read().then(() => paramsOf(this.#known.get(name)))
  }

  /**
   * The server says that the headers of a call are wrong. Reads the list again, once for all calls that fail meanwhile.
   */
  readAgain(): Promise<void> {
    this.#readingAgain ??= this.#readAnew().finally(() => {
      this.#readingAgain = undefined
    })
    return this.#readingAgain
  }

  /** Reads the list, unless it is known. */
  async readOnce(): Promise<void> {
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !this.#isComplete; attempt++) await this.read()
  }

  /**
   * Reads the list if the settings name tools, so that the operator learns about wrong names before clients use them.
   */
  async checkSettings(): Promise<void> {
    if (namesTools(this.#server.config.tools)) await this.readOnce()
  }

  /** Reads the whole list. */
  read(): Promise<void> {
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  forget(): void {
    this.#generation++
    this.#known = new Definitions()
    this.#isComplete = false
  }

  get #pinning(): boolean {
    return this.#server.config.tools.pin !== 'off' && this.#pins !== undefined
  }

  async #readAnew(): Promise<void> {
    // A read in progress may get the old list.
    await this.#reading?.catch(() => {})
    this.forget()
    await this.read()
  }

  async #readAll(): Promise<void> {
    // D-53: lists are the same for all clients, so any open conversation will do.
    const conversation = this.#server.anyConversation ?? (await this.#server.gatewayConversation())
    const generation = this.#generation
    if (!conversation.client.session.hasPeerCapability('tools')) {
      this.#isComplete = true
      this.#warnUnknownNames([])
      return
    }
    const found = new Definitions()
    const seen = new Set<string>()
    let room = MAX_BYTES
    let isCut = false
    let cursor: unknown
    while (!isCut) {
      const result = await conversation.request('tools/list', cursor === undefined ? {} : { cursor }, {})
      if (!Array.isArray(result['tools']))
        throw new ParleyError('invalid_answer', {
          message: `Server "${this.#server.name}" answered tools/list without tools`,
        })
      const tools = this.#named(result['tools'] as Tool[])
      for (const tool of tools) isCut = !found.put(tool) || isCut
      if (this.changesLists) this.#filtered(tools)
      room -= weightOf(result, MAX_BYTES)
      cursor = result['nextCursor']
      if (typeof cursor !== 'string') break
      isCut ||= room < 0 || seen.has(cursor) || seen.size >= MAX_PAGES
      seen.add(cursor)
    }
    if (isCut)
      this.#warn(
        `The list of tools of server "${this.#server.name}" is too long, or its pages repeat: the gateway uses its beginning`,
      )
    this.#known = found
    this.#isComplete = generation === this.#generation
    if (this.#isComplete && !isCut) this.#warnUnknownNames(found.names)
  }

  #warnUnknownNames(names: readonly string[]): void {
    const { name, config } = this.#server
    for (const { key, entry, meant } of straySettings(config.tools, names)) {
      const what = `tools.${key} ${JSON.stringify(entry)} fits no tool of ${JSON.stringify(name)}`
      this.#warn(meant === undefined ? what : `${what}; did you mean ${JSON.stringify(meant)}?`, what)
    }
  }

  /** Logs a warning once. `key`: the part of the message that is the same each time. */
  #warn(message: string, key: string = message): void {
    if (this.#warnings.has(key) || this.#warnings.size > MAX_WARNINGS) return
    this.#warnings.add(key)
    this.#server.log.warning(message, { server: this.#server.name })
  }
}

function isNamed(tool: Tool | null): boolean {
  return typeof tool?.name === 'string'
}

function paramsOf(tool: KnownTool | undefined): readonly HeaderParam[] {
  return tool?.headerParams ?? NO_PARAMS
}
