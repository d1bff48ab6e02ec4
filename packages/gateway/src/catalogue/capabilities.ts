/** How the gateway introduces itself for all its servers at once. */
import { declares, type Loss } from 'parley-mcp'
import { canonicalJson, type Identity, type Introduction, isObject, TASKS_EXTENSION } from 'parley-mcp/engine'
import { mergeInstructions } from './instructions.ts'

export interface IntroducedServer {
  readonly name: string
  /** Absent: not known yet. */
  readonly introduction?: Introduction | undefined
}

type Values = Record<string, unknown>

/**
 * Declared if one server declares it, or if one server is not known yet: a handshake introduces the gateway only once.
 */
const IF_ANY: readonly { readonly path: string; readonly declare: (capabilities: Values) => void }[] = [
  { path: 'logging', declare: (capabilities) => (capabilities['logging'] = {}) },
  { path: 'completions', declare: (capabilities) => (capabilities['completions'] = {}) },
]

interface Memo {
  readonly entries: readonly IntroducedServer[]
  readonly merged: Introduction
  readonly text: string
}

/** By identity: an endpoint has to return the same object while nothing changes. */
const memos = new WeakMap<Identity, Memo>()

/** `onLoss`: called for a new introduction, with what servers declare and the introduction leaves out. */
export function mergeIntroductions(
  entries: readonly IntroducedServer[],
  self: Identity,
  onLoss: (loss: Loss) => void = () => {},
): Introduction {
  const before = memos.get(self)
  if (before !== undefined && sameEntries(before.entries, entries)) return before.merged
  const losses: Loss[] = []
  const fresh = merge(entries, self, (loss) => losses.push(loss))
  const text = canonicalJson(fresh)
  const merged = before?.text === text ? before.merged : fresh
  for (const loss of losses) onLoss(loss)
  memos.set(self, { entries: entries.map(({ name, introduction }) => ({ name, introduction })), merged, text })
  return merged
}

function merge(entries: readonly IntroducedServer[], self: Identity, onLoss: (loss: Loss) => void): Introduction {
  const known = entries.flatMap(({ introduction }) => introduction ?? [])
  const instructions = mergeInstructions(
    entries.map(({ name, introduction }) => ({ name, text: introduction?.instructions ?? '' })),
  )
  return {
    info: self,
    capabilities: mergeCapabilities(known, known.length < entries.length, onLoss),
    ...(instructions === '' ? {} : { instructions }),
    ...(known.length === entries.length ? freshness(known) : {}),
  }
}

function mergeCapabilities(known: readonly Introduction[], someUnknown: boolean, onLoss: (loss: Loss) => void): Values {
  const all = known.map(({ capabilities }) => capabilities)
  // The status of the servers is a resource that clients can always follow.
  const merged: Values = {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
  }
  for (const { path, declare } of IF_ANY)
    if (someUnknown || all.some((capabilities) => declares(capabilities, path))) declare(merged)
  const lose = (path: string): void => onLoss(lossOf(path, DISPUTED))
  const experimental = agreed('experimental', all, lose)
  const { [TASKS_EXTENSION]: _, ...extensions } = agreed('extensions', all, lose)
  if (all.some(runsTasks)) {
    // Each era knows one of the two.
    merged['tasks'] = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
    extensions[TASKS_EXTENSION] = {}
  }
  if (Object.keys(experimental).length > 0) merged['experimental'] = experimental
  if (Object.keys(extensions).length > 0) merged['extensions'] = extensions
  return merged
}

const KINDS = ['experimental', 'extensions'] as const
const LATE = 'a server declares it that was reached after the handshake of this client'

/** What the introduction `now` has and a client that got `told` does not know. */
export function untoldIn(told: Introduction, now: Introduction): Loss[] {
  return KINDS.flatMap((kind) => {
    const [before, after] = [told.capabilities, now.capabilities].map((capabilities) => (capabilities as Values)[kind])
    if (!isObject(after)) return []
    const known = isObject(before) ? before : {}
    const names = Object.keys(after).filter((name) => canonicalJson(after[name]) !== canonicalJson(known[name]))
    return names.map((name) => lossOf(`${kind}.${name}`, LATE))
  })
}

function lossOf(path: string, detail: string): Loss {
  return { rule: 'D-41', method: 'server/discover', path: `capabilities.${path}`, severity: 'w', detail }
}

const DISPUTED = 'servers declare it with different values, so clients do not get it'

/** All names that servers have, with the settings on which they agree. */
function agreed(kind: (typeof KINDS)[number], all: readonly Values[], lose: (path: string) => void): Values {
  const groups = all.map((capabilities) => capabilities[kind]).filter(isObject)
  return together(groups, `${kind}.`, (path) => path === `extensions.${TASKS_EXTENSION}` || lose(path))
}

/**
 * Merges objects. A member of several objects has to be equal in all, or to consist of objects that can be merged.
 */
function together(objects: readonly Values[], path: string, lose: (path: string) => void): Values {
  const merged: [string, unknown][] = []
  for (const name of new Set(objects.flatMap((each) => Object.keys(each)))) {
    const values = objects.filter((each) => Object.hasOwn(each, name)).map((each) => each[name])
    if (values.every((value) => canonicalJson(value) === canonicalJson(values[0]))) merged.push([name, values[0]])
    else if (values.every(isObject)) merged.push([name, together(values, `${path}${name}.`, lose)])
    else lose(`${path}${name}`)
  }
  return Object.fromEntries(merged)
}

function runsTasks(capabilities: Values): boolean {
  const extensions = capabilities['extensions']
  return (
    declares(capabilities, 'tasks.requests.tools.call') ||
    (isObject(extensions) && isObject(extensions[TASKS_EXTENSION]))
  )
}

/** Fresh for the shortest time of all servers, and public only if all are. */
function freshness(known: readonly Introduction[]): Pick<Introduction, 'ttlMs' | 'cacheScope'> {
  const times = known.flatMap(({ ttlMs }) => ttlMs ?? [])
  if (known.length === 0 || times.length < known.length) return {}
  return {
    ttlMs: Math.min(...times),
    cacheScope: known.every(({ cacheScope }) => cacheScope === 'public') ? 'public' : 'private',
  }
}

function sameEntries(one: readonly IntroducedServer[], other: readonly IntroducedServer[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, introduction }, at) => name === other[at]?.name && introduction === other[at]?.introduction)
  )
}
