/**
 * One small broken server for each cause the doctor knows: what it finds, what it advises, and its exit code, printed
 * as a table at the end.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer as createHttp, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttps } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { certificate } from '../../../../sdk/test/wire/certificate.fixtures.ts'
import { parley, plain, plainServer } from '../cli.fixtures.ts'
import type { Check } from './report/subject-report.ts'

interface Row {
  readonly name: string
  /** What follows `parley doctor --json`. */
  line(): Promise<readonly string[]>
  /** The home of the user, where clients keep their configurations. */
  home?(): Promise<string>
  readonly check: string
  readonly detail: RegExp
  readonly fix: RegExp
  readonly exit: number
}

const servers: Server[] = []
/** Headers of the requests that the servers of a row have seen, with the port. */
const seen: { port: number; authorization: string | undefined }[] = []
const homes: string[] = []
const found: (readonly string[])[] = []

async function listening(server: Server): Promise<number> {
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

type Listener = (request: IncomingMessage, response: ServerResponse, body: string) => unknown

async function answering(listener: Listener): Promise<string> {
  const server = createHttp((request, response) => {
    seen.push({ port: (server.address() as AddressInfo).port, authorization: request.headers.authorization })
    void text(request).then((body) => listener(request, response, body))
  })
  return `http://127.0.0.1:${await listening(server)}`
}

const always = async (status: number, headers: Record<string, string>, body = ''): Promise<string> =>
  `${await answering((_, response) => response.writeHead(status, headers).end(body))}/mcp`

const LOGIN_PAGE =
  '<!doctype html><html><head><title>Sign in to Example &ndash; SSO</title></head><body><form><input type="password"></form></body></html>'
const HTML = { 'content-type': 'text/html; charset=utf-8' }
const TOKEN = ['--header', 'Authorization: Bearer secret'] as const

/** As far as a handshake. */
function answerTo(body: string, protocolVersion: string): string | undefined {
  const { id, method } = JSON.parse(body) as { id?: number; method: string }
  const result = { protocolVersion, capabilities: {}, serverInfo: { name: 'a', version: '1' } }
  const error = { code: -32601, message: 'Method not found' }
  return id === undefined
    ? undefined
    : JSON.stringify({ jsonrpc: '2.0', id, ...(method === 'initialize' ? { result } : { error }) })
}

/** Streamable HTTP at one path, and nothing anywhere else. */
const onlyAt = (path: string): Promise<string> =>
  answering((request, response, body) => {
    if (request.url !== path || request.method !== 'POST') return response.writeHead(404).end()
    const answer = answerTo(body, '2025-06-18')
    return answer === undefined
      ? response.writeHead(202).end()
      : response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  })

/** The transport of 2024-11-05. */
async function sseOnly(): Promise<string> {
  let stream: ServerResponse | undefined
  return await answering((request, response, body) => {
    if (request.method === 'GET' && request.url === '/sse') {
      stream = response.writeHead(200, { 'content-type': 'text/event-stream' })
      return stream.write('event: endpoint\ndata: /messages\n\n')
    }
    if (request.url !== '/messages') return response.writeHead(404).end()
    const answer = answerTo(body, '2024-11-05')
    if (answer !== undefined) stream?.write(`event: message\ndata: ${answer}\n\n`)
    return response.writeHead(202).end()
  })
}

/** A home with servers that Cursor knows. */
async function homeWith(servers: Record<string, unknown> | undefined): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'parley-rows-'))
  homes.push(home)
  if (servers === undefined) return home
  await mkdir(join(home, '.cursor'))
  await writeFile(join(home, '.cursor', 'mcp.json'), JSON.stringify({ mcpServers: servers }))
  return home
}

