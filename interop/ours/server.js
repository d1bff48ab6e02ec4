/**
 * Parley's server for the clients of others: `server.js stdio|http FILE [VERSIONS|replay]`. It speaks all versions or
 * those; with `replay` handlers that ask something do not wait for the answer but run again with it. Every frame goes
 * to FILE, one JSON line each.
 */
import { appendFileSync } from 'node:fs'
import { serveHttp, serveStdio } from 'parley-mcp/node'
import { createServer } from 'parley-mcp/server'
import { definitions } from './definitions.js'

const [transport, file, manner] = process.argv.slice(2)
const settings = manner === 'replay' ? { stateless: true } : manner === undefined ? {} : { versions: manner.split(',') }

/** Sessions of their own, as every client deserves: one client's cancelled call is no other's. */
let count = 0
const recorded = {
  versions: settings.versions,
  accept(link, options) {
    const session = `${process.pid}.${++count}`
    const server = createServer({ name: 'parley-interop', version: '1.0.0' }, settings)
    server.add(...definitions(() => server))
    const tap = (direction, frame) =>
      appendFileSync(file, `${JSON.stringify({ session, from: direction === 'sent' ? 'ours' : 'theirs', frame })}\n`)
    return server.accept(link, { ...options, tap })
  },
}

if (transport === 'http') {
  const { url } = await serveHttp(recorded, { port: 0, sse: true })
  console.log(`Listening at ${url}`)
} else {
  await serveStdio(recorded)
}
