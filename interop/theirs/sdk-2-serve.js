/**
 * How a server of the second generation of the official SDK is put on a transport, for clients of one era or of both.
 */
import { randomUUID } from 'node:crypto'
import { createServer as createHttpServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler, toWebRequest } from '@modelcontextprotocol/node'
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'

/**
 * - `modern`: only the stateless era. `legacy`: only the handshake era, as a program of its first generation would be after an upgrade.
 * - `dual`: both, over HTTP with sessions for the handshake era.
 * - `plain`: both, as it is without any setting: over HTTP the handshake era then has no sessions.
 */
const onStdio = {
  modern: (makeServer) => serveStdio(() => makeServer(), { legacy: 'reject' }),
  dual: (makeServer) => serveStdio(() => makeServer()),
  legacy: (makeServer) => makeServer().connect(new StdioServerTransport()),
}

function withoutSessions(makeServer, options) {
  const handler = createMcpHandler(() => makeServer(handler.notify), options)
  return toNodeHandler(handler)
}

function withSessions(makeServer) {
  const sessions = new Map()
  return async (request, response, body) => {
    const id = request.headers['mcp-session-id']
    if (id !== undefined)
      return sessions.has(id) ? sessions.get(id).handleRequest(request, response, body) : response.writeHead(404).end()
    const fresh = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => sessions.set(made, fresh),
    })
    fresh.onclose = () => sessions.delete(fresh.sessionId)
    await makeServer().connect(fresh)
    return fresh.handleRequest(request, response, body)
  }
}

function withBoth(makeServer) {
  const modern = withoutSessions(makeServer, { legacy: 'reject' })
  const legacy = withSessions(makeServer)
  return async (request, response, body) => {
    const isLegacy = await isLegacyRequest(await toWebRequest(request, body), body)
    return isLegacy ? legacy(request, response, body) : modern(request, response, body)
  }
}

const onHttp = {
  modern: (makeServer) => withoutSessions(makeServer, { legacy: 'reject' }),
  dual: withBoth,
  plain: (makeServer) => withoutSessions(makeServer, {}),
  legacy: withSessions,
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}

export async function serve(makeServer, posture, transport) {
  if (transport === 'stdio') return onStdio[posture](makeServer)
  const handle = onHttp[posture](makeServer)
  const http = createHttpServer((request, response) => {
    bodyOf(request)
      .then((body) => handle(request, response, body))
      .catch((error) => {
        console.error(error)
        if (!response.headersSent) response.writeHead(500).end()
      })
  })
  http.listen(0, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${http.address().port}/mcp`))
}
