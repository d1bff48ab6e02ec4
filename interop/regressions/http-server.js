/** `http-server.js SHAPE`: a server over Streamable HTTP whose statuses have led other gateways astray. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { handshakeAnswer, statelessAnswer } from './answers.js'

const SESSION = 'mcp-session-id'
const sessions = new Set()

const sendJson = (response, status, body) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Whatever has no session is refused with 404, `server/discover` included, and the body is no JSON-RPC. */
function withSessions(request, response, message) {
  const id = request.headers[SESSION]
  if (message?.method === 'initialize' && id === undefined) {
    const made = randomUUID()
    sessions.add(made)
    return sendJson(response.setHeader(SESSION, made), 200, handshakeAnswer(message))
  }
  if (!sessions.has(id)) return response.writeHead(404, { 'content-type': 'text/plain' }).end('Invalid session ID')
  if (request.method === 'DELETE') sessions.delete(id)
  if (request.method !== 'POST') return response.writeHead(request.method === 'DELETE' ? 204 : 405).end()
  return message.id === undefined ? response.writeHead(202).end() : sendJson(response, 200, handshakeAnswer(message))
}

function stateless(request, response, message) {
  if (request.method !== 'POST') return response.writeHead(405).end()
  if (message.id === undefined) return response.writeHead(202).end()
  const answer = statelessAnswer(message)
  return sendJson(response, answer.error === undefined ? 200 : 400, answer)
}

const SHAPES = { '404-without-session': withSessions, 'only-2026-07-28': stateless }

const answer = SHAPES[process.argv[2]]
const server = createServer(async (request, response) => {
  const message = request.method === 'POST' ? await json(request) : undefined
  answer(request, response, message)
})
server.listen(0, '127.0.0.1', () => console.log(`Listening at http://127.0.0.1:${server.address().port}/mcp`))
