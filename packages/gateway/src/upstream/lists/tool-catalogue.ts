/**
 * Remembers the tools of one server, with their names and definitions, for the checks of calls by all clients, until the
 * list changes.
 */
import { ParleyError, type Tool } from 'parley-mcp'
import { type HeaderParam, weightOf } from 'parley-mcp/engine'
import { namesTools, straySettings, type ToolFilter, type ToolPins, toolFilter } from '../../catalogue/index.ts'
import type { Upstream } from '../upstream.ts'
import { Definitions, type KnownTool } from './definitions.ts'

const NO_PARAMS: readonly HeaderParam[] = []
/**
 * Most that is read of one list: a server whose list never ends must not take the memory, or the time, of all others.
 */
const MOST_PAGES = 1000
const MOST_BYTES = 32 * 1024 * 1024
const TO_ACCEPT =
  'to accept it as it is now, take its line under the name of the server out of the pins file ("pins", else parley.pins.json) and restart'
const MOST_NOTED = 10_000
/** How often a list that changes while it is read is read again. */
const MOST_ATTEMPTS = 3

export class ToolCatalogue {
  readonly #upstream: Upstream
  readonly #filter: ToolFilter
  /** By the name at the server: all of them once the whole list was read, before that those that clients have seen. */
  #known = new Definitions()
  #isComplete = false
  /** Raised when the list has changed: what was read before is of no use then. */
  #generation = 0
  /** Names of tools that some clients alone are shown; after a change they count until such a list is read again. */
  readonly #shownToSome = new Set<string>()
  #notedAt = 0
  #learning: Promise<void> | undefined
  #relearning: Promise<void> | undefined
  #said = new Set<string>()
  /** Set by whoever keeps the pins. */
  pins: ToolPins | undefined

  constructor(upstream: Upstream) {
    this.#upstream = upstream
    this.#filter = toolFilter(upstream.config.tools)
  }

  /** False when lists can be handed on as they are. */
  get changesLists(): boolean {
    return this.#filter.active || this.#pinning
  }

  /** Whether the whole list was read, and has not changed since. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** Another number as soon as the list may have changed. */
  get generation(): number {
    return this.#generation
  }

  /** Tools, by the names clients use, of a list that not everybody is shown. */
  note(names: Iterable<string>): void {
    if (this.#notedAt !== this.#generation) this.#shownToSome.clear()
    this.#notedAt = this.#generation
    for (const name of names) if (this.#shownToSome.size < MOST_NOTED) this.#shownToSome.add(name)
  }

  /** Whether clients, or some of them, are shown a tool of this name, as far as it is known. */
  has(name: string): boolean {
    return this.#shownToSome.has(name) || this.definition(name) !== undefined
  }

  /** The name at the server; throws for tools that clients do not see. */
  toServer(name: string): string {
    const original = this.#filter.active ? this.#filter.toServer(name) : name
    this.pins?.guard(this.#upstream.name, original, this.#upstream.config.tools.pin)
    return original
  }

  /** The same for whoever only wants to name it: what clients do not see is called what they call it. */
  nameAtServer(name: string): string {
    try {
      return this.#filter.active ? this.#filter.toServer(name) : name
    } catch {
      return name
    }
  }

  /** One page of the list, as clients may see it. */
  shown(listed: readonly Tool[]): readonly Tool[] {
    const tools = this.#named(listed)
    for (const tool of tools) this.#known.put(tool)
    return this.#checked(tools)
  }

  #named(listed: readonly Tool[]): readonly Tool[] {
    if (listed.every(isNamed)) return listed
    this.#say(`Server "${this.#upstream.name}" lists tools without a name, which nobody could call: they are left out`)
    return listed.filter(isNamed)
  }

  #checked(tools: readonly Tool[]): readonly Tool[] {
    const { name, config } = this.#upstream
    const pinned = this.#pinning ? this.pins?.apply(name, tools, config.tools.pin) : undefined
    for (const { tool, expected } of pinned?.changes ?? []) {
      const what = config.tools.pin === 'block' ? 'is hidden' : 'is shown all the same'
      const pin = expected === undefined ? 'there are too many pins for its own' : `${expected.slice(0, 12)}…`
      this.#say(
        `The definition of tool "${tool}" of server "${name}" is not the one that was pinned (${pin}): it ${what}; ${TO_ACCEPT}`,
      )
    }
    // A list of its own is written anew. In the words of the server a definition could say two things at once: one was
    // looked at here, clients may read the other.
    const { tools: filtered, problems } = this.#filter.apply(pinned === undefined ? tools : [...pinned.tools])
    for (const problem of problems) this.#say(`Server "${name}": ${problem}`)
    return filtered
  }

