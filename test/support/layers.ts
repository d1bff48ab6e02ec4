/** The folders of each package in order of dependency, and what breaks that order. */
import { allImports, type Import, reachable, type Sources } from './imports.ts'

type Arrows = Readonly<Record<string, readonly string[]>>

export interface Layers {
  /** Folder → folders it may import; what those may import is allowed, too. */
  readonly arrows: Arrows
  /** Entry file → folders it may import. */
  readonly entries: Arrows
}

export const ARROWS: Arrows = {
  errors: [],
  collections: [],
  timing: [],
  jsonrpc: ['errors', 'collections'],
  protocol: ['jsonrpc'],
  schema: ['errors'],
  versions: ['protocol'],
  skills: ['versions'],
  session: ['versions', 'stores', 'timing'],
  transport: ['jsonrpc', 'timing'],
  stores: ['protocol'],
  server: ['session', 'schema', 'skills'],
  client: ['session', 'transport', 'schema', 'skills'],
  testing: ['server', 'client'],
  serve: ['server', 'transport', 'stores'],
  node: ['serve', 'client'],
}

/**
 * Entry files are thin; they may import what they are named after. `node.ts` is where the runtime begins, so it may
 * import all.
 */
const ENTRIES: Arrows = {
  'index.ts': ['session', 'schema', 'transport'],
  'server.ts': ['server', 'serve'],
  'client.ts': ['client'],
  'engine.ts': ['client', 'session', 'versions', 'transport'],
  'testing.ts': ['testing'],
  'node.ts': Object.keys(ARROWS),
}

const sdkLayers: Layers = { arrows: ARROWS, entries: ENTRIES }

const GATEWAY_ARROWS: Arrows = {
  config: [],
  log: [],
  http: ['config'],
  catalogue: ['config'],
  supervision: ['config'],
  limits: ['config'],
  upstream: ['catalogue', 'supervision', 'limits', 'log'],
  calls: ['upstream'],
  aggregate: ['calls'],
  following: ['aggregate'],
  addresses: ['following'],
  audit: ['upstream'],
  gateway: ['addresses', 'http', 'audit'],
  cli: ['gateway'],
}

export const gatewayLayers: Layers = {
  arrows: GATEWAY_ARROWS,
  entries: { 'index.ts': ['gateway'], 'cli.ts': ['cli'] },
}

const MAX_LINES = 440

export const entries: readonly string[] = Object.keys(ENTRIES)

function closure(direct: readonly string[], arrows: Arrows): Set<string> {
  const all = new Set<string>()
  const open = [...direct]
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (all.has(folder)) continue
    all.add(folder)
    open.push(...(arrows[folder] ?? []))
  }
  return all
}

const folderOf = (path: string): string | undefined =>
  path.includes('/') ? path.slice(0, path.indexOf('/')) : undefined

/** Imports that point against the table, sentences ready to be read. */
export function forbiddenArrows(sources: Sources, layers: Layers = sdkLayers): string[] {
  return allImports(sources).flatMap((edge) => {
    const problem = arrowProblem(edge, layers)
    return problem === undefined ? [] : [`${edge.from} → ${edge.specifier}: ${problem}`]
  })
}

function arrowProblem({ from, target }: Import, { arrows, entries: thin }: Layers): string | undefined {
  if (target === undefined) return undefined
  if (target.startsWith('..')) return 'leaves the source folder'
  const [here, there] = [folderOf(from), folderOf(target)]
  if (here !== undefined && here === there) return undefined
  if (there === undefined) return 'imports an entry file'
  const allowed = here === undefined ? thin[from] : arrows[here]
  if (allowed === undefined) return `${here ?? from} is not in the layer table`
  if (!closure(allowed, arrows).has(there)) return `${here ?? from} may not import ${there}`
  return target === `${there}/index.ts` ? undefined : `goes past ${there}/index.ts`
}

/** Folders that import each other, whatever the table says. */
export function folderCycles(sources: Sources): string[] {
  const graph = new Map<string, Set<string>>()
  for (const { from, target } of allImports(sources)) {
    const [here, there] = [folderOf(from), target === undefined ? undefined : folderOf(target)]
    if (here === undefined || there === undefined || here === there) continue
    graph.set(here, (graph.get(here) ?? new Set()).add(there))
  }
  const reaches = (start: string, goal: string, seen = new Set<string>()): boolean =>
    [...(graph.get(start) ?? [])].some(
      (next) => next === goal || (!seen.has(next) && reaches(next, goal, seen.add(next))),
    )
  return [...graph.keys()].filter((folder) => reaches(folder, folder))
}

/** `node:` modules that an entry other than `node.ts` would load. */
export function nodeImports(sources: Sources): string[] {
  return entries
    .filter((entry) => entry !== 'node.ts' && sources.has(entry))
    .flatMap((entry) => reachable(entry, sources).filter(({ specifier }) => specifier.startsWith('node:')))
    .map(({ from, specifier }) => `${from} → ${specifier}`)
}

export function longFiles(sources: Sources): string[] {
  return [...sources].flatMap(([path, text]) => {
    const lines = text.trimEnd().split('\n').length
    return lines > MAX_LINES ? [`${path}: ${lines} lines, the limit is ${MAX_LINES}`] : []
  })
}

/** The table of folders below a heading of a document: folder → folders. */
export function drawnArrows(document: string, heading: string): Record<string, (string | undefined)[]> {
  const [, rest = ''] = document.split(`\n${heading}\n`)
  const [section = ''] = rest.split(/\n#{1,6} /)
  const rows = [...section.matchAll(/^\| `(\w+)` \| [^|]+ \|([^|]*)\|$/gm)]
  return Object.fromEntries(
    rows.map(([, folder, arrows = '']) => [folder, [...arrows.matchAll(/`(\w+)`/g)].map((match) => match[1])]),
  )
}
