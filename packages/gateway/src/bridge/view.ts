/** How a server is shown to clients that see it as one among others. */
import type { Body, Inbound } from 'parley-mcp/engine'
import type { ListKind } from '../upstream/index.ts'

export interface View {
  /** What the server tells or asks, in the words its clients know. */
  told(method: string, params: Body): Body
  /** A list that this one client sees may have changed. */
  listChanged(kind: ListKind): void
}

/** Whether the answer becomes part of a list of several servers. */
export function isPart({ method }: Inbound, view: View | undefined): boolean {
  return view !== undefined && method.endsWith('/list')
}
