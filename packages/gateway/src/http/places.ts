/** The endpoints of the gateway one by one, and which of them was probably meant by a path that is none. */
import { nearest } from '../config/index.ts'
import { endpointsOf, type ServerEndpoints } from './endpoints.ts'

/** What the path of an endpoint ends with. */
export type Way = 'mcp' | 'sse' | 'messages' | 'ws'

export interface Place {
  /** Of a server; empty for all of them together. */
  readonly name: string
  readonly way: Way
}

const PATHS: Readonly<Record<Way, (endpoints: ServerEndpoints) => string>> = {
  mcp: ({ path }) => path,
  sse: ({ sse }) => sse.path,
  messages: ({ sse }) => sse.messages,
  ws: ({ webSocket }) => webSocket,
}

const WAYS = Object.keys(PATHS) as readonly Way[]

/** Longer paths are looked at no further. */
const MAX_WORDS = 6

export function pathOf({ name, way }: Place): string {
  return PATHS[way](endpointsOf(name))
}

export function placeAt(path: string, names: readonly string[]): Place | undefined {
  return names.flatMap((name) => WAYS.map((way) => ({ name, way }))).find((place) => pathOf(place) === path)
}

export function meantBy(path: string, names: readonly string[]): Place | undefined {
  const words = path.split('/', MAX_WORDS).filter((word) => word !== '')
  const isOfOne = nearest(words[0] ?? '', ['servers']) !== undefined
  const own = isOfOne ? words.slice(1) : words
  const servers = names.filter((name) => name !== '')
  // A server may be named like a way, but then it is looked for only where names belong.
  const found = own.map((word, index) =>
    (isOfOne && index === 0) || !Object.hasOwn(PATHS, word) ? nearest(word, servers) : undefined,
  )
  const at = found.findIndex((name) => name !== undefined)
  const ways = own.map((word, index) => (index === at ? undefined : (nearest(word, WAYS) as Way | undefined)))
  const way = ways.findLast((each) => each !== undefined)
  const name = found[at]
  if (name !== undefined) return { name, way: way ?? 'mcp' }
  // Whoever asked for a server that is not there did not mean all of them.
  const isOfAll = words.length === 0 || (isOfOne ? ways[0] : way) !== undefined
  return isOfAll && names.includes('') ? { name: '', way: way ?? 'mcp' } : undefined
}
