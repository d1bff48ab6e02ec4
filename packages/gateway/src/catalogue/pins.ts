/**
 * Pins the first definition of each tool, so that a server cannot change a trusted tool without notice.
 */

import { ParleyError, type Tool } from 'parley-mcp'
import { canonicalJson } from 'parley-mcp/engine'
import type { PinMode } from '../config/index.ts'
import { type Pins, type PinsFileError, readPins, writePins } from './pins-file.ts'
import { sha256 } from './sha256.ts'

export { PinsFileError } from './pins-file.ts'

export interface PinCheck {
  readonly tool: string
  readonly status: 'new' | 'same' | 'changed'
  /**
   * The pinned digest. Absent for a new tool, and for a tool beyond the most pins of a server.
   */
  readonly expected?: string
  readonly actual: string
}

export interface PinnedTools {
  readonly tools: readonly Tool[]
  /** Tools that differ from their pins, hidden or only reported. */
  readonly changes: readonly PinCheck[]
}

export interface ToolPinsOptions {
  /** Called when the pins cannot be written. They stay in force in memory. */
  readonly onProblem?: (problem: PinsFileError) => void
  /** The most pins of one server. */
  readonly maxPerServer?: number
}

/** The fields that a model or a user sees. */
const PINNED_FIELDS = ['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations'] as const

export class ToolPins {
  readonly #file: string | undefined
  readonly #pins: Pins
  /** By server, by tool: digests of definitions that differ from the pins. */
  readonly #changed: Pins = new Map()
  readonly #onProblem: (problem: PinsFileError) => void
  readonly #maxPerServer: number
  #writing: Promise<void> | undefined
  #unsaved = false

  private constructor(file: string | undefined, pins: Pins, options: ToolPinsOptions) {
    this.#file = file
    this.#pins = pins
    this.#onProblem = options.onProblem ?? (() => {})
    this.#maxPerServer = options.maxPerServer ?? 10_000
  }

  static inMemory(options: ToolPinsOptions = {}): ToolPins {
    return new ToolPins(undefined, new Map(), options)
  }

  /** Rejects with a `PinsFileError` when there is a file that cannot be understood. */
  static async open(file: string, options: ToolPinsOptions = {}): Promise<ToolPins> {
    return new ToolPins(file, await readPins(file), options)
  }

  /** Takes names at the server, and pins new tools. Pages of a list can be checked one by one. */
  check(server: string, tools: readonly Tool[]): PinCheck[] {
    const checks = tools.map((tool) => this.#checkOne(server, tool))
    const changed = entryOf(this.#changed, server)
    for (const { tool, status } of checks) if (status !== 'changed') changed.delete(tool)
    // Last, so that of two definitions with one name the changed one counts.
    for (const { tool, status, actual } of checks) if (status === 'changed') changed.set(tool, actual)
    this.#forgetUnpinned(server, changed)
    if (checks.some(({ status }) => status === 'new')) this.#save()
    return checks
  }

  /** The list as clients may see it. */
  apply(server: string, tools: readonly Tool[], mode: PinMode): PinnedTools {
    if (mode === 'off') return { tools, changes: [] }
    const changes = this.check(server, tools).filter(({ status }) => status === 'changed')
    if (mode === 'report' || changes.length === 0) return { tools, changes }
    return { tools: tools.filter((tool) => !this.isChanged(server, tool.name)), changes }
  }

  /**
   * Knows checked lists only. To refuse calls, the gateway has to read a server's list before its tools are called.
   */
  isChanged(server: string, tool: string): boolean {
    return (this.#changed.get(server)?.has(tool) ?? false) || this.#isBeyond(server, tool)
  }

  /** Throws if calls of the tool are blocked. */
  guard(server: string, tool: string, mode: PinMode): void {
    if (mode !== 'block' || !this.isChanged(server, tool)) return
    const name = tool.slice(0, 200)
    const message =
      `Tool ${JSON.stringify(name)} of server ${JSON.stringify(server)} is blocked: its definition is not the one that was pinned. ` +
      'The operator of the gateway can check and accept it: take the pin of this tool out of the pins file and restart, or set "pin" of the server to "report"'
    throw new ParleyError('tool_disabled', { message, data: { name, server } })
  }

  /** Pins changed definitions as they are now, of one tool or of all of a server. Returns the tools. */
  accept(server: string, tool?: string): string[] {
    const changed = this.#changed.get(server)
    if (changed === undefined) return []
    const accepted = [...changed].filter(([name]) => tool === undefined || name === tool)
    for (const [name, digest] of accepted) {
      entryOf(this.#pins, server).set(name, digest)
      changed.delete(name)
    }
    if (accepted.length > 0) this.#save()
    return accepted.map(([name]) => name)
  }

  /** Resolves when all pins are written. */
  async settled(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing
  }

  #checkOne(server: string, definition: Tool): PinCheck {
    const tool = definition.name
    const pins = entryOf(this.#pins, server)
    const actual = digestOf(definition)
    const expected = pins.get(tool)
    if (expected !== undefined) return { tool, status: expected === actual ? 'same' : 'changed', expected, actual }
    if (pins.size >= this.#maxPerServer) return { tool, status: 'changed', actual }
    pins.set(tool, actual)
    return { tool, status: 'new', actual }
  }

  /** There was no room to pin it. */
  #isBeyond(server: string, tool: string): boolean {
    const pins = this.#pins.get(server)
    return pins !== undefined && pins.size >= this.#maxPerServer && !pins.has(tool)
  }

  /**
   * Bounds the memory for servers that list new names without end. Tools without a pin count as changed in any case, so
   * the oldest of them are forgotten.
   */
  #forgetUnpinned(server: string, changed: Map<string, string>): void {
    let excess = changed.size - this.#maxPerServer
    for (const tool of excess > 0 ? changed.keys() : []) {
      if (excess <= 0) break
      if (!this.#isBeyond(server, tool)) continue
      changed.delete(tool)
      excess--
    }
  }

  /** One write at a time. Later changes go into the next write. */
  #save(): void {
    this.#unsaved = this.#file !== undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
  }

  async #write(): Promise<void> {
    while (this.#file !== undefined && this.#unsaved) {
      this.#unsaved = false
      await writePins(this.#file, this.#pins).catch(this.#onProblem)
    }
  }
}

function digestOf(tool: Tool): string {
  const pinned = Object.fromEntries(PINNED_FIELDS.map((field) => [field, tool[field]]))
  return `sha256-${Buffer.from(sha256(canonicalJson(pinned))).toString('hex')}`
}

function entryOf(pins: Pins, server: string): Map<string, string> {
  let entry = pins.get(server)
  if (entry === undefined) {
    entry = new Map()
    pins.set(server, entry)
  }
  return entry
}
