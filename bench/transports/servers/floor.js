/** The floor: no library, no checks, no protocol; a message is read as JSON and answered as JSON. */
import { ready, wanted } from './child.js'

const { link, answer, subject, tools } = await wanted()

const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo: { name: 'bench', version: '1.0.0' },
}

/** As short as they can be. */
async function listed() {
  const { z } = await import('zod')
  const schemaOf = ({ $schema, ...schema }) => schema
  return {
    tools: tools.map(({ name, description, input }) => ({
      name,
      description,
      inputSchema: schemaOf(z.toJSONSchema(input, { io: 'input' })),
    })),
  }
}

const list = tools === undefined ? { tools: [] } : await listed()

const answers = {
  initialize: () => initialized,
  'tools/list': () => list,
  'tools/call': (params) => subject.withTextCopy(subject.forecast(params.arguments)),
}

/** Undefined for a notification. */
function answerTo(text) {
  const { id, method, params } = JSON.parse(text)
  return id === undefined ? undefined : JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) })
}

async function serveHttp() {
  const { createServer } = await import('node:http')
  const sessions = new Map()

  function respond(request, response, body) {
    const text = request.method === 'POST' ? answerTo(body) : undefined
    const headers = {}
    if (request.headers['mcp-session-id'] === undefined) {
      const id = crypto.randomUUID()
      sessions.set(id, {
        id,
        phase: 'ready',
        version: '2025-11-25',
        usedAt: Date.now(),
        peer: JSON.parse(body).params.clientInfo,
      })
      headers['mcp-session-id'] = id
    } else if (request.method === 'DELETE') sessions.delete(request.headers['mcp-session-id'])
    if (text === undefined) return response.writeHead(202, headers).end()
    const whole = answer === 'sse' ? `event: message\ndata: ${text}\n\n` : text
    headers['content-type'] = answer === 'sse' ? 'text/event-stream' : 'application/json'
    headers['content-length'] = Buffer.byteLength(whole)
    response.writeHead(200, headers).end(whole)
  }

  const listener = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => respond(request, response, Buffer.concat(chunks).toString()))
  })
  listener.listen(0, '127.0.0.1', () => ready(listener.address().port))
}

function serveStdio() {
  let rest = ''
  process.stdin.setEncoding('utf8')
  process.stdin.on('data', (chunk) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()
    const texts = lines.map(answerTo).filter((text) => text !== undefined)
    if (texts.length > 0) process.stdout.write(`${texts.join('\n')}\n`)
  })
  process.stdin.on('end', () => process.exit())
  ready()
}

if (link === 'http') await serveHttp()
else serveStdio()
