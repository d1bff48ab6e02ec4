/** `node reverse-proxy.js PORT UPSTREAM-PORT`: what anybody would write with `node:http` alone; it reads no message. */
import { Agent, request as ask, createServer } from 'node:http'

const [port, upstream] = process.argv.slice(2).map(Number)
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

const listener = createServer((request, response) => {
  const { method, url: path, headers } = request
  const forwarded = ask({ host: '127.0.0.1', port: upstream, method, path, headers, agent }, (answer) => {
    response.writeHead(answer.statusCode, answer.headers)
    answer.pipe(response)
  })
  forwarded.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
  request.pipe(forwarded)
})
listener.keepAliveTimeout = 600_000
listener.listen(port, '127.0.0.1')
