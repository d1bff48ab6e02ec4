/** Sessions over HTTP as the scenarios need them: opened, called from many connections at once, and ended. */
import { HttpConnection, messageIn, post, remove, sessionIn } from './http-load.js'
import { initialize, initialized, numbered } from './messages.js'

const ACCEPTED = new Set([200, 202, 204])

function refused(what, { status, body }) {
  return new Error(`${what} was answered with ${status}: ${body.slice(0, 500)}`)
}

/** The id of a new session whose handshake is complete. */
async function openSession(connection) {
  const opened = await connection.ask(Buffer.from(post(initialize)))
  const session = sessionIn(opened.head)
  if (opened.status !== 200 || session === undefined) throw refused('initialize', opened)
  const confirmed = await connection.ask(Buffer.from(post(initialized, session)))
  if (!ACCEPTED.has(confirmed.status)) throw refused('notifications/initialized', confirmed)
  return session
}

/** The ids of `count` new sessions. */
export async function openSessions(connections, count) {
  const sessions = []
  let left = count
  const work = async (connection) => {
    while (left-- > 0) sessions.push(await openSession(connection))
  }
  await Promise.all(connections.map(work))
  return sessions
}

export async function endSessions(connections, sessions) {
  const left = [...sessions]
  const work = async (connection) => {
    for (let session = left.pop(); session !== undefined; session = left.pop())
      await connection.ask(Buffer.from(remove(session)))
  }
  await Promise.all(connections.map(work))
}

export function openConnections(port, count) {
  return Array.from({ length: count }, () => new HttpConnection(port))
}

export function closeAll(connections) {
  for (const connection of connections) connection.close()
}

/** The same request over and over, from one session on each connection. */
export async function repeat(port, text, { connections, check }) {
  const openLane = async (connection) => ({ connection, next: numbered(post(text, await openSession(connection))) })
  return await repeatOn(await Promise.all(openConnections(port, connections).map(openLane)), check)
}

/** `lanes`: `{ connection, next() }`, where `next` gives the bytes of the next request. */
export async function repeatOn(lanes, check) {
  const [{ connection, next }] = lanes
  const { body, head } = await connection.ask(next())
  check(messageIn(body), head)

  const run = (count) =>
    new Promise((resolve, reject) => {
      let toSend = count
      let toCome = count
      const step = (lane) => {
        if (toSend === 0) return
        toSend--
        lane.connection.send(lane.next(), (error, status) => {
          if (error !== undefined || status !== 200)
            return reject(error ?? new Error(`A request was answered with ${status}`))
          if (--toCome === 0) return resolve()
          step(lane)
        })
      }
      for (const lane of lanes) step(lane)
    })
  return { run, bytes: Buffer.byteLength(body), close: () => closeAll(lanes.map((lane) => lane.connection)) }
}