const ROWS: readonly Row[] = [
  {
    name: 'a login page with 200',
    line: async () => [await always(200, HTML, LOGIN_PAGE)],
    check: 'access',
    detail: /web page titled "Sign in to Example/,
    fix: /login page for people/,
    exit: 1,
  },
  {
    name: 'a redirect to a login page on the same host',
    line: async () => {
      const base = await answering((request, response) =>
        request.url === '/mcp'
          ? response.writeHead(302, { location: '/portal' }).end()
          : response.writeHead(200, HTML).end(LOGIN_PAGE),
      )
      return [`${base}/mcp`, ...TOKEN]
    },
    check: 'access',
    detail: /302 and leads to http:\/\/127\.0\.0\.1:\d+\/portal, a page titled "Sign in/,
    fix: /login page for people/,
    exit: 1,
  },
  {
    name: 'a redirect to a login page elsewhere',
    line: async () => {
      const elsewhere = await always(200, HTML, LOGIN_PAGE)
      return [await always(302, { location: elsewhere.replace('/mcp', '/oauth2/authorize?client=1') }), ...TOKEN]
    },
    check: 'access',
    detail: /302 and leads to http:\/\/127\.0\.0\.1:\d+\/oauth2\/authorize\?client=…$/,
    fix: /login page for people/,
    exit: 1,
  },
  {
    name: 'a redirect to another path',
    line: async () => [await always(308, { location: '/v2/mcp' })],
    check: 'speaks',
    detail: /308 and leads to/,
    fix: /redirects elsewhere: use http:\/\/127\.0\.0\.1:\d+\/v2\/mcp/,
    exit: 1,
  },
  {
    name: 'a redirect to itself',
    line: async () => [await always(302, { location: '/mcp' })],
    check: 'speaks',
    detail: /302 and leads to itself/,
    fix: /set up wrongly: see its log/,
    exit: 1,
  },
  {
    name: '421',
    line: async () => [await always(421, {})],
    check: 'speaks',
    detail: /421: it does not serve the host name 127/,
    fix: /allowed hosts/,
    exit: 1,
  },
  {
    name: 'http:// on a TLS port',
    line: async () => [`http://127.0.0.1:${await listening(createHttps(certificate))}/mcp`],
    check: 'speaks',
    detail: /speaks TLS, but the address begins with http:/,
    fix: /use https:\/\/127\.0\.0\.1:\d+\/mcp/,
    exit: 1,
  },
  {
    name: 'an empty event stream',
    line: async () => [await always(200, { 'content-type': 'text/event-stream' })],
    check: 'speaks',
    detail: /event stream that ended without any message/,
    fix: /did not answer it: see its log/,
    exit: 1,
  },
  {
    name: '401 Basic',
    line: async () => [await always(401, { 'www-authenticate': 'Basic realm="internal"' })],
    check: 'access',
    detail: /asks for: Basic realm/,
    fix: /'Authorization: Basic …' with USER:PASSWORD in base64/,
    exit: 1,
  },
  {
    name: '401 Bearer',
    line: async () => [await always(401, { 'www-authenticate': 'Bearer realm="x"' })],
    check: 'access',
    detail: /asks for: Bearer/,
    fix: /give a token: --header 'Authorization: Bearer/,
    exit: 1,
  },
  {
    name: '401 with resource_metadata',
    line: async () => [
      await always(401, {
        'www-authenticate':
          'Bearer error="invalid_token", resource_metadata="https://a.example/.well-known/oauth-protected-resource"',
      }),
    ],
    check: 'access',
    detail: /that is OAuth$/,
    fix: /log in by OAuth.*https:\/\/a\.example\/\.well-known\/oauth-protected-resource/,
    exit: 1,
  },
  {
    name: '401 for a token that is not taken',
    line: async () => [await always(401, { 'www-authenticate': 'Bearer error="invalid_token"' }), ...TOKEN],
    check: 'access',
    detail: /asks for: Bearer error="invalid_token"/,
    fix: /the server does not accept the credentials: get new ones/,
    exit: 1,
  },
  {
    name: '403 for want of a scope',
    line: async () => [
      await always(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="files:write"' }),
      ...TOKEN,
    ],
    check: 'access',
    detail: /403: the token is known, but it lacks the scope "files:write"/,
    fix: /get a token with the scope "files:write"/,
    exit: 1,
  },
  {
    name: '403',
    line: async () => [await always(403, {})],
    check: 'access',
    detail: /403/,
    fix: /credentials do not suffice/,
    exit: 1,
  },
  {
    name: '429',
    line: async () => [await always(429, { 'retry-after': '37' }), '--timeout', '1s'],
    check: 'speaks',
    detail: /429: too many requests for the next 37 s/,
    fix: /wait 37 s, and try again/,
    exit: 1,
  },
  {
    name: '429 that does not say how long',
    line: async () => [await always(429, {}), '--timeout', '1s'],
    check: 'speaks',
    detail: /429: too many requests$/,
    fix: /^wait, and try again/,
    exit: 1,
  },
  {
    name: '404 with a server at /mcp',
    line: async () => [`${await onlyAt('/mcp')}/api`],
    check: 'speaks',
    detail: /404/,
    fix: /there is a server at http:\/\/127\.0\.0\.1:\d+\/mcp: use/,
    exit: 1,
  },
  {
    name: '404 with a server at /sse',
    line: async () => [`${await sseOnly()}/api`],
    check: 'speaks',
    detail: /404/,
    fix: /there is a server at http:\/\/127\.0\.0\.1:\d+\/sse: use/,
    exit: 1,
  },
  {
    name: '404 and nothing',
    line: async () => [await always(404, {})],
    check: 'speaks',
    detail: /SSE: \S+ answered 404: \(an empty body\)$/,
    fix: /check the path of the address/,
    exit: 1,
  },
  {
    name: '503',
    line: async () => [await always(503, {}), '--timeout', '1s'],
    check: 'speaks',
    detail: /503/,
    fix: /has failed: see its log/,
    exit: 1,
  },
  {
    name: 'a log line that begins with [',
    line: async () => plain('--bracket'),
    check: 'output',
    detail: /\[server\] Listening/,
    fix: /standard error/,
    exit: 0,
  },
  {
    name: 'a log line of JSON',
    line: async () => plain('--record'),
    check: 'output',
    detail: /level.*info/,
    fix: /standard error/,
    exit: 0,
  },
  {
    name: 'a log line that begins with [, and no answer',
    line: async () => ['--timeout', '500ms', ...plain('--bracket', '--mute')],
    check: 'output',
    detail: /it wrote a line that is not a message: "\[server\] Listening on/,
    fix: /is it an MCP server over standard input/,
    exit: 1,
  },
  {
    name: 'runs on without input',
    line: async () => plain('--late'),
    check: 'ends',
    detail: /was ended by SIGTERM/,
    fix: /should end when its standard input ends/,
    exit: 0,
  },
  {
    name: 'a tool that clients refuse',
    line: async () => plain('--untyped'),
    check: 'tool definitions',
    detail: /tool "odd" has/,
    fix: /refuse the whole list/,
    exit: 1,
  },
  {
    name: 'a list of tools that fails',
    line: async () => plain('--unlistable'),
    check: 'lists tools',
    detail: /database/,
    fix: /see its log/,
    exit: 1,
  },
  {
    name: 'a list of resources that fails',
    line: async () => plain('--unreadable'),
    check: 'lists resources',
    detail: /disk/,
    fix: /see its log/,
    exit: 1,
  },
  {
    name: 'no argument, and a client whose server ends at once',
    line: async () => [],
    home: () => homeWith({ notes: { command: process.execPath, args: [plainServer, '--crash'] } }),
    check: 'starts',
    detail: /no API key: set PLAIN_KEY/,
    fix: /correct what its last words name/,
    exit: 1,
  },
  {
    name: 'no argument, and a client whose server is not installed',
    line: async () => [],
    home: () => homeWith({ notes: { command: 'no-such-program-here' } }),
    check: 'command',
    detail: /"no-such-program-here" is not found in PATH/,
    fix: /install it, or give its full path/,
    exit: 1,
  },
]

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.close()
    ;(server as Partial<{ closeAllConnections(): void }>).closeAllConnections?.()
  }
})

