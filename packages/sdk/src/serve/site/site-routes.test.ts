/** G: a server that comes in the place of another one, which still has sessions. */
import { describe, expect, it, vi } from 'vitest'
import { createServer, tool } from '../../server/index.ts'
import type { Exchange, ResponseBody, ResponseHeaders, Sink } from '../../transport/index.ts'
import { HttpSite } from '../index.ts'

const JSON_POST = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** One exchange, whole or streamed. */
class Visit implements Exchange, Sink {
  readonly method: string
  readonly path: string
  readonly query: string
  body: string
  readonly gone = false
  readonly buffered = 0
  status = 0
  headers: ResponseHeaders = {}
  text = ''
  ended = false
  readonly #sent: Readonly<Record<string, string>>

  constructor(
    method: string,
    address: string,
    sent: Readonly<Record<string, string>> = {},
    body: object | undefined = undefined,
  ) {
    this.method = method
    const [path = '', query = ''] = address.split('?')
    this.path = path
    this.query = query
    this.body = body === undefined ? '' : JSON.stringify(body)
    this.#sent = { host: 'localhost', ...(method === 'POST' ? JSON_POST : { accept: 'text/event-stream' }), ...sent }
  }

  header(name: string): string | undefined {
    return this.#sent[name]
  }
  onGone(): () => void {
    return () => {}
  }
  onClose(): void {}
  respond(status: number, headers: ResponseHeaders, body: ResponseBody = ''): void {
    Object.assign(this, { status, headers, ended: true })
    this.text +=
      typeof body === 'string'
        ? body
        : body.map((piece) => (typeof piece === 'string' ? piece : new TextDecoder().decode(piece))).join('')
  }
  stream(status: number, headers: ResponseHeaders): Sink {
    Object.assign(this, { status, headers })
    return this
  }
  write(text: string): void {
    this.text += text
  }
  end(text = ''): void {
    this.text += text
    this.ended = true
  }
  abort(): void {
    this.ended = true
  }

  to(site: HttpSite): this {
    site.admit(this)?.mount.handle(this)
    return this
  }

  async answered(): Promise<this> {
    await vi.waitFor(() => expect(this.ended).toBe(true))
    return this
  }
}

const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'bare', version: '1' } }

function rig() {
  const site = new HttpSite()
  const paths = { path: '/mcp', sse: true }
  const releases = new Map<string, () => void>()
  let lastId = 0
  const serve = (name: string) =>
    site.serve(
      createServer({ name, version: '1' }).add(
        tool('who', {}, () => name),
        tool('wait', {}, () => new Promise<string>((resolve) => releases.set(name, () => resolve(`${name} waited`)))),
      ),
      paths,
    )
  const post = (method: string, params: object, session?: string) =>
    new Visit('POST', '/mcp', session === undefined ? {} : { 'mcp-session-id': session }, {
      jsonrpc: '2.0',
      id: ++lastId,
      method,
      params,
    }).to(site)
  const open = async (): Promise<{ name: string; session: string }> => {
    const { text, headers } = await post('initialize', initialize).answered()
    const session = String(headers['mcp-session-id'])
    new Visit(
      'POST',
      '/mcp',
      { 'mcp-session-id': session },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
    ).to(site)
    return { name: JSON.parse(text).result.serverInfo.name, session }
  }
  const call = (name: string, session: string) => post('tools/call', { name }, session)
  return { site, releases, serve, open, call }
}

describe('G a server in the place of one that is closed', () => {
  it('is met by new clients at once, while the other finishes what its sessions asked for', async () => {
    const { site, releases, serve, open, call } = rig()
    const old = serve('old')
    const { session } = await open()
    const waiting = call('wait', session)
    await vi.waitFor(() => expect(releases.has('old')).toBe(true))
    const closed = old.close()
    serve('new')
    const next = await open()
    expect(next.name).toBe('new')
    expect((await call('who', next.session).answered()).text).toContain('"new"')
    expect(site.sessions).toBe(2)
    // It is still the other one's, which takes nothing new.
    expect((await call('who', session).answered()).text).toContain('shutting down')
    releases.get('old')?.()
    expect((await waiting.answered()).text).toContain('old waited')
    await closed
    expect(site.sessions).toBe(1)
    expect((await call('who', session).answered()).status).toBe(404)
    expect((await call('who', next.session).answered()).text).toContain('"new"')
    expect(new Visit('GET', '/nowhere').to(site).text).toContain('the endpoint is /mcp')
  })

  it('HTTP+SSE: what is posted goes to the one whose stream it belongs to', async () => {
    const { site, releases, serve } = rig()
    const old = serve('old')
    const stream = () => new Visit('GET', '/sse').to(site)
    const inboxOf = ({ text }: Visit): string => /data: (\S+)/.exec(text)?.[1] as string
    const say = (to: Visit, message: object) =>
      new Visit('POST', inboxOf(to), {}, { jsonrpc: '2.0', ...message }).to(site)
    const begin = (to: Visit) => {
      say(to, { id: 1, method: 'initialize', params: initialize })
      say(to, { method: 'notifications/initialized' })
    }
    const first = stream()
    begin(first)
    say(first, { id: 2, method: 'tools/call', params: { name: 'wait' } })
    await vi.waitFor(() => expect(releases.has('old')).toBe(true))
    const closed = old.close()
    serve('new')
    const second = stream()
    begin(second)
    await vi.waitFor(() => expect(second.text).toContain('"name":"new"'))
    expect(say(first, { id: 3, method: 'ping' }).status).toBe(202)
    releases.get('old')?.()
    await vi.waitFor(() => expect(first.text).toContain('old waited'))
    await closed
    expect(say(first, { id: 4, method: 'ping' }).status).toBe(404)
    expect(say(second, { id: 4, method: 'ping' }).status).toBe(202)
  })

  it('that leaves before the other has: the path is still the other one’s, and free for a third', async () => {
    const { site, releases, serve, open, call } = rig()
    const [a, first] = [serve('a'), await open()]
    call('wait', first.session)
    await vi.waitFor(() => expect(releases.has('a')).toBe(true))
    const closed = a.close()
    await serve('b').close()
    expect((await call('who', first.session).answered()).text).toContain('shutting down')
    serve('c')
    expect((await open()).name).toBe('c')
    releases.get('a')?.()
    await closed
    expect((await open()).name).toBe('c')
    await site.close({ drain: 0 })
  })

  it('is refused a path that is not released', () => {
    const { serve } = rig()
    serve('a')
    expect(() => serve('b')).toThrow('Path /mcp is taken')
  })

  it('ends with the site, like the one before it', async () => {
    const { site, releases, serve, open, call } = rig()
    const [a, first] = [serve('a'), await open()]
    const waiting = call('wait', first.session)
    await vi.waitFor(() => expect(releases.has('a')).toBe(true))
    const closed = a.close()
    serve('b')
    await open()
    await site.close({ drain: 0 })
    await closed
    expect(site.sessions).toBe(0)
    expect((await waiting.answered()).text).not.toContain('waited')
  })
})
