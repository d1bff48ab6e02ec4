/** How much a server holds for each session that is open and does nothing. */
import { median } from '../rounds.js'
import { endSessions, openConnections, openSession } from './http-sessions.js'
import { startServer } from './server-process.js'

async function open(connections, count) {
  const sessions = []
  let left = count
  const work = async (connection) => {
    while (left-- > 0) sessions.push(await openSession(connection))
  }
  await Promise.all(connections.map(work))
  return sessions
}

/** The least of three looks: a collection may come too early for what just ended. */
async function settled(server) {
  const looks = []
  for (let look = 0; look < 3; look++) looks.push((await server.costs()).bytes)
  return Math.min(...looks)
}

/** Bytes for each of `sessions` sessions, the median of `rounds`. */
export async function idleMemory(file, { sessions, rounds }) {
  const server = await startServer(file, { link: 'http', gc: true })
  const connections = openConnections(server.port, 4)
  try {
    // What is made once, whoever comes first, is not the price of a session.
    await endSessions(connections, await open(connections, sessions))
    const samples = []
    for (let round = 0; round < rounds; round++) {
      const before = await settled(server)
      const opened = await open(connections, sessions)
      samples.push(((await settled(server)) - before) / sessions)
      await endSessions(connections, opened)
    }
    return median(samples)
  } finally {
    for (const connection of connections) connection.close()
    await server.stop()
  }
}
