/** What a client meets at the address of all servers. */
import { ParleyError } from 'parley-mcp'
import type { Answer, Endpoint, Inbound, Introduction } from 'parley-mcp/engine'
import type { ServedUpstream } from '../bridge/index.ts'
import { SELF } from '../upstream/index.ts'

export class AggregateEndpoint implements Endpoint {
  constructor(_servers: () => readonly ServedUpstream[]) {}

  introduce(): Introduction {
    return { info: SELF, capabilities: {} }
  }

  answer(inbound: Inbound): Promise<Answer> {
    throw new ParleyError('method_not_found', { message: inbound.method })
  }
}
