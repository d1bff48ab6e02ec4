/** `node http.js PORT VERSION [rich]`: the server behind the gateways, over `node:http` and without any library. */
import { createServer } from 'node:http'
import { answering, STATELESS } from '../answers.js'

const [port, version, manner] = process.argv.slice(2)
const answer = answering(version, { rich: manner === 'rich' })
const sessions = new Set()

function greet(text) {
  if (JSON.parse(text).method !== 'initialize') return undefined
  const session = crypto.randomUUID()
  sessions.add(session)
  return { 'mcp-session-id': session }
}

function respond(request, response, text) {
  const session = request.headers['mcp-session-id']
  const greeting = version === STATELESS || session !== undefined ? {} : greet(text)
  if (greeting === undefined) return response.writeHead(400).end()
  if (session !== undefined && !sessions.has(session)) return response.writeHead(404).end()
  const body = answer(text)
  if (body === undefined) return response.writeHead(202).end()
  response
    .writeHead(200, { ...greeting, 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) })
    .end(body)
}

/** No stream of its own, and sessions end when they are told to. */
function withoutBody(request, response) {
  if (request.method !== 'DELETE') return response.writeHead(405).end()
  response.writeHead(sessions.delete(request.headers['mcp-session-id']) ? 200 : 404).end()
}

const listener = createServer((request, response) => {
  if (request.method !== 'POST') return withoutBody(request, response)
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => respond(request, response, Buffer.concat(chunks).toString()))
})
// Connections stay open during the turns of other subjects.
listener.keepAliveTimeout = 600_000
listener.listen(Number(port), '127.0.0.1')
