/** The places a client lets servers work in. */
import { ParleyError } from '../errors/index.ts'
import type { ListRootsResult, Root } from '../protocol/index.ts'

/** A URI alone, or with a name. */
export type RootLike = string | Root

/** A list, or a function that makes it anew each time a server asks. */
export type RootsOption = readonly RootLike[] | (() => readonly RootLike[] | Promise<readonly RootLike[]>)

export async function answerRoots(option: RootsOption): Promise<ListRootsResult> {
  const listed = typeof option === 'function' ? await option() : option
  return { roots: listed.map(toRoot) }
}

function toRoot(root: RootLike): Root {
  const whole = typeof root === 'string' ? { uri: root } : root
  if (typeof whole?.uri === 'string' && URL.canParse(whole.uri)) return whole
  throw new ParleyError('internal_error', { cause: new TypeError(`A root must be a URI such as file:///home/me, not ${JSON.stringify(root)}`) })
}
