/** Remembers what the gateway needs of each tool definition of one server, up to a limit of memory. */
import type { Tool } from 'parley-mcp'
import { type HeaderParam, headerParamsOf, weightOf } from 'parley-mcp/engine'

/** Without descriptions and input schemas: only clients need them, and they get them from the server. */
export interface KnownTool extends Pick<Tool, 'name' | 'outputSchema' | 'execution'> {
  /** The arguments that are also sent in headers (D-60). */
  readonly headerParams: readonly HeaderParam[]
}

export interface DefinitionsOptions {
  readonly maxTools?: number
  /** The approximate size in memory. */
  readonly maxBytes?: number
}

const NO_PARAMS: readonly HeaderParam[] = []

export class Definitions {
  readonly #tools = new Map<string, { readonly tool: KnownTool; readonly weight: number }>()
  readonly #maxTools: number
  readonly #maxBytes: number
  #weight = 0

  constructor({ maxTools = 10_000, maxBytes = 32 * 1024 * 1024 }: DefinitionsOptions = {}) {
    this.#maxTools = maxTools
    this.#maxBytes = maxBytes
  }

  get names(): string[] {
    return [...this.#tools.keys()]
  }

  get(name: string): KnownTool | undefined {
    return this.#tools.get(name)?.tool
  }

  has(name: string): boolean {
    return this.#tools.has(name)
  }

  /** Replaces the definition with this name. Returns false when there is no room. Earlier definitions stay. */
  put(tool: Tool): boolean {
    const { name } = tool
    this.#weight -= this.#tools.get(name)?.weight ?? 0
    this.#tools.delete(name)
    const known = knownTool(tool)
    const weight = weightOf(known, this.#maxBytes)
    if (this.#tools.size >= this.#maxTools || this.#weight + weight > this.#maxBytes) return false
    this.#tools.set(name, { tool: known, weight })
    this.#weight += weight
    return true
  }
}

function knownTool({ name, inputSchema, outputSchema, execution }: Tool): KnownTool {
  const found = headerParamsOf(inputSchema)
  return {
    name,
    headerParams: typeof found === 'string' ? NO_PARAMS : found,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(execution !== undefined && { execution }),
  }
}
