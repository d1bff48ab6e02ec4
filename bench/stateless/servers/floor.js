/**
 * The floor of the stateless era: JSON is read, the method looked at, and JSON written. No header is read, nothing is
 * checked, sealed or kept.
 */
import { createServer } from 'node:http'
import { ready, wanted } from '../../transports/servers/child.js'

const { subject, tools } = await wanted()

const whole = {
  resultType: 'complete',
  _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1.0.0' } },
}

async function listed() {
  const { z } = await import('zod')
  const schemaOf = ({ $schema, ...schema }) => schema
  const list = tools.map(({ name, description, input }) => ({
    name,
    description,
    inputSchema: schemaOf(z.toJSONSchema(input, { io: 'input' })),
  }))
  return { ...whole, tools: list, ttlMs: 0, cacheScope: 'private' }
}

const list = tools === undefined ? { ...whole, tools: [] } : await listed()

const question = {
  method: 'elicitation/create',
  params: {
    message: 'Sure?',
    requestedSchema: { type: 'object', properties: { sure: { type: 'boolean' } }, required: ['sure'] },
  },
}

const toolAnswers = {
  forecast: (params) => ({ ...whole, ...subject.withTextCopy(subject.forecast(params.arguments)) }),
  book: ({ arguments: { city }, requestState }) =>
    requestState === undefined
      ? { ...whole, resultType: 'input_required', inputRequests: { sure: question }, requestState: city }
      : { ...whole, ...subject.asText(`Booked ${city}`) },
}

const answers = { 'tools/list': () => list, 'tools/call': (params) => toolAnswers[params.name](params) }

const HEADERS = { 'content-type': 'application/json' }

const listener = createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    const text = JSON.stringify({ jsonrpc: '2.0', id, result: answers[method](params) })
    response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(text) }).end(text)
  })
})
listener.listen(0, '127.0.0.1', () => ready(listener.address().port))
