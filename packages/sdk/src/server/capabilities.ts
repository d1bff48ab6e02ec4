/** What a server declares, derived from what it defines, and what there is to declare (C1, C4). */
import {
  type CapabilityInfo,
  type CapabilityPath,
  declares,
  type ServerCapabilities,
  SKILLS_EXTENSION,
  splitPath,
  TASKS_EXTENSION,
} from '../protocol/index.ts'
import { capabilitiesOf, type ProtocolVersion, versions } from '../versions/index.ts'
import type { Registry } from './registry.ts'

/** Kinds of things a server can offer. */
export type Offer = 'tools' | 'resources' | 'prompts' | 'skills'

export interface CapabilitySources {
  readonly registry: Registry
  readonly logging: boolean
  readonly offers: readonly Offer[]
  readonly experimental: Readonly<Record<string, Record<string, unknown>>>
  readonly extensions: Readonly<Record<string, Record<string, unknown>>>
}

export function deriveCapabilities({
  registry,
  logging,
  offers,
  experimental,
  extensions: given,
}: CapabilitySources): ServerCapabilities {
  const { tools, resources, templates, prompts, skills } = registry
  const extensions = skills.size > 0 || offers.includes('skills') ? withSkills(given) : given
  const declared: ServerCapabilities = {}
  if (tools.size > 0 || offers.includes('tools')) declared.tools = { listChanged: true }
  if (
    resources.size + templates.size > 0 ||
    offers.includes('resources') ||
    Object.hasOwn(extensions, SKILLS_EXTENSION)
  ) {
    const subscribable =
      resources.size + templates.size === 0 ||
      [...resources.order, ...templates.order].some((resource) => resource.subscribable)
    declared.resources = subscribable ? { subscribe: true, listChanged: true } : { listChanged: true }
  }
  if (prompts.size > 0 || offers.includes('prompts')) declared.prompts = { listChanged: true }
  if ([...templates.order, ...prompts.order].some(({ completers }) => Object.keys(completers).length > 0))
    declared.completions = {}
  const runsTasks = tools.order.some(({ taskSupport }) => taskSupport !== 'forbidden')
  if (runsTasks) declared.tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
  if (logging) declared.logging = {}
  if (Object.keys(experimental).length > 0) declared.experimental = { ...experimental }
  // Each era gets the one of the two that it knows.
  const all = runsTasks ? { ...extensions, [TASKS_EXTENSION]: {} } : extensions
  if (Object.keys(all).length > 0) declared.extensions = { ...all }
  return declared
}

/** What is in a folder of a skill is known anyway, so that clients may ask for it. */
function withSkills(extensions: CapabilitySources['extensions']): CapabilitySources['extensions'] {
  return { ...extensions, [SKILLS_EXTENSION]: { directoryRead: true, ...extensions[SKILLS_EXTENSION] } }
}

/** One capability a server may declare, and whether this one does. */
export interface CapabilityReport {
  readonly name: string
  /** The first version that has it; absent for experimental ones. */
  readonly since?: ProtocolVersion
  readonly flags: readonly string[]
  readonly dependencies: readonly CapabilityPath[]
  readonly description: string
  readonly declared: boolean
}

export function describeCapabilities(declared: ServerCapabilities): CapabilityReport[] {
  const reports = [...firstSeen().values()].map(({ info, since }): CapabilityReport => {
    const { key: name } = splitPath(info.path)
    return {
      name,
      since,
      flags: info.flags ?? [],
      dependencies: info.dependencies ?? [],
      description: info.description,
      declared: declares(declared, name),
    }
  })
  const experimental = Object.keys(declared.experimental ?? {}).map((name): CapabilityReport => {
    return {
      name: `experimental.${name}`,
      flags: [],
      dependencies: [],
      description: 'Outside the specification.',
      declared: true,
    }
  })
  return [...reports, ...experimental]
}

function firstSeen(): Map<string, { info: CapabilityInfo; since: ProtocolVersion }> {
  const seen = new Map<string, { info: CapabilityInfo; since: ProtocolVersion }>()
  for (const version of versions) {
    for (const info of capabilitiesOf(version)) {
      if (splitPath(info.path).side === 'server')
        seen.set(info.path, { info, since: seen.get(info.path)?.since ?? version })
    }
  }
  return seen
}
