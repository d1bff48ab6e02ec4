/** The paths of a server for each transport. */
import { ParleyError } from 'parley-mcp'

export interface ServerEndpoints {
  readonly path: string
  readonly sse: { readonly path: string; readonly messages: string }
  readonly webSocket: string
}

/** Only characters without a meaning in a path. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/

/** The paths of one server by its name. Without a name, the paths of all servers together. */
export function endpointsOf(name = ''): ServerEndpoints {
  if (name !== '' && !NAME.test(name)) {
    throw new ParleyError('validation_failed', {
      message: `${JSON.stringify(name.slice(0, 80))} cannot be part of an address: a server's name has 1 to 64 letters, digits, dots, dashes or underscores, and begins with a letter or digit`,
    })
  }
  const base = name === '' ? '' : `/servers/${name}`
  return { path: `${base}/mcp`, sse: { path: `${base}/sse`, messages: `${base}/messages` }, webSocket: `${base}/ws` }
}
