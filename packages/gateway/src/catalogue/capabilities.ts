/** How the gateway introduces itself for all its servers at once. */
import { declares } from 'parley-mcp'
import { type Identity, type Introduction, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'
import { canonicalJson } from './canonical.ts'
import { mergeInstructions } from './instructions.ts'

export interface IntroducedServer {
  readonly name: string
  /** Absent: not known yet. */
  readonly introduction?: Introduction | undefined
}

type Values = Record<string, unknown>

/** Declared by the first server that does. A client of the handshake era is told once: what a server not known yet may have must not be missing then. */
const IF_ANY: readonly { readonly path: string; readonly declare: (capabilities: Values) => void }[] = [
  { path: 'logging', declare: (capabilities) => (capabilities['logging'] = {}) },
  { path: 'completions', declare: (capabilities) => (capabilities['completions'] = {}) },
]

interface Memo {
  readonly entries: readonly IntroducedServer[]
  readonly merged: Introduction
  readonly text: string
}

/** By who introduces itself: an endpoint has to give the same object as long as nothing has changed. */
const memos = new WeakMap<Identity, Memo>()

export function mergeIntroductions(entries: readonly IntroducedServer[], self: Identity): Introduction {
  const before = memos.get(self)
  if (before !== undefined && sameEntries(before.entries, entries)) return before.merged
  const fresh = merge(entries, self)
  const text = canonicalJson(fresh)
  const merged = before?.text === text ? before.merged : fresh
  memos.set(self, { entries: entries.map(({ name, introduction }) => ({ name, introduction })), merged, text })
  return merged
}

function merge(entries: readonly IntroducedServer[], self: Identity): Introduction {
  const known = entries.flatMap(({ introduction }) => introduction ?? [])
  const instructions = mergeInstructions(entries.map(({ name, introduction }) => ({ name, text: introduction?.instructions ?? '' })))
  return {
    info: self,
    capabilities: mergeCapabilities(known, known.length < entries.length),
    ...(instructions === '' ? {} : { instructions }),
    ...(known.length === entries.length ? freshness(known) : {}),
  }
}

function mergeCapabilities(known: readonly Introduction[], someUnknown: boolean): Values {
  const all = known.map(({ capabilities }) => capabilities)
  // How the servers are can always be followed, as a resource.
  const merged: Values = { tools: { listChanged: true }, resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true } }
  for (const { path, declare } of IF_ANY) if (someUnknown || all.some((capabilities) => declares(capabilities, path))) declare(merged)
  const experimental = agreed(all.map((capabilities) => capabilities['experimental']))
  const extensions = agreed(all.map((capabilities) => capabilities['extensions']))
  extensions.delete(TASKS_EXTENSION)
  if (all.some(runsTasks)) {
    // Each era is told the one of the two it knows.
    merged['tasks'] = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
    extensions.set(TASKS_EXTENSION, {})
  }
  if (experimental.size > 0) merged['experimental'] = Object.fromEntries(experimental)
  if (extensions.size > 0) merged['extensions'] = Object.fromEntries(extensions)
  return merged
}

/** What all that have it say alike; where they differ, no value would be true of the gateway. */
function agreed(groups: readonly unknown[]): Map<string, unknown> {
  const values = new Map<string, unknown>()
  const disputed = new Set<string>()
  for (const group of groups) {
    for (const [name, value] of isObject(group) ? Object.entries(group) : []) {
      if (!values.has(name)) values.set(name, value)
      else if (canonicalJson(values.get(name)) !== canonicalJson(value)) disputed.add(name)
    }
  }
  for (const name of disputed) values.delete(name)
  return values
}

function runsTasks(capabilities: Values): boolean {
  const extensions = capabilities['extensions']
  return declares(capabilities, 'tasks.requests.tools.call') || (isObject(extensions) && isObject(extensions[TASKS_EXTENSION]))
}

/** True only as long as the one that changes first, for those the most careful one allows. */
function freshness(known: readonly Introduction[]): Pick<Introduction, 'ttlMs' | 'cacheScope'> {
  const times = known.flatMap(({ ttlMs }) => ttlMs ?? [])
  if (known.length === 0 || times.length < known.length) return {}
  return { ttlMs: Math.min(...times), cacheScope: known.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private' }
}

function sameEntries(one: readonly IntroducedServer[], other: readonly IntroducedServer[]): boolean {
  return one.length === other.length && one.every(({ name, introduction }, at) => name === other[at]?.name && introduction === other[at]?.introduction)
}
