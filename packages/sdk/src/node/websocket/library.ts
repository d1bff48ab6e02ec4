/** Loads the optional package `ws` for the first WebSocket. */
import { ParleyError } from '../../errors/index.ts'

type Library = Pick<typeof import('ws'), 'WebSocket' | 'WebSocketServer'>

let loading: Promise<Library> | undefined

export function loadWs(): Promise<Library> {
  loading ??= import('ws').catch((error: unknown) => {
    loading = undefined
    throw missing(error)
  })
  return loading
}

function missing(cause: unknown): unknown {
  if ((cause as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return cause
  return new ParleyError('transport_error', { message: 'WebSockets need the package "ws" here: npm install ws', cause })
}
