/** The paths of all endpoints, and the endpoint that an unknown path probably means. */
import { nearest } from '../config/index.ts'
import { endpointsOf, type ServerEndpoints } from './endpoints.ts'

/** The last word of an endpoint's path. */
export type EndpointKind = 'mcp' | 'sse' | 'messages' | 'ws'

export interface EndpointPath {
  /** The name of a server. Empty for the endpoint of all servers. */
  readonly name: string
  readonly kind: EndpointKind
}

const PATHS: Readonly<Record<EndpointKind, (endpoints: ServerEndpoints) => string>> = {
  mcp: ({ path }) => path,
  sse: ({ sse }) => sse.path,
  messages: ({ sse }) => sse.messages,
  ws: ({ webSocket }) => webSocket,
}

const KINDS = Object.keys(PATHS) as readonly EndpointKind[]

/** Limit of words of a path that are compared. */
const MAX_WORDS = 6

export function pathOf({ name, kind }: EndpointPath): string {
  return PATHS[kind](endpointsOf(name))
}

export function endpointAt(path: string, names: readonly string[]): EndpointPath | undefined {
  return names.flatMap((name) => KINDS.map((kind) => ({ name, kind }))).find((endpoint) => pathOf(endpoint) === path)
}

export function closestEndpoint(path: string, names: readonly string[]): EndpointPath | undefined {
  const words = path.split('/', MAX_WORDS).filter((word) => word !== '')
  const isOfOne = nearest(words[0] ?? '', ['servers']) !== undefined
  const own = isOfOne ? words.slice(1) : words
  const servers = names.filter((name) => name !== '')
  // A server may have the name of a kind. Such a word is taken as a name only at the position of a name.
  const found = own.map((word, index) =>
    (isOfOne && index === 0) || !Object.hasOwn(PATHS, word) ? nearest(word, servers) : undefined,
  )
  const at = found.findIndex((name) => name !== undefined)
  const kinds = own.map((word, index) =>
    index === at ? undefined : (nearest(word, KINDS) as EndpointKind | undefined),
  )
  const kind = kinds.findLast((each) => each !== undefined)
  const name = found[at]
  if (name !== undefined) return { name, kind: kind ?? 'mcp' }
  // A path with the name of a missing server does not mean all servers.
  const isOfAll = words.length === 0 || (isOfOne ? kinds[0] : kind) !== undefined
  return isOfAll && names.includes('') ? { name: '', kind: kind ?? 'mcp' } : undefined
}
