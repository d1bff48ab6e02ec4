/** What every server program here has in common: what it is asked to be, and what it tells the bench. */

/**
 * `node <server>.js http|stdio json|sse|auto one|some|many|bare`: the link, how requests are answered, and with which
 * tools. `bare` is one tool without arguments, so that nobody loads a schema library for it; it is what cold starts are
 * measured with.
 */
export async function wanted() {
  const [link, answer, tools] = process.argv.slice(2)
  const subject = tools === 'bare' ? undefined : await import('../../subject.js')
  return { link, answer, subject, tools: { many: subject?.manyTools, some: subject?.someTools }[tools] }
}

export const bareTool = { name: 'hello', description: 'Greets', text: 'Hello' }

/** Tells the bench that the server is up, and from then on what it costs. */
export function ready(port) {
  if (process.send === undefined) return
  process.on('message', () => {
    globalThis.gc?.()
    const { user, system } = process.cpuUsage()
    const { heapUsed, external } = process.memoryUsage()
    process.send({ work: (user + system) / 1e6, bytes: heapUsed + external })
  })
  process.once('disconnect', () => process.exit())
  process.send({ port })
}

/** The usual way to hold several sessions with a transport object for each: a table by id. */
export async function serveSessions({ makeServer, makeTransport }) {
  const { createServer } = await import('node:http')
  const sessions = new Map()
  const listener = createServer(async (request, response) => {
    const known = sessions.get(request.headers['mcp-session-id'])
    if (known !== undefined) return known.handleRequest(request, response)
    const transport = makeTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    })
    transport.onclose = () => sessions.delete(transport.sessionId)
    await makeServer().connect(transport)
    await transport.handleRequest(request, response)
  })
  listener.listen(0, '127.0.0.1', () => ready(listener.address().port))
}
