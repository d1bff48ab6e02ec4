/**
 * All definitions of a server as one immutable value. A change makes a new value, so users of the old one are not
 * disturbed.
 */
import type { Body, Serialised } from '../jsonrpc/index.ts'
import type { Loss } from '../versions/index.ts'
import type { Definition, DefinitionKind, Listed } from './definition.ts'
import { DefinedPrompt } from './prompts/prompt.ts'
import { DefinedResource, DefinedTemplate } from './resources/resource.ts'
import { DefinedSkillFile } from './skills/file.ts'
import { DefinedSkill } from './skills/skill.ts'
import { DefinedTool } from './tools/tool.ts'
import type { UriVariables } from './uri/match.ts'

/** A page of a list as text, and what its translation lost. */
export interface Page {
  readonly text: Serialised
  readonly losses: readonly Loss[]
}

/** The definitions of one list, in the order of their addition, with the pages made of them. */
export class DefinitionList<Item extends Listed> {
  readonly items: ReadonlyMap<string, Item>
  readonly order: readonly Item[]
  /** By version, profile and position; the list never changes, so neither do they. */
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

export type ListName = 'tools' | 'resources' | 'templates' | 'prompts' | 'skills'

export interface FoundResource {
  readonly definition: DefinedResource | DefinedTemplate
  readonly variables: UriVariables
}

const NO_VARIABLES: UriVariables = Object.freeze({})

const LISTS_OF_KIND: Readonly<Record<DefinitionKind, readonly ListName[]>> = {
  tool: ['tools'],
  resource: ['resources', 'templates'],
  prompt: ['prompts'],
  skill: ['skills'],
}

export class Registry {
  readonly tools: DefinitionList<DefinedTool>
  readonly resources: DefinitionList<DefinedResource>
  readonly templates: DefinitionList<DefinedTemplate>
  readonly prompts: DefinitionList<DefinedPrompt>
  readonly skills: DefinitionList<DefinedSkill>

  constructor(
    tools: DefinitionList<DefinedTool>,
    resources: DefinitionList<DefinedResource>,
    templates: DefinitionList<DefinedTemplate>,
    prompts: DefinitionList<DefinedPrompt>,
    skills: DefinitionList<DefinedSkill>,
  ) {
    this.tools = tools
    this.resources = resources
    this.templates = templates
    this.prompts = prompts
    this.skills = skills
  }

  /** Adds all definitions. Throws, and adds none, for a duplicate or an invalid definition. */
  with(definitions: readonly Definition[]): Registry {
    const added = new Map<ListName, Map<string, Listed>>()
    for (const definition of definitions.flatMap(withFiles)) {
      const name = listNameOf(definition)
      const items = added.get(name) ?? new Map<string, Listed>(this[name].items)
      if (items.has(definition.key))
        throw new TypeError(`A ${definition.kind} ${JSON.stringify(definition.key)} is already defined`)
      added.set(name, items.set(definition.key, definition as DefinedTool))
    }
    return this.#replace(added)
  }

  /** Without a kind, any definition with that key. The same registry when there is none. */
  without(kind: DefinitionKind | undefined, key: string): Registry {
    const changed = new Map<ListName, Map<string, Listed>>()
    for (const name of kind === undefined
      ? (['tools', 'resources', 'templates', 'prompts', 'skills'] as const)
      : LISTS_OF_KIND[kind]) {
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

  /** The tool as it is listed, if known. */
  shownTool(name: string): Body | undefined {
    return this.tools.get(name)?.shown
  }

  #replace(changed: ReadonlyMap<ListName, Map<string, Listed>>): Registry {
    const listOf = <Item extends Listed>(name: ListName, old: DefinitionList<Item>): DefinitionList<Item> => {
      const items = changed.get(name)
      return items === undefined ? old : new DefinitionList(items as Map<string, Item>)
    }
    return new Registry(
      listOf('tools', this.tools),
      listOf('resources', this.resources),
      listOf('templates', this.templates),
      listOf('prompts', this.prompts),
      listOf('skills', this.skills),
    )
  }
}

export const emptyRegistry: Registry = new Registry(
  new DefinitionList(new Map()),
  new DefinitionList(new Map()),
  new DefinitionList(new Map()),
  new DefinitionList(new Map()),
  new DefinitionList(new Map()),
)

/** A skill and its files. */
function withFiles(definition: Definition): readonly Definition[] {
  return definition instanceof DefinedSkill ? [definition, ...definition.files] : [definition]
}

function lacking(items: ReadonlyMap<string, Listed>, gone: readonly Listed[]): Map<string, Listed> {
  const rest = new Map(items)
  for (const { key } of gone) rest.delete(key)
  return rest
}

function listNameOf(definition: unknown): ListName {
  if (definition instanceof DefinedTool) return 'tools'
  if (definition instanceof DefinedResource) return 'resources'
  if (definition instanceof DefinedTemplate) return 'templates'
  if (definition instanceof DefinedPrompt) return 'prompts'
  if (definition instanceof DefinedSkill) return 'skills'
  throw new TypeError('Not a definition: pass what tool(), resource(), prompt() or skill() returned')
}