afterAll(async () => {
  for (const home of homes) await rm(home, { recursive: true })
  const table = found.map(
    (cells) => `| ${cells.map((cell) => cell.replaceAll('\n', ' ').replaceAll('|', '\\|')).join(' | ')} |`,
  )
  process.stdout.write(
    `${['| server | cause found | fix | exit code |', '| --- | --- | --- | --- |', ...table].join('\n')}\n`,
  )
})

describe('parley doctor on', () => {
  it.each(ROWS)('$name', async ({ name, line, home, check, detail, fix, exit }) => {
    seen.length = 0
    const words = await line()
    const { code, out } = await parley(['doctor', '--json', ...words], {
      env: home === undefined ? {} : { HOME: await home() },
    })
    const { checks } = JSON.parse(out) as { checks: Check[] }
    const named = checks.find((each) => each.check === check && each.status !== 'ok')
    found.push([name, named?.detail ?? 'nothing', named?.fix ?? '', String(code)])
    expect(named).toMatchObject({ detail: expect.stringMatching(detail), fix: expect.stringMatching(fix) })
    expect(code).toBe(exit)
    if (exit === 1) expect(checks.some(({ status }) => status === 'problem')).toBe(true)
    // Credentials go to the origin that was given, and to no other.
    const { port: given } = new URL(words.find((word) => word.startsWith('http')) ?? 'http://none')
    for (const { port, authorization } of seen) if (authorization !== undefined) expect(String(port)).toBe(given)
  })

  it('no argument, and no client', async () => {
    const { code, err } = await parley(['doctor'], { env: { HOME: await homeWith(undefined) } })
    found.push([
      'no argument, and no client',
      err.split('\n')[0] ?? '',
      err.trim().split('\n').at(-1) ?? '',
      String(code),
    ])
    expect(code).toBe(2)
    for (const client of ['Claude Desktop', 'Cursor', 'VS Code', 'Windsurf', 'Claude Code'])
      expect(err).toContain(`  ${client}: `)
  })
})
