/**
 * Explains a wrong path, and an endpoint that a browser or a client of another transport requested. The text suggests
 * the closest endpoint, and contains nothing that the page at `/` does not show.
 */
import type { ServeSiteOptions } from 'parley-mcp/node'
import { closestEndpoint, type EndpointKind, type EndpointPath, endpointAt, pathOf } from './endpoint-paths.ts'
import { endpointsOf } from './endpoints.ts'
import { ownUrl } from './own-url.ts'

type PathHints = NonNullable<ServeSiteOptions['hint']>
type RequestHead = Parameters<PathHints>[0]

/** Limit of servers whose addresses are listed. */
const MAX_LISTED = 10

const TRANSPORTS: Readonly<Record<EndpointKind, string>> = {
  mcp: 'Streamable HTTP',
  sse: 'HTTP+SSE',
  messages: 'HTTP+SSE',
  ws: 'WebSocket',
}

/** `names`: the servers that are served now. The empty name stands for all servers together. */
export function pathHints(names: () => readonly string[]): PathHints {
  return (request, { message }) => {
    const all = names()
    const closest = closestEndpoint(request.path, all)
    if (isWebSocket(request)) return unknownPath(request, message, all, closest && { ...closest, kind: 'ws' })
    const here = endpointAt(request.path, all)
    if (here === undefined) return unknownPath(request, message, all, closest)
    const opening = `This address is for MCP clients: ${here.name === '' ? 'all servers as one' : `the server ${here.name}`}, over ${TRANSPORTS[here.kind]}.`
    return {
      message: `${message}${otherTransports(request.method, here)}`,
      text: hintText(request, opening, all, here),
    }
  }
}

function unknownPath(
  request: RequestHead,
  message: string,
  names: readonly string[],
  closest: EndpointPath | undefined,
): ReturnType<PathHints> {
  const question = closest === undefined ? '' : `; did you mean ${pathOf(closest)}?`
  return {
    message: `${message}${question}`,
    text: hintText(request, `Nothing is served at this path${question || '.'}`, names, closest),
  }
}

function isWebSocket(request: RequestHead): boolean {
  return request.header('upgrade')?.toLowerCase() === 'websocket'
}

/** The endpoints for clients of other transports. */
function otherTransports(method: string, { name, kind }: EndpointPath): string {
  const { path, sse } = endpointsOf(name)
  if (kind === 'messages') return `; clients of HTTP+SSE connect to ${sse.path}, those of Streamable HTTP to ${path}`
  if (kind !== 'mcp') return `; clients of Streamable HTTP connect to ${path}`
  return method === 'GET' ? `; clients of HTTP+SSE connect to ${sse.path}` : ''
}

function hintText(
  request: RequestHead,
  opening: string,
  names: readonly string[],
  { name, kind }: EndpointPath = { name: '', kind: 'mcp' },
): string {
  const url = ownUrl(request)
  const { path, sse } = endpointsOf(name)
  const client = {
    mcpServers: { [name || 'parley']: { url: `${url}${TRANSPORTS[kind] === TRANSPORTS.sse ? sse.path : path}` } },
  }
  const servers = names.filter((each) => each !== '')
  const lines = servers.slice(0, MAX_LISTED).map((each) => `${url}${endpointsOf(each).path}`)
  if (servers.length > MAX_LISTED) lines.push(`and ${servers.length - MAX_LISTED} more`)
  const lists = [
    list('All servers as one', names.includes('') ? [`${url}${endpointsOf().path}`] : []),
    list('One server alone', lines),
  ]
  return `${opening}\n\n${list('In the configuration of a client', [JSON.stringify(client)])}\n${lists.join('')}\nThe page for people: ${url}/\n`
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