  /** A definition by the name clients use; `undefined` when it is not known (yet). */
  definition(name: string): KnownTool | undefined {
    try {
      return this.#known.get(this.#filter.active ? this.#filter.toServer(name) : name)
    } catch {
      return undefined
    }
  }

  /** A definition by the name at the server. */
  original(name: string): KnownTool | undefined {
    return this.#known.get(name)
  }

  /** The arguments of a tool that travel in headers as well; the list is read first if need be (D-60). */
  headerParams(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (!this.#isComplete && this.definition(name) === undefined)
      return this.learn().then(() => paramsOf(this.definition(name)))
    return paramsOf(this.definition(name))
  }

  /** The same by the name at the server, for calls on their way there: also of tools that clients do not see. */
  headerParamsOfOriginal(name: string): readonly HeaderParam[] | Promise<readonly HeaderParam[]> {
    if (this.#isComplete || this.#known.has(name)) return paramsOf(this.#known.get(name))
    return this.learn().then(() => paramsOf(this.#known.get(name)))
  }

  /**
   * The server finds that what is known of its tools is wrong. Calls that hear so at the same time read the list once.
   */
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

  /**
   * Reads the list, now or before, where the settings name tools: whoever has written them learns of mistakes before
   * clients see what comes of them.
   */
  async checkSettings(): Promise<void> {
    if (namesTools(this.#upstream.config.tools)) await this.seen()
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
    this.#known = new Definitions()
    this.#isComplete = false
  }

  get #pinning(): boolean {
    return this.#upstream.config.tools.pin !== 'off' && this.pins !== undefined
  }

  async #learnAnew(): Promise<void> {
    // What is being read now may have been written before.
    await this.#learning?.catch(() => {})
    this.forget()
    await this.learn()
  }

  async #readAll(): Promise<void> {
    // Lists are the same for everybody (D-53): no conversation is begun for this one.
    const conversation = this.#upstream.anyConversation ?? (await this.#upstream.gatewayConversation())
    const generation = this.#generation
    if (!conversation.client.session.hasPeerCapability('tools')) {
      this.#isComplete = true
      this.#sayStrays([])
      return
    }
    const found = new Definitions()
    const seen = new Set<string>()
    let room = MOST_BYTES
    let isCut = false
    let cursor: unknown
    while (!isCut) {
      const result = await conversation.request('tools/list', cursor === undefined ? {} : { cursor }, {})
      if (!Array.isArray(result['tools']))
        throw new ParleyError('invalid_answer', {
          message: `Server "${this.#upstream.name}" answered tools/list without tools`,
        })
      const tools = this.#named(result['tools'] as Tool[])
      for (const tool of tools) isCut = !found.put(tool) || isCut
      if (this.changesLists) this.#checked(tools)
      room -= weightOf(result, MOST_BYTES)
      cursor = result['nextCursor']
      if (typeof cursor !== 'string') break
      isCut ||= room < 0 || seen.has(cursor) || seen.size >= MOST_PAGES
      seen.add(cursor)
    }
    if (isCut)
      this.#say(
        `The list of tools of server "${this.#upstream.name}" is too long, or leads back to itself: the gateway goes by its beginning`,
      )
    this.#known = found
    this.#isComplete = generation === this.#generation
    if (this.#isComplete && !isCut) this.#sayStrays(found.names)
  }

  #sayStrays(names: readonly string[]): void {
    const { name, config } = this.#upstream
    for (const { key, entry, meant } of straySettings(config.tools, names)) {
      const what = `tools.${key} ${JSON.stringify(entry)} fits no tool of ${JSON.stringify(name)}`
      this.#say(meant === undefined ? what : `${what}; did you mean ${JSON.stringify(meant)}?`, what)
    }
  }

  /** Once, however often the list is read; `what`: that which is the same every time. */
  #say(message: string, what: string = message): void {
    if (this.#said.has(what) || this.#said.size > 1000) return
    this.#said.add(what)
    this.#upstream.log.warning(message, { server: this.#upstream.name })
  }
}

function isNamed(tool: Tool | null): boolean {
  return typeof tool?.name === 'string'
}

function paramsOf(tool: KnownTool | undefined): readonly HeaderParam[] {
  return tool?.headerParams ?? NO_PARAMS
}
