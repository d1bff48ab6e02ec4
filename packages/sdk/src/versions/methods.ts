/**
 * Which methods, capabilities and features each version has: the oldest version's, then what every step added and
 * removed.
 */
import {
  baseCapabilities,
  baseMethods,
  type CapabilityInfo,
  type MethodInfo,
  maySend,
  type Side,
} from '../protocol/index.ts'
import type { Step } from './change.ts'
import { oldestVersion, type ProtocolVersion, steps } from './version.ts'

interface Inventory {
  readonly methods: ReadonlyMap<string, MethodInfo>
  readonly capabilities: ReadonlyMap<string, CapabilityInfo>
  readonly features: ReadonlySet<string>
}

const baseFeatures = [
  'tools',
  'resources',
  'prompts',
  'logging',
  'sampling',
  'roots',
  'progress',
  'cancellation',
  'ping',
  'pagination',
  'subscriptions',
  'handshake',
]

const inventories: ReadonlyMap<ProtocolVersion, Inventory> = buildInventories()

const everyMethod: ReadonlySet<string> = new Set(
  [...inventories.values()].flatMap(({ methods }) => [...methods.keys()]),
)

/** Whether some version has this method. Other names come from peers: nothing is remembered by them. */
export function isKnownMethod(method: string): boolean {
  return everyMethod.has(method)
}

function buildInventories(): Map<ProtocolVersion, Inventory> {
  let current: Inventory = {
    methods: new Map(baseMethods.map((method) => [method.name, method])),
    capabilities: new Map(baseCapabilities.map((capability) => [capability.path, capability])),
    features: new Set(baseFeatures),
  }
  const all = new Map<ProtocolVersion, Inventory>([[oldestVersion, current]])
  for (const step of steps) {
    current = after(step, current)
    all.set(step.to, current)
  }
  return all
}

function after(step: Step, before: Inventory): Inventory {
  const methods = new Map(before.methods)
  const capabilities = new Map(before.capabilities)
  const features = new Set(before.features)
  for (const change of step.changes) {
    for (const name of change.methods?.removed ?? []) methods.delete(name)
    for (const method of [...(change.methods?.added ?? []), ...(change.methods?.changed ?? [])])
      methods.set(method.name, method)
    for (const path of change.capabilities?.removed ?? []) capabilities.delete(path)
    for (const capability of change.capabilities?.added ?? []) capabilities.set(capability.path, capability)
    for (const feature of change.features?.removed ?? []) features.delete(feature)
    for (const feature of change.features?.added ?? []) features.add(feature)
  }
  return { methods, capabilities, features }
}

function inventory(version: ProtocolVersion): Inventory {
  return inventories.get(version) as Inventory
}

export function methodsOf(version: ProtocolVersion): readonly MethodInfo[] {
  return [...inventory(version).methods.values()]
}

export function methodIn(version: ProtocolVersion, name: string): MethodInfo | undefined {
  return inventory(version).methods.get(name)
}

/** The methods `side` may send in a version. */
export function sendable(version: ProtocolVersion, side: Side): readonly MethodInfo[] {
  return methodsOf(version).filter((method) => maySend(method, side))
}

export function capabilitiesOf(version: ProtocolVersion): readonly CapabilityInfo[] {
  return [...inventory(version).capabilities.values()]
}

export function features(version: ProtocolVersion): readonly string[] {
  return [...inventory(version).features]
}

export function supports(version: ProtocolVersion, feature: string): boolean {
  return inventory(version).features.has(feature)
}
