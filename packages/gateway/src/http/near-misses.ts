/**
 * Words for who comes to a path where nothing is, or to an endpoint by a browser or for another transport: what was
 * probably meant, and nothing that the page at `/` does not show.
 */
import type { ServeSiteOptions } from 'parley-mcp/node'
import { addressOf } from './address.ts'
import { endpointsOf } from './endpoints.ts'
import { meantBy, type Place, pathOf, placeAt, type Way } from './places.ts'

type Hints = NonNullable<ServeSiteOptions['hint']>
type Asked = Parameters<Hints>[0]

/** Most servers whose addresses are listed. */
const MAX_NAMED = 10

const TRANSPORTS: Readonly<Record<Way, string>> = {
  mcp: 'Streamable HTTP',
  sse: 'HTTP+SSE',
  messages: 'HTTP+SSE',
  ws: 'WebSocket',
}

/** `names`: of the servers that are there, with the empty one of all of them together. */
export function hintsAmong(names: () => readonly string[]): Hints {
  return (asked, { message }) => {
    const all = names()
    if (asksForWebSocket(asked)) return elsewhere(asked, message, all, socketOf(meantBy(asked.path, all)))
    const here = placeAt(asked.path, all)
    if (here === undefined) return elsewhere(asked, message, all, meantBy(asked.path, all))
    const opening = `This address is for MCP clients: ${here.name === '' ? 'all servers as one' : `the server ${here.name}`}, over ${TRANSPORTS[here.way]}.`
    return { message: `${message}${otherwise(asked.method, here)}`, text: textFor(asked, opening, all, here) }
  }
}

function elsewhere(
  asked: Asked,
  message: string,
  names: readonly string[],
  meant: Place | undefined,
): ReturnType<Hints> {
  const question = meant === undefined ? '' : `; did you mean ${pathOf(meant)}?`
  return {
    message: `${message}${question}`,
    text: textFor(asked, `Nothing is served at this path${question || '.'}`, names, meant),
  }
}

function asksForWebSocket(asked: Asked): boolean {
  return asked.header('upgrade')?.toLowerCase() === 'websocket'
}

function socketOf(place: Place | undefined): Place | undefined {
  return place && { ...place, way: 'ws' }
}

/** Where clients go that speak another transport than that of the endpoint they have come to. */
function otherwise(method: string, { name, way }: Place): string {
  const { path, sse } = endpointsOf(name)
  if (way === 'messages') return `; clients of HTTP+SSE connect to ${sse.path}, those of Streamable HTTP to ${path}`
  if (way !== 'mcp') return `; clients of Streamable HTTP connect to ${path}`
  return method === 'GET' ? `; clients of HTTP+SSE connect to ${sse.path}` : ''
}

function textFor(
  asked: Asked,
  opening: string,
  names: readonly string[],
  { name, way }: Place = { name: '', way: 'mcp' },
): string {
  const url = addressOf(asked)
  const { path, sse } = endpointsOf(name)
  const client = {
    mcpServers: { [name || 'parley']: { url: `${url}${TRANSPORTS[way] === TRANSPORTS.sse ? sse.path : path}` } },
  }
  const servers = names.filter((each) => each !== '')
  const lines = servers.slice(0, MAX_NAMED).map((each) => `${url}${endpointsOf(each).path}`)
  if (servers.length > MAX_NAMED) lines.push(`and ${servers.length - MAX_NAMED} more`)
  const lists = [
    list('All servers as one', names.includes('') ? [`${url}${endpointsOf().path}`] : []),
    list('One server alone', lines),
  ]
  return `${opening}\n\n${list('In the configuration of a client', [JSON.stringify(client)])}\n${lists.join('')}\nThe page for people: ${url}/\n`
}

function list(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `  ${line}\n`).join('')}`
}
