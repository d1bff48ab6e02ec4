/** Everything a server offers, as one immutable value: a change makes a new one, and who still holds the old one is not disturbed. */
import type { Body, Serialised } from '../jsonrpc/index.ts'
import type { Loss } from '../versions/index.ts'
import type { Definition, DefinitionKind, Listed } from './definition.ts'
import { DefinedPrompt } from './prompt.ts'
import { DefinedResource, DefinedTemplate } from './resource.ts'
import { DefinedSkill } from './skill.ts'
import { DefinedSkillFile } from './skill-file.ts'
import { DefinedTool } from './tool.ts'
import type { UriVariables } from './uri-match.ts'

/** A page of a list as text, and what its translation lost. */
export interface Page {
  readonly text: Serialised
  readonly losses: readonly Loss[]
}

/** All definitions of one list, in the order in which they were added, with the pages that were made of them. */
export class Shelf<Item extends Listed> {
  readonly items: ReadonlyMap<string, Item>
  readonly order: readonly Item[]
  /** By version, profile and position; the shelf never changes, so neither do they. */
  readonly pages: Map<string, Page | Promise<Page>> = new Map()
  #positions: Map<string, number> | undefined

  constructor(items: ReadonlyMap<string, Item>) {
    this.items = items
    this.order = [...items.values()]
  }

  get size(): number {
    return this.items.size
  }

  get(key: string): Item | undefined {
    return this.items.get(key)
  }

  positionOf(key: string): number | undefined {
    this.#positions ??= new Map(this.order.map((item, index) => [item.key, index]))
    return this.#positions.get(key)
  }
}

export type ShelfName = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills'

export interface FoundResource {
  readonly definition: DefinedResource | DefinedTemplate
  readonly variables: UriVariables
}

const NO_VARIABLES: UriVariables = Object.freeze({})

const SHELVES: Readonly<Record<DefinitionKind, readonly ShelfName[]>> = {
  tool: ['tools'],
  resource: ['resources', 'templates'],
  prompt: ['prompts'],
  skill: ['skills'],
}

export class Registry {
  readonly tools: Shelf<DefinedTool>
  readonly resources: Shelf<DefinedResource>
  readonly templates: Shelf<DefinedTemplate>
  readonly prompts: Shelf<DefinedPrompt>
  readonly skills: Shelf<DefinedSkill>

  constructor(
    tools: Shelf<DefinedTool>,
    resources: Shelf<DefinedResource>,
    templates: Shelf<DefinedTemplate>,
    prompts: Shelf<DefinedPrompt>,
    skills: Shelf<DefinedSkill>,
  ) {
    this.tools = tools
    this.resources = resources
    this.templates = templates
    this.prompts = prompts
    this.skills = skills
  }

  /** All of them or, when one is a duplicate or no definition at all, none. */
  with(definitions: readonly Definition[]): Registry {
    const added = new Map<ShelfName, Map<string, Listed>>()
    for (const definition of definitions.flatMap(withFiles)) {
      const name = shelfOf(definition)
      const items = added.get(name) ?? new Map<string, Listed>(this[name].items)
      if (items.has(definition.key)) throw new TypeError(`A ${definition.kind} ${JSON.stringify(definition.key)} is already defined`)
      added.set(name, items.set(definition.key, definition as DefinedTool))
    }
    return this.#replace(added)
  }

  /** Without a kind, whatever has that key; the same registry when there is nothing. */
  without(kind: DefinitionKind | undefined, key: string): Registry {
    const changed = new Map<ShelfName, Map<string, Listed>>()
    for (const name of kind === undefined ? (['tools', 'resources', 'templates', 'prompts', 'skills'] as const) : SHELVES[kind]) {
      const found: Listed | undefined = this[name].get(key)
      if (found === undefined || found instanceof DefinedSkillFile) continue
      changed.set(name, lacking(this[name].items, [found]))
      if (found instanceof DefinedSkill) changed.set('resources', lacking(this.resources.items, found.files))
    }
    return changed.size === 0 ? this : this.#replace(changed)
  }

  /** The resource at a URI: a fixed one, else the first template that fits. */
  find(uri: string): FoundResource | undefined {
    const fixed = this.resources.get(uri)
    if (fixed !== undefined) return { definition: fixed, variables: NO_VARIABLES }
    for (const definition of this.templates.order) {
      const variables = definition.template.match(uri)
      if (variables !== undefined) return { definition, variables }
    }
    return undefined
  }

  /** Throws for the first definition that could never be listed. */
  verify(): void {
    for (const { order } of [this.tools, this.prompts]) for (const item of order) (item as Listed).verify?.()
  }

  /** The tool as it is listed, once that is known. */
  shownTool(name: string): Body | undefined {
    return this.tools.get(name)?.shown
  }

  #replace(changed: ReadonlyMap<ShelfName, Map<string, Listed>>): Registry {
    const shelf = <Item extends Listed>(name: ShelfName, old: Shelf<Item>): Shelf<Item> => {
      const items = changed.get(name)
      return items === undefined ? old : new Shelf(items as Map<string, Item>)
    }
    return new Registry(
      shelf('tools', this.tools),
      shelf('resources', this.resources),
      shelf('templates', this.templates),
      shelf('prompts', this.prompts),
      shelf('skills', this.skills),
    )
  }
}

export const emptyRegistry: Registry = new Registry(
  new Shelf(new Map()),
  new Shelf(new Map()),
  new Shelf(new Map()),
  new Shelf(new Map()),
  new Shelf(new Map()),
)

/** A skill is its files as well. */
function withFiles(definition: Definition): readonly Definition[] {
  return definition instanceof DefinedSkill ? [definition, ...definition.files] : [definition]
}

function lacking(items: ReadonlyMap<string, Listed>, gone: readonly Listed[]): Map<string, Listed> {
  const rest = new Map(items)
  for (const { key } of gone) rest.delete(key)
  return rest
}

function shelfOf(definition: unknown): ShelfName {
  if (definition instanceof DefinedTool) return 'tools'
  if (definition instanceof DefinedResource) return 'resources'
  if (definition instanceof DefinedTemplate) return 'templates'
  if (definition instanceof DefinedPrompt) return 'prompts'
  if (definition instanceof DefinedSkill) return 'skills'
  throw new TypeError('Not a definition: pass what tool(), resource(), prompt() or skill() returned')
}
