/**
 * What is kept of a server's tools: of each what is asked of it later, and of all no more than a gateway can hold for
 * one server of many.
 */
import type { Tool } from 'parley-mcp'
import { type HeaderParam, headerParamsOf, weightOf } from 'parley-mcp/engine'

/** Descriptions and schemas of arguments are for clients, who get them from the server. */
export interface KnownTool extends Pick<Tool, 'name' | 'outputSchema' | 'execution'> {
  /** The arguments that travel in headers as well (D-60). */
  readonly headerParams: readonly HeaderParam[]
}

export interface DefinitionsOptions {
  readonly maxTools?: number
  /** Most bytes of memory, about. */
  readonly maxBytes?: number
}

const NO_PARAMS: readonly HeaderParam[] = []

export class Definitions {
  readonly #kept = new Map<string, { readonly tool: KnownTool; readonly weight: number }>()
  readonly #maxTools: number
  readonly #maxBytes: number
  #weight = 0

  constructor({ maxTools = 10_000, maxBytes = 32 * 1024 * 1024 }: DefinitionsOptions = {}) {
    this.#maxTools = maxTools
    this.#maxBytes = maxBytes
  }

  get names(): string[] {
    return [...this.#kept.keys()]
  }

  get(name: string): KnownTool | undefined {
    return this.#kept.get(name)?.tool
  }

  has(name: string): boolean {
    return this.#kept.has(name)
  }

  /** In place of what was known by the name. False when there is no room for it; those that came first stay. */
  put(tool: Tool): boolean {
    const { name } = tool
    this.#weight -= this.#kept.get(name)?.weight ?? 0
    this.#kept.delete(name)
    const known = knownOf(tool)
    const weight = weightOf(known, this.#maxBytes)
    if (this.#kept.size >= this.#maxTools || this.#weight + weight > this.#maxBytes) return false
    this.#kept.set(name, { tool: known, weight })
    this.#weight += weight
    return true
  }
}

function knownOf({ name, inputSchema, outputSchema, execution }: Tool): KnownTool {
  const found = headerParamsOf(inputSchema)
  return {
    name,
    headerParams: typeof found === 'string' ? NO_PARAMS : found,
    ...(outputSchema !== undefined && { outputSchema }),
    ...(execution !== undefined && { execution }),
  }
}
