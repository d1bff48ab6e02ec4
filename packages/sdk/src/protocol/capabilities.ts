/**
 * What can be declared in `capabilities`, and the set of the oldest version; later versions add and remove theirs in
 * `versions/steps`.
 */
import type { CapabilityPath, Side } from './methods.ts'

export interface CapabilityInfo {
  /** `side.name`, such as `server.tools`. */
  readonly path: CapabilityPath
  readonly description: string
  /** Sub-keys the specification gives a meaning. */
  readonly flags?: readonly string[]
  /** Capabilities this one makes no sense without. */
  readonly dependencies?: readonly CapabilityPath[]
}

export type Capabilities = Record<string, unknown>

/** The capabilities of 2024-11-05. */
export const baseCapabilities: readonly CapabilityInfo[] = [
  { path: 'server.tools', description: 'Offers tools to call.', flags: ['listChanged'] },
  { path: 'server.resources', description: 'Offers resources to read.', flags: ['subscribe', 'listChanged'] },
  { path: 'server.prompts', description: 'Offers prompt templates.', flags: ['listChanged'] },
  { path: 'server.logging', description: 'Sends log messages.' },
  { path: 'server.experimental', description: 'Anything outside the specification, by name.' },
  { path: 'client.roots', description: 'Tells which directories or URIs matter.', flags: ['listChanged'] },
  { path: 'client.sampling', description: 'Asks a language model on behalf of the server.' },
  { path: 'client.experimental', description: 'Anything outside the specification, by name.' },
]

/**
 * True when `capabilities` of one side hold the path below that side: `declares(caps, 'resources.subscribe')`. `false`
 * counts as not declared.
 */
export function declares(capabilities: Capabilities | undefined, path: string): boolean {
  let value: unknown = capabilities
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return false
    value = (value as Record<string, unknown>)[key]
  }
  return value !== undefined && value !== null && value !== false
}

export function splitPath(path: CapabilityPath): { side: Side; key: string } {
  const dot = path.indexOf('.')
  return { side: path.slice(0, dot) as Side, key: path.slice(dot + 1) }
}
