/** What is measured side by side: each scenario turns a server's process into a runner of `count` operations. */
import { manyTools } from '../subject.js'
import { closeAll, endSessions, openConnections, openSessions, repeat } from './http-sessions.js'
import { callTool, checkCall, checkList, listTools } from './messages.js'
import { StdioLoad } from './stdio-load.js'

const CONNECTIONS = 16
const IN_FLIGHT = 64

/** It waits about a second before it goes on with a new session, which says nothing about work. */
export const SLOW_TO_OPEN = ['fastmcp']

function expectType(wanted) {
  return (text, head) => {
    checkCall(text)
    if (!head.toLowerCase().includes(`content-type: ${wanted}`)) throw new Error(`The answer is not ${wanted}: ${head}`)
  }
}

/**
 * `prepare(server)` gives `run(count)`, `bytes` of one answer, `close`, and `tidy` for after a round. `answer` is how
 * the floor answers.
 */
export const scenarios = [
  {
    id: 'http-json',
    title: `tools/call over HTTP, answered as JSON, ${CONNECTIONS} connections`,
    goal: 0.7,
    server: { link: 'http', answer: 'json' },
    // It has event streams only.
    without: ['tmcp'],
    prepare: ({ port }) => repeat(port, callTool, { connections: CONNECTIONS, check: expectType('application/json') }),
  },
  {
    id: 'http-sse',
    title: `tools/call over HTTP, answered as an event stream, ${CONNECTIONS} connections`,
    goal: 0.5,
    server: { link: 'http', answer: 'sse' },
    // What a stream costs is held against the same answer as JSON.
    floor: { link: 'http', answer: 'json' },
    prepare: ({ port }, isFloor) =>
      repeat(port, callTool, {
        connections: CONNECTIONS,
        check: expectType(isFloor ? 'application/json' : 'text/event-stream'),
      }),
  },
  {
    id: 'http-list',
    title: `tools/list of ${manyTools.length} tools over HTTP, ${CONNECTIONS} connections`,
    goal: 2,
    server: { link: 'http', answer: 'json', tools: 'many' },
    prepare: ({ port }) =>
      repeat(port, listTools, { connections: CONNECTIONS, check: (text) => checkList(text, manyTools.length) }),
  },
  {
    id: 'http-open',
    title: 'opening a session over HTTP: initialize and notifications/initialized',
    goal: 0.5,
    server: { link: 'http', answer: 'json' },
    without: SLOW_TO_OPEN,
    async prepare({ port }) {
      const connections = openConnections(port, CONNECTIONS)
      const sessions = []
      return {
        async run(count) {
          sessions.push(...(await openSessions(connections, count)))
        },
        tidy: () => endSessions(connections, sessions.splice(0)),
        close: () => closeAll(connections),
      }
    },
  },
  {
    id: 'stdio',
    title: `tools/call over stdio, ${IN_FLIGHT} in flight`,
    goal: 0.65,
    server: { link: 'stdio' },
    async prepare({ child }) {
      const load = new StdioLoad(child, callTool)
      await load.open()
      const answer = await load.ask(callTool)
      checkCall(answer)
      return { run: (count) => load.run(count, IN_FLIGHT), bytes: Buffer.byteLength(answer), close() {} }
    },
  },
]
