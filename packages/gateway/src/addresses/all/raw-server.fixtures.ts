/**
 * A server that says exactly what a test gives it, in the words of its version, whether or not they are allowed there.
 */
import { eraOf, type ProtocolVersion } from 'parley-mcp'
import type { Acceptor, Body, Link } from 'parley-mcp/engine'

export interface RawAnswer {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

export interface RawServerOptions {
  readonly version: ProtocolVersion
  readonly capabilities: Body
  readonly answer: (method: string, params: Body) => RawAnswer
}

export function rawServer({ version, capabilities, answer }: RawServerOptions): Acceptor {
  const own = { capabilities, serverInfo: { name: 'raw', version: '1' } }
  const isStateless = eraOf(version) === 'stateless'
  const opening = isStateless
    ? {
        'server/discover': {
          ...own,
          supportedVersions: [version],
          resultType: 'complete',
          ttlMs: 0,
          cacheScope: 'private',
        },
      }
    : { initialize: { ...own, protocolVersion: version } }
  const answerTo = (method: string, params: Body): RawAnswer => {
    if (method in opening) return { result: opening[method as never] }
    if (method === 'server/discover' || method === 'initialize') return { error: { code: -32601, message: 'unknown' } }
    return method === 'ping' ? { result: {} } : answer(method, params)
  }
  return {
    accept: (link: Link) => {
      link.open({
        frame: (text) => {
          const { id, method, params = {} } = JSON.parse(text) as { id?: number; method: string; params?: Body }
          if (id !== undefined) link.send(JSON.stringify({ jsonrpc: '2.0', id, ...answerTo(method, params) }))
        },
        closed: () => {},
      })
      return undefined as never
    },
  }
}

/** The result of a list, framed as the version has it. */
export function listed(version: ProtocolVersion, field: string, items: readonly unknown[]): RawAnswer {
  const frame = eraOf(version) === 'stateless' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {}
  return { result: { ...frame, [field]: items } }
}
