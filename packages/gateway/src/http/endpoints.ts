/** Where a server of the gateway is reached, by each of the ways. */
import { ParleyError } from 'parley-mcp'

export interface ServerEndpoints {
  readonly path: string
  readonly sse: { readonly path: string; readonly messages: string }
  readonly webSocket: string
}

/** No character of it means anything in a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** Of one server by its name; of all of them together without one. */
export function endpointsOf(name = ''): ServerEndpoints {
  if (name !== '' && !NAME.test(name)) {
    throw new ParleyError('validation_failed', {
      message: `${JSON.stringify(name.slice(0, 80))} cannot be part of an address: a server's name has 1 to 64 letters, digits, dots, dashes or underscores, and begins with a letter or digit`,
    })
  }
  const base = name === '' ? '' : `/servers/${name}`
  return { path: `${base}/mcp`, sse: { path: `${base}/sse`, messages: `${base}/messages` }, webSocket: `${base}/ws` }
}
