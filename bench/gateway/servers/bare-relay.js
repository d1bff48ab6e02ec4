/**
 * `node bare-relay.js PORT COMMAND…`: a server over stdio behind `node:http`, with nothing checked, limited or
 * supervised; the least that the way itself costs.
 */
import { spawn } from 'node:child_process'
import { createServer } from 'node:http'

const [port, command, ...args] = process.argv.slice(2)
const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
process.once('SIGTERM', () => {
  server.kill('SIGKILL')
  process.exit()
})

/** Responses that wait, by the id of the request. */
const waiting = new Map()

function answer(line) {
  const { id } = JSON.parse(line)
  const response = waiting.get(id)
  waiting.delete(id)
  response
    ?.writeHead(200, {
      'content-type': 'application/json',
      'mcp-session-id': 'one',
      'content-length': Buffer.byteLength(line),
    })
    .end(line)
}

let rest = ''
server.stdout.setEncoding('utf8').on('data', (text) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop()
  for (const line of lines) answer(line)
})

const listener = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', (piece) => {
    text += piece
  })
  request.on('end', () => {
    const { id } = JSON.parse(text)
    if (id === undefined) response.writeHead(202).end()
    else waiting.set(id, response)
    server.stdin.write(`${text}\n`)
  })
})
listener.keepAliveTimeout = 600_000
listener.listen(Number(port), '127.0.0.1')
