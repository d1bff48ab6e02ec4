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
 * Declared by the first server that does. A client of the handshake era is told once: what a server not known yet may
 * have must not be missing then.
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

/** By who introduces itself: an endpoint has to give the same object as long as nothing has changed. */
const memos = new WeakMap<Identity, Memo>()

/** `onLoss`: told when another introduction is made, of what servers declare and clients do not hear. */
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
  // How the servers are can always be followed, as a resource.
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
    // Each era is told the one of the two it knows.
    merged['tasks'] = { list: {}, cancel: {}, requests: { tools: { call: {} } } }
    extensions[TASKS_EXTENSION] = {}
  }
  if (Object.keys(experimental).length > 0) merged['experimental'] = experimental
  if (Object.keys(extensions).length > 0) merged['extensions'] = extensions
  return merged
}

const KINDS = ['experimental', 'extensions'] as const
const LATE = 'a server declares it that was reached after this client had shaken hands, and a handshake tells it once'

/** What a client that was told one introduction does not know of another. */
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

const DISPUTED = 'servers declare it with different values, of which none would be true of all: clients are not told it'

/** Every name that a server has, with the settings that all who have them say alike. */
function agreed(kind: (typeof KINDS)[number], all: readonly Values[], lose: (path: string) => void): Values {
  const groups = all.map((capabilities) => capabilities[kind]).filter(isObject)
  return together(groups, `${kind}.`, (path) => path === `extensions.${TASKS_EXTENSION}` || lose(path))
}

/**
 * Objects as one: what is in several of them has to be the same there, or to consist of objects for which that holds.
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

/** True only as long as the one that changes first, for those the most careful one allows. */
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
