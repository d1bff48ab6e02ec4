/** How much a server holds for each session that is open and does nothing. */
import { median } from '../rounds.js'
import { closeAll, endSessions, openConnections, openSessions } from './http-sessions.js'
import { startServer } from './server-process.js'

/** The least of three looks: a collection may come too early for what just ended. */
async function settled(server) {
  const looks = []
  for (let look = 0; look < 3; look++) looks.push((await server.costs()).bytes)
  return Math.min(...looks)
}

/** Bytes for each of `sessions` sessions, the median of `rounds`. */
export async function idleMemory({ file, root }, { sessions, rounds }) {
  const server = await startServer(file, { root, link: 'http', gc: true })
  const connections = openConnections(server.port, 4)
  try {
    // The first session pays for what is made only once: it does not count.
    await endSessions(connections, await openSessions(connections, sessions))
    const samples = []
    for (let round = 0; round < rounds; round++) {
      const before = await settled(server)
      const opened = await openSessions(connections, sessions)
      samples.push(((await settled(server)) - before) / sessions)
      await endSessions(connections, opened)
    }
    return median(samples)
  } finally {
    closeAll(connections)
    await server.stop()
  }
}
