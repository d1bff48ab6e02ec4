/** The roots of a client: the folders where servers may work. */
import { ParleyError } from '../../errors/index.ts'
import type { ListRootsResult, Root } from '../../protocol/index.ts'

/** A URI alone, or with a name. */
export type RootLike = string | Root

/** A list, or a function that returns it for each request of a server. */
export type RootsOption = readonly RootLike[] | (() => readonly RootLike[] | Promise<readonly RootLike[]>)

/** Checks a list when connecting. The result of a function is checked at each request. */
export function checkRoots(option: RootsOption | undefined): void {
  if (option === undefined || typeof option === 'function') return
  if (!Array.isArray(option)) throw new TypeError('"roots" must be a list of URIs, or a function that makes one')
  for (const root of option) if (!isRoot(asRoot(root))) throw notRoot(root)
}

export async function answerRoots(option: RootsOption): Promise<ListRootsResult> {
  const listed = typeof option === 'function' ? await option() : option
  return { roots: listed.map(toRoot) }
}

function toRoot(root: RootLike): Root {
  const checked = asRoot(root)
  if (isRoot(checked)) return checked
  throw new ParleyError('internal_error', { cause: notRoot(root) })
}

function asRoot(root: RootLike): Root {
  return typeof root === 'string' ? { uri: root } : root
}

function isRoot(root: Root | undefined): boolean {
  return typeof root?.uri === 'string' && URL.canParse(root.uri)
}

function notRoot(root: unknown): TypeError {
  return new TypeError(`A root must be a URI such as file:///home/me, not ${JSON.stringify(root)}`)
}
