/** Parley's server for the clients of others: `server.js stdio|http FILE [VERSIONS]`, which speaks all versions or those; every frame goes to FILE, one JSON line each. */
import { appendFileSync } from 'node:fs'
import { serveHttp, serveStdio } from 'parley-mcp/node'
import { createServer } from 'parley-mcp/server'
import { definitions } from './definitions.js'

const [transport, file, spoken] = process.argv.slice(2)
const versions = spoken?.split(',')

/** Sessions of their own, as every client deserves: one client's cancelled call is no other's. */
let count = 0
const recorded = {
  versions,
  accept(link, options) {
    const session = `${process.pid}.${++count}`
    const server = createServer({ name: 'parley-interop', version: '1.0.0' }, { ...(versions && { versions }) })
    server.add(...definitions(() => server))
    const tap = (direction, frame) => appendFileSync(file, `${JSON.stringify({ session, from: direction === 'sent' ? 'ours' : 'theirs', frame })}\n`)
    return server.accept(link, { ...options, tap })
  },
}

if (transport === 'http') {
  const { url } = await serveHttp(recorded, { port: 0, sse: true })
  console.log(`Listening at ${url}`)
} else {
  await serveStdio(recorded)
}
