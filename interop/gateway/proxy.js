/** Stands between an HTTP client and an HTTP server, changes nothing, and tells of every frame that passes. */
import { request as ask, createServer } from 'node:http'

const SESSION = 'mcp-session-id'
const isStream = ({ headers }) => headers['content-type']?.startsWith('text/event-stream')
const isJson = ({ headers }) => headers['content-type']?.startsWith('application/json')

/**
 * `asker`: who sends the requests, `ours` or `theirs`; `tell` gets session, sender and frame. `target` may be set
 * later.
 */
export async function startProxy({ asker, tell, target }) {
  const answerer = asker === 'ours' ? 'theirs' : 'ours'
  /** Addresses that HTTP+SSE servers told their clients to post to: each is a session. */
  const endpoints = new Set()
  let count = 0
  const proxy = { target }

  /** A session has a name, of which there are three kinds; what has none is an exchange for itself. */
  function sessionOf(request, response) {
    const named = request.headers[SESSION] ?? response?.headers[SESSION]
    if (named !== undefined) return `session ${named}`
    return endpoints.has(request.url) ? `endpoint ${request.url}` : `exchange ${++count}`
  }

  function onRequest(request, response) {
    const { origin, host } = new URL(proxy.target)
    const chunks = []
    const forward = ask(`${origin}${request.url}`, {
      method: request.method,
      headers: { ...request.headers, host },
      agent: false,
    })
    const tellSent = (session) => {
      const sent = Buffer.concat(chunks).toString()
      if (sent !== '') tell(session, asker, sent)
    }
    // The answer may come on another stream, and before this one is even acknowledged.
    const isNamed = request.headers[SESSION] !== undefined || endpoints.has(request.url)
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => isNamed && tellSent(sessionOf(request)))
    request.pipe(forward)
    forward.on('response', (answer) => {
      let session = sessionOf(request, answer)
      if (!isNamed) tellSent(session)
      response.writeHead(answer.statusCode, answer.headers)
      response.flushHeaders()
      if (isStream(answer)) {
        const onEvent = ({ event, data }) => {
          if (event !== 'endpoint') return data === '' ? undefined : tell(session, answerer, data)
          const { pathname, search } = new URL(data, proxy.target)
          endpoints.add(`${pathname}${search}`)
          session = `endpoint ${pathname}${search}`
        }
        answer.on('data', events(onEvent))
      } else if (isJson(answer)) {
        const got = []
        answer.on('data', (chunk) => got.push(chunk))
        answer.on('end', () => tell(session, answerer, Buffer.concat(got).toString()))
      }
      answer.pipe(response)
      answer.on('error', () => response.destroy())
    })
    forward.on('error', () =>
      response.headersSent ? response.destroy() : response.writeHead(502).end('Nobody answers behind the proxy'),
    )
    response.on('close', () => forward.destroy())
  }

  // Whoever keeps a connection for its next request must not find it closed: on a busy machine that may take its time.
  const server = createServer({ keepAliveTimeout: 120_000 }, onRequest)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  proxy.origin = `http://127.0.0.1:${server.address().port}`
  proxy.close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return proxy
}

/** Gives a function that takes chunks of an event stream; whole events are handed on. */
function events(onEvent) {
  const decoder = new TextDecoder()
  let rest = ''
  return (chunk) => {
    const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.replaceAll('\r\n', '\n').split('\n\n')
    rest = parts.pop()
    for (const part of parts) {
      const lines = part.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line) ?? [])
      const of = (name) => lines.filter(([, field]) => field === name).map(([, , value]) => value)
      if (of('data').length > 0) onEvent({ event: of('event')[0], data: of('data').join('\n') })
    }
  }
}
