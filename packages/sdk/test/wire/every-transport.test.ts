import { afterAll, beforeAll } from 'vitest'
import { certificate } from './certificate.fixtures.ts'
import { type Bundled, bundled } from './children/programs.ts'
import { describeTransport } from './suite.ts'
import { handled, http, http2, httpSse, memory, stdio, tcp, webSocket } from './suite-wires.ts'

let program: Bundled
beforeAll(async () => {
  program = await bundled('suite')
})
afterAll(() => program.remove())

describeTransport('memory', memory)
describeTransport(
  'stdio',
  stdio(() => program.path),
)
describeTransport('TCP', tcp)
describeTransport('Streamable HTTP', http({}))
describeTransport('Streamable HTTP, always JSON, by fetch', http({ answer: 'json' }, {}))
describeTransport('Streamable HTTP, always events, by fetch', http({ answer: 'sse' }, {}))
describeTransport('Streamable HTTP over HTTP/2', http2({ http2: true }))
describeTransport('Streamable HTTP over HTTP/2 and TLS', http2({ tls: certificate }))
describeTransport('Streamable HTTP by a fetch handler', handled)
describeTransport('HTTP+SSE', httpSse)
describeTransport('WebSocket', webSocket)
