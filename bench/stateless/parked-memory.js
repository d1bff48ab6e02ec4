/** How much a server holds for each call that waits for an answer of its client. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { environmentFor } from '../checkout.js'
import { median } from '../rounds.js'
import { messageIn } from '../transports/http-load.js'
import { closeAll, openConnections } from '../transports/http-sessions.js'
import { startServer } from '../transports/server-process.js'
import { callAsking, posted, stateIn } from './messages.js'

const CONNECTIONS = 4

async function inMemory(root, { calls, batches }) {
  const program = fileURLToPath(new URL('./parked-in-memory.js', import.meta.url))
  const args = ['--expose-gc', program, String(calls), String(batches)]
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environmentFor(root) })
  return median(JSON.parse(stdout))
}

async function park(connections, calls) {
  let left = calls
  const work = async (connection) => {
    while (left-- > 0) stateIn(messageIn((await connection.ask(Buffer.from(posted(callAsking)))).body))
  }
  await Promise.all(connections.map(work))
}

/** The least of three looks: a collection may come too early for what just ended. */
async function settled(server) {
  const looks = []
  for (let look = 0; look < 3; look++) looks.push((await server.costs()).bytes)
  return Math.min(...looks)
}

async function overHttp(root, { calls, batches }) {
  const server = await startServer('park', { suite: 'stateless', root, link: 'http', gc: true })
  const connections = openConnections(server.port, CONNECTIONS)
  try {
    // The first calls pay for what is made only once: they do not count.
    await park(connections, calls)
    const samples = []
    for (let batch = 0; batch < batches; batch++) {
      const before = await settled(server)
      await park(connections, calls)
      samples.push(((await settled(server)) - before) / calls)
    }
    return median(samples)
  } finally {
    closeAll(connections)
    await server.stop()
  }
}

/** Bytes of one parked call by link: the median of `batches` batches of `calls`, which all stay parked. */
export async function parkedMemory({ root }, effort) {
  return { calls: effort.calls, 'a link in memory': await inMemory(root, effort), HTTP: await overHttp(root, effort) }
}
