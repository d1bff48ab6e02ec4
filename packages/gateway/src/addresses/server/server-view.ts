/** How a server is shown to clients that see it as one among others. */
import type { Body } from 'parley-mcp/engine'
import type { ListKind } from '../../upstream/index.ts'

export interface View {
  /** What the server tells or asks, in the words its clients know. */
  told(method: string, params: Body): Body
  /** A list that this one client sees may have changed. */
  listChanged(kind: ListKind): void
}
