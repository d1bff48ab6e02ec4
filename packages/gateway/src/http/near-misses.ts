/** Paths beside those of a server that people write instead of them: they say what was probably meant, and nothing that the page at `/` does not show. */
import type { Mount } from 'parley-mcp/server'
import { endpointsOf } from './endpoints.ts'

type Exchange = Parameters<Mount['handle']>[0]

const TEXT_HEADERS = { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' }
const JSON_HEADERS = { 'content-type': 'application/json' }
const INVALID_REQUEST = -32600

/** By path: of one server by its name; of all of them together without one. */
export function nearMisses(name = ''): Record<string, Mount> {
  const { path, sse } = endpointsOf(name)
  const beside = path.slice(0, -'/mcp'.length)
  const meant = [[`${path}/`, path], [`${sse.path}/`, sse.path], ...(beside === '' ? [] : [beside, `${beside}/`].map((each) => [each, path]))]
  return Object.fromEntries(meant.map(([wrong, right]) => [wrong, pointer(right as string)]))
}

/** Refused before anything is read. */
function pointer(right: string): Mount {
  return {
    admit: (exchange) => {
      const words = `Nothing is served at this path; did you mean ${right}?`
      if (isBrowser(exchange)) exchange.respond(404, TEXT_HEADERS, `${words}\nThis is an address for MCP clients; the page for people is at /\n`)
      else exchange.respond(404, JSON_HEADERS, JSON.stringify({ jsonrpc: '2.0', error: { code: INVALID_REQUEST, message: words } }))
      return false
    },
    handle: () => {},
  }
}

function isBrowser(exchange: Exchange): boolean {
  return exchange.method === 'GET' && exchange.header('accept')?.includes('text/html') === true
}
