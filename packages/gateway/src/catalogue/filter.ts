/** Which tools of a server clients see, and under which names. */
import { ParleyError, type Tool } from 'parley-mcp'
import type { ToolSettings } from '../config/index.ts'
import { type Matcher, wildcard } from './wildcard.ts'

export interface FilteredTools {
  readonly tools: readonly Tool[]
  /** Conflicts between the settings and the tools of the server. */
  readonly problems: readonly string[]
}

export function toolFilter(settings: Pick<ToolSettings, 'allow' | 'deny' | 'rename'>): ToolFilter {
  return new ToolFilter(settings)
}

/**
 * Patterns match names at the server. A tool whose name at the server equals the new name of another is hidden: so a
 * server cannot take the name over, and a name means the same tool before and after the list was read. Of two tools
 * renamed to one name the later is hidden.
 */
export class ToolFilter {
  readonly #allow: readonly Matcher[] | undefined
  readonly #deny: readonly Matcher[]
  /** Name at the server → name for clients; `undefined`: hidden by a conflict. */
  readonly #renamed = new Map<string, string | undefined>()
  /** Name for clients → name at the server. */
  readonly #original = new Map<string, string>()
  readonly #conflicts: string[] = []

  constructor({ allow, deny, rename }: Pick<ToolSettings, 'allow' | 'deny' | 'rename'>) {
    this.#allow = allow?.map(wildcard)
    this.#deny = deny.map(wildcard)
    for (const [from, to] of Object.entries(rename)) if (to !== from && this.#allows(from)) this.#rename(from, to)
  }

  /** False when every tool passes as it is. */
  get active(): boolean {
    return this.#allow !== undefined || this.#deny.length > 0 || this.#renamed.size > 0
  }

  /** `undefined` when clients do not see the tool. */
  toClient(name: string): string | undefined {
    if (this.#renamed.has(name)) return this.#renamed.get(name)
    return this.#allows(name) && !this.#original.has(name) ? name : undefined
  }

  /** For tools that clients do not see it throws the same error as a server for an unknown tool. */
  toServer(name: string): string {
    const original = this.#original.get(name)
    if (original !== undefined) return original
    if (this.toClient(name) === name) return name
    throw new ParleyError('tool_not_found', {
      message: `Unknown tool: ${name.slice(0, 200)}`,
      data: { name: name.slice(0, 200) },
    })
  }

  /** The same list if no setting applies. */
  apply(tools: readonly Tool[]): FilteredTools {
    if (!this.active) return { tools, problems: [] }
    const problems = [...this.#conflicts]
    const shown: Tool[] = []
    for (const tool of tools) {
      const name = this.toClient(tool.name)
      if (name !== undefined) shown.push(name === tool.name ? tool : { ...tool, name })
      else if (!this.#renamed.has(tool.name) && this.#allows(tool.name)) problems.push(this.#takenText(tool.name))
    }
    return { tools: shown, problems }
  }

  #allows(name: string): boolean {
    if (this.#deny.some((matches) => matches(name))) return false
    return this.#allow === undefined || this.#allow.some((matches) => matches(name))
  }

  #rename(from: string, to: string): void {
    const taken = this.#original.get(to)
    if (to !== '' && taken === undefined) {
      this.#original.set(to, from)
      this.#renamed.set(from, to)
      return
    }
    this.#renamed.set(from, undefined)
    const why = taken === undefined ? 'to nothing' : `to ${quoted(to)}, the new name of ${quoted(taken)}`
    this.#conflicts.push(`Tool ${quoted(from)} is renamed ${why}; it is hidden until it gets a name of its own`)
  }

  #takenText(name: string): string {
    const renamed = quoted(this.#original.get(name) ?? '')
    return `Tool ${quoted(name)} is hidden because ${renamed} was renamed to ${quoted(name)}; give one of them another name`
  }
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 200))
}
