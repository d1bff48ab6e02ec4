/** Serves over HTTP and tells the soak, when asked, what it holds. */
import { closeOnSignals, serveHttp } from 'parley-mcp/node'
import { held } from './held.js'
import { createSubject } from './subject.js'

const server = createSubject()
// Whatever is kept for a while is kept for a short while, so that its end is seen.
const serving = await serveHttp(server, { port: 0, idleTimeout: '2s', keepEvents: '1s', heartbeat: '1s' })
closeOnSignals(serving, { drain: '2s' })
process.on('message', () =>
  process.send({ ...held(), sessions: serving.sessions, subscriptions: server.subscriptions }),
)
process.once('disconnect', () => process.exit(1))
process.send({ url: serving.url })
