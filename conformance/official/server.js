/**
 * `server.js handshake|stateless`: the suite's server on the official SDK, in one era only, so that the other has to
 * come from the gateway.
 */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { makeServer } from './definitions.js'

/** Keeps events for those who come back for them. */
class Events {
  #events = []
  async storeEvent(streamId, message) {
    this.#events.push({ streamId, message })
    return String(this.#events.length)
  }
  async getStreamIdForEventId(id) {
    return this.#events[Number(id) - 1]?.streamId
  }
  async replayEventsAfter(lastId, { send }) {
    const streamId = this.#events[Number(lastId) - 1].streamId
    for (const [index, event] of this.#events.entries()) {
      if (index >= Number(lastId) && event.streamId === streamId && Object.keys(event.message).length > 0)
        await send(String(index + 1), event.message)
    }
    return streamId
  }
}

function withSessions() {
  const sessions = new Map()
  return async (request, response, body) => {
    const id = request.headers['mcp-session-id']
    if (id !== undefined)
      return sessions.has(id) ? sessions.get(id).handleRequest(request, response, body) : response.writeHead(404).end()
    const { server, forget } = makeServer()
    const fresh = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (made) => sessions.set(made, fresh),
      eventStore: new Events(),
      retryInterval: 500,
    })
    fresh.onclose = () => {
      sessions.delete(fresh.sessionId)
      forget()
    }
    await server.connect(fresh)
    return fresh.handleRequest(request, response, body)
  }
}

function withoutSessions() {
  const handler = createMcpHandler(() => makeServer(handler.notify).server, { legacy: 'reject' })
  return toNodeHandler(handler)
}

async function bodyOf(request) {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return chunks.length === 0 ? undefined : JSON.parse(Buffer.concat(chunks).toString())
}

const eras = { handshake: withSessions, stateless: withoutSessions }
const handle = eras[process.argv[2]]()
const http = createServer((request, response) => {
  bodyOf(request)
    .then((body) => handle(request, response, body))
    .catch((error) => {
      console.error(error)
      if (!response.headersSent) response.writeHead(500).end()
    })
})
http.listen(0, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${http.address().port}/mcp`))
