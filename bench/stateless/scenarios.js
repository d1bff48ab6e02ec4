/**
 * What is measured side by side over HTTP: each scenario turns a server's process into a runner of `count` operations.
 */
import { someTools } from '../subject.js'
import { messageIn } from '../transports/http-load.js'
import { closeAll, openConnections, repeatOn } from '../transports/http-sessions.js'
import { checkCall, checkList, numbered } from '../transports/messages.js'
import { callAsking, callTool, checkBooked, comeBack, listTools, posted, stateIn } from './messages.js'

const CONNECTIONS = 16

const floor = { name: 'floor', file: 'floor', suite: 'stateless' }
export const peers = [
  { name: 'parley', file: 'parley', package: 'parley-mcp', isParley: true },
  { name: 'SDK 2.4', file: 'sdk-2', suite: 'stateless', package: '@modelcontextprotocol/server' },
  { name: 'tmcp', file: 'tmcp', package: 'tmcp' },
]

function repeat(port, request, check) {
  const lanes = openConnections(port, CONNECTIONS).map((connection) => ({
    connection,
    next: numbered(posted(request)),
  }))
  return repeatOn(lanes, check)
}

/** A call that asks, and the same call with the answer. */
async function roundTrip(connection) {
  const asked = await connection.ask(Buffer.from(posted(callAsking)))
  return await connection.ask(Buffer.from(posted(comeBack(stateIn(messageIn(asked.body))))))
}

/**
 * `prepare(server)` gives `run(count)`, `bytes` of one answer and `close`. Without a `goal` the figures are for
 * information.
 */
export const scenarios = [
  {
    id: 'call',
    title: `tools/call at 2026-07-28 over HTTP, ${CONNECTIONS} connections`,
    goal: 0.65,
    entries: [floor, ...peers],
    server: { link: 'http', answer: 'auto' },
    prepare: ({ port }) => repeat(port, callTool, checkCall),
  },
  {
    id: 'list',
    title: `tools/list of ${someTools.length} tools at 2026-07-28 over HTTP, ${CONNECTIONS} connections`,
    goal: 1,
    entries: [floor, ...peers],
    server: { link: 'http', answer: 'auto', tools: 'some' },
    prepare: ({ port }) => repeat(port, listTools, (text) => checkList(text, someTools.length)),
  },
  {
    id: 'ask',
    title: `a call that asks: input_required, the answer, the result, over HTTP, ${CONNECTIONS} connections`,
    entries: [
      floor,
      { name: 'park', file: 'park', suite: 'stateless', isParley: true },
      { name: 'replay', file: 'replay', suite: 'stateless', isParley: true },
    ],
    server: { link: 'http' },
    async prepare({ port }) {
      const connections = openConnections(port, CONNECTIONS)
      const { body } = await roundTrip(connections[0])
      checkBooked(messageIn(body))
      const run = async (count) => {
        let left = count
        const work = async (connection) => {
          while (left-- > 0) {
            const { status } = await roundTrip(connection)
            if (status !== 200) throw new Error(`An answer was answered with ${status}`)
          }
        }
        await Promise.all(connections.map(work))
      }
      return { run, bytes: Buffer.byteLength(body), close: () => closeAll(connections) }
    },
  },
]
