/** The places a client lets servers work in. */
import { ParleyError } from '../../errors/index.ts'
import type { ListRootsResult, Root } from '../../protocol/index.ts'

/** A URI alone, or with a name. */
export type RootLike = string | Root

/** A list, or a function that makes it anew each time a server asks. */
export type RootsOption = readonly RootLike[] | (() => readonly RootLike[] | Promise<readonly RootLike[]>)

/** A list that is written down can be wrong before anybody asks for it; what a function makes cannot be known yet. */
export function checkRoots(option: RootsOption | undefined): void {
  if (option === undefined || typeof option === 'function') return
  if (!Array.isArray(option)) throw new TypeError('"roots" must be a list of URIs, or a function that makes one')
  for (const root of option) if (!isRoot(wholeOf(root))) throw notRoot(root)
}

export async function answerRoots(option: RootsOption): Promise<ListRootsResult> {
  const listed = typeof option === 'function' ? await option() : option
  return { roots: listed.map(toRoot) }
}

function toRoot(root: RootLike): Root {
  const whole = wholeOf(root)
  if (isRoot(whole)) return whole
  throw new ParleyError('internal_error', { cause: notRoot(root) })
}

function wholeOf(root: RootLike): Root {
  return typeof root === 'string' ? { uri: root } : root
}

function isRoot(whole: Root | undefined): boolean {
  return typeof whole?.uri === 'string' && URL.canParse(whole.uri)
}

function notRoot(root: unknown): TypeError {
  return new TypeError(`A root must be a URI such as file:///home/me, not ${JSON.stringify(root)}`)
}
