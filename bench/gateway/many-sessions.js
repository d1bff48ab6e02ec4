/**
 * Many sessions at once: opened, each called some times with a text of its own, every answer looked at, and the memory
 * they hold.
 */
import { readFileSync } from 'node:fs'
import { HttpConnection } from '../transports/http-load.js'
import { Conversation } from './conversation.js'
import { echoOf } from './loads.js'
import { withPrograms } from './program.js'
import { beforeHttp, beforeStdio, startHttpServer } from './subjects.js'

const VERSION = '2025-11-25'
const CONNECTIONS = 16
const CALLS_EACH = 3
/** The first sessions pay for what is made only once: they do not count. */
const FIRST_SESSIONS = 16
/** Usually some ten seconds are enough. */
const TIMEOUT_MS = 120_000

/** `work(item, connection)` for each, one at a time on each connection. */
async function spread(items, connections, work) {
  const left = [...items]
  await Promise.all(
    connections.map(async (connection) => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) await work(item, connection)
    }),
  )
}

async function openMany(address, count, connections) {
  const opened = []
  await spread(Array(count).fill(address), connections, async (_, connection) => {
    // Clients with capabilities cannot share a server over stdio: its questions do not name a client.
    opened.push(await Conversation.open(address, VERSION, { shared: [connection], able: false }))
  })
  return opened
}

/** The number of right answers; what went wrong first is told. */
async function callAll(sessions, connections) {
  let right = 0
  let wrong
  const calls = Array.from({ length: CALLS_EACH }, (_, turn) =>
    sessions.map((session, at) => ({ session, text: `call ${turn} of session ${at}` })),
  ).flat()
  await spread(calls, connections, async ({ session, text }, connection) => {
    try {
      await session.ask(echoOf(text), connection)
      right++
    } catch (error) {
      wrong ??= error.message
    }
  })
  return { right, calls: calls.length, wrong }
}

/** A thousand processes would say more about the machine than about the gateway. */
function demandSharing({ name, pid }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(/\s+/)
  if (children.length >= FIRST_SESSIONS)
    throw new Error(`${name} runs ${children.length} processes for ${FIRST_SESSIONS} sessions, which were to share one`)
}

async function measure(address, count) {
  const connections = Array.from({ length: CONNECTIONS }, () => new HttpConnection(address.port))
  try {
    const first = await openMany(address, FIRST_SESSIONS, connections)
    await callAll(first, connections)
    demandSharing(address)
    await spread(first, connections, (session, connection) => session.end(connection))
    const before = await address.settled()
    const start = performance.now()
    const sessions = await openMany(address, count, connections)
    const opening = performance.now() - start
    const answers = await callAll(sessions, connections)
    const settled = await address.settled()
    const after = await callAll(sessions, connections)
    return {
      ...answers,
      right: answers.right + after.right,
      calls: answers.calls + after.calls,
      wrong: answers.wrong ?? after.wrong,
      opening: opening / count,
      bytes: (settled.resident - before.resident) / count,
      heap: (settled.heap - before.heap) / count,
    }
  } finally {
    for (const connection of connections) connection.close()
  }
}

const COLLECTS = { collects: true }
/** Each client has a session of its own with a server over HTTP, so there are as many there. */
const ROOM = { maxSessions: 100_000 }

export const SHARED_STDIO = 'parley, one server over stdio for all'

/** Supergateway has a process for each session, and is not asked for a thousand. */
const subjects = [
  {
    name: 'parley, server over HTTP',
    file: 'parley',
    begin: async (start, root) =>
      await beforeHttp.parley(start, await startHttpServer(start, VERSION), { settings: ROOM, root, ...COLLECTS }),
  },
  {
    name: SHARED_STDIO,
    file: 'parley',
    begin: (start, root) =>
      beforeStdio.parley(start, { version: VERSION, settings: { session: 'shared' }, root, ...COLLECTS }),
  },
  {
    name: 'mcp-proxy, one server over stdio for all',
    file: 'mcp-proxy',
    begin: (start) => beforeStdio['mcp-proxy'](start, { version: VERSION, ...COLLECTS }),
  },
]

/** A program that stops answering must not stop the others. */
async function inTime(measured) {
  let timer
  const tooLate = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`It was not done within ${TIMEOUT_MS / 1000} s`)), TIMEOUT_MS)
  })
  try {
    return await Promise.race([measured, tooLate])
  } finally {
    clearTimeout(timer)
  }
}

export async function manySessions({ isPeer, checkouts }, { sessions }, progress) {
  const results = {}
  for (const { name: plainName, file, begin } of subjects.filter((subject) => isPeer(subject.file))) {
    for (const { root, nameOf } of file === 'parley' ? checkouts : checkouts.slice(0, 1)) {
      const name = nameOf(plainName)
      progress(`… ${sessions} sessions at once: ${name}`)
      try {
        results[name] = await withPrograms(async (start) => await inTime(measure(await begin(start, root), sessions)))
      } catch (error) {
        results[name] = { right: 0, calls: sessions * CALLS_EACH * 2, wrong: error.message }
      }
    }
  }
  return { sessions, results }
}
