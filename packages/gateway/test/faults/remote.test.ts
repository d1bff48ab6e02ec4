/** Addresses behind which there is no server, or one that leads back here. */
import { type RequestListener, request, type ServerResponse } from 'node:http'
import { ParleyError } from 'parley-mcp'
import { describe, it } from 'vitest'
import { eventually, expect, FaultRig, failureOf, faulty, names, perTest, soon, textOf } from './faults.fixtures.ts'

const rig = perTest()

const TOKEN = 'bearer-of-secrets-4711'

describe.each(['2025-11-25', '2026-07-28'] as const)('an address that is no server, client of %s', (version) => {
  it.each([
    ['HTML', 200, { 'content-type': 'text/html' }, '<!doctype html><h1>Welcome</h1>', /html/i],
    ['500', 500, {}, 'oops', /500/],
    ['401', 401, { 'www-authenticate': 'Bearer' }, '', /401/],
    ['404', 404, {}, '', /404/],
    ['an empty body', 200, { 'content-type': 'application/json' }, '', /./],
    ['JSON of something else', 200, { 'content-type': 'application/json' }, '{"hello":"world"}', /./],
    ['a redirect to itself', 307, { location: '/mcp' }, '', /./],
  ])('%s: the error says so and names the server, secrets stay here', async (_, status, headers, body, pattern) => {
    const url = await rig.http((incoming, response) =>
      incoming.resume().on('end', () => response.writeHead(status, headers).end(body)),
    )
    await rig.start({
      web: { url: `${url}/mcp`, headers: { authorization: `Bearer ${TOKEN}` }, initialiseTimeout: '3s' },
      good: faulty(),
    })
    const failure = await soon(failureOf(rig.client('web', version)))
    expect(failure).toBeInstanceOf(ParleyError)
    expect((failure as Error).message).toMatch(pattern)
    expect((failure as Error).message).not.toContain(TOKEN)
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
  })

  it('hangs: its time-out ends it, and nobody else waits', async () => {
    const url = await rig.http(() => {})
    await rig.start({ web: { url: `${url}/mcp`, initialiseTimeout: '1s' }, good: faulty() })
    const failing = failureOf(rig.client('web', version))
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
    expect((await soon(failing)) as Error).toMatchObject({ message: expect.stringMatching(/web/) })
  })

  it('nobody listens there', async () => {
    await rig.start({ web: { url: 'http://127.0.0.1:9/mcp' } })
    expect(await soon(failureOf(rig.client('web', version)))).toMatchObject({
      message: expect.stringMatching(/web.*ECONNREFUSED/s),
    })
  })
})

/** A server over HTTP, without sessions, that answers calls as `call` does. */
function answering(call: (id: unknown, response: ServerResponse) => void): RequestListener {
  return (incoming, response) => {
    let text = ''
    incoming.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    incoming.on('end', () => {
      if (incoming.method !== 'POST') return response.writeHead(405).end()
      const { id, method, params } = JSON.parse(text) as {
        id?: unknown
        method: string
        params?: { protocolVersion?: string; name?: string }
      }
      if (id === undefined) return response.writeHead(202).end()
      if (method === 'tools/call' && params?.name === 'bad') return call(id, response)
      const result = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'web', version: '1' },
        },
        'tools/list': { tools: [] },
        'tools/call': { content: [{ type: 'text', text: 'well' }] },
      }[method]
      const body = result === undefined ? { error: { code: -32601, message: 'no' } } : { result }
      return response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, ...body }))
    })
  }
}

const BIG = 50 * 1024 * 1024
const FAULTS: Readonly<Record<string, (id: unknown, response: ServerResponse) => void>> = {
  'returns 50 MB': (id, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"${'x'.repeat(BIG)}"}]}}`,
    )
  },
  'streams 50 MB as one event': (id, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(
      `data: {"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"${'x'.repeat(BIG)}"}]}}\n\n`,
    )
  },
  'hangs up': (_, response) => void response.destroy(),
  'hangs up in the middle': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",', () => response.destroy())
  },
  'answers with HTML': (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Gateway time-out</h1>'),
  'answers 502': (_, response) => void response.writeHead(502).end('bad gateway'),
  'answers another request': (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"jsonrpc":"2.0","id":"other","result":{}}'),
}

describe.each(['2025-11-25', '2026-07-28'] as const)('a call by HTTP, client of %s', (version) => {
  it.each(Object.keys(FAULTS))('that %s: a typed error for it, and the next one works', async (fault) => {
    const url = await rig.http(answering(FAULTS[fault] as (id: unknown, response: ServerResponse) => void))
    await rig.start({ web: { url: `${url}/mcp`, transport: 'streamable-http', maxMessageSize: '4MiB' } })
    const client = await rig.client('web', version)
    const failure = await soon(failureOf(client.call('bad')))
    expect(failure).toBeInstanceOf(ParleyError)
    expect(await soon(eventually(() => textOf(client, 'good')))).toBe('well')
  })
})

/** The gateway under an address that its configuration cannot recognise. */
async function mirror(): Promise<string> {
  return rig.http((incoming, response) => {
    const { port } = new URL(rig.url)
    const onward = request(
      {
        host: '127.0.0.1',
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...incoming.headers, host: `127.0.0.1:${port}` },
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      },
    )
    onward.on('error', () => response.destroy())
    response.on('close', () => onward.destroy())
    incoming.pipe(onward)
  })
}

describe.each(['2025-11-25', '2026-07-28'] as const)('a gateway behind itself, client of %s', (version) => {
  it('at the address of all: it is refused with a clear error, and the others are served', async () => {
    const other = await mirror()
    await rig.start({ self: { url: `${other}/mcp` }, good: faulty() })
    const client = await soon(rig.client(undefined, version))
    for (let time = 0; time < 3; time++) {
      const listed = names(await soon(client.tools()))
      expect(listed).toContain('good__echo')
      expect(listed.filter((name) => name.startsWith('self__'))).toEqual([])
    }
    expect(await soon(failureOf(rig.client('self', version)))).toMatchObject({
      message: expect.stringMatching(/leads back/),
    })
    expect(rig.gateway.sessions).toBeLessThan(20)
  })

  it('at the address of one: it is refused with a clear error before it has begun to call itself', async () => {
    const other = await mirror()
    await rig.start({ loop: { url: `${other}/servers/loop/mcp` }, good: faulty() })
    expect(await soon(failureOf(rig.client('loop', version)))).toMatchObject({
      message: expect.stringMatching(/leads back/),
    })
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
    expect(rig.gateway.sessions).toBeLessThan(20)
  })

  it('by a detour: one server of it behind another is no circle', async () => {
    const other = await mirror()
    await rig.start({ detour: { url: `${other}/servers/good/mcp` }, good: faulty() })
    expect(await textOf(await rig.client('detour', version), 'echo', { text: 'round' })).toBe('round')
  })
})

describe('gateways behind each other', () => {
  it('of two in a circle one is refused as a server of the other, and lists stay as long as they are', async () => {
    const other = new FaultRig()
    rig.atEnd(() => other.clear())
    const address = await mirror()
    await other.start({ first: { url: `${address}/mcp` }, far: faulty() })
    await rig.start({ second: { url: other.address() }, near: faulty() })
    await Promise.all([rig.gateway.reach(), other.gateway.reach()])
    const [one, two] = await Promise.all([rig.client(), other.client()])
    const lengths: number[] = []
    for (let time = 0; time < 3; time++) {
      lengths.push((await soon(one.tools())).length, (await soon(two.tools())).length)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    expect(names(await one.tools())).toContain('near__echo')
    expect(names(await two.tools())).toContain('far__echo')
    const own = names(await one.tools()).filter((name) => name.startsWith('near__')).length
    for (const length of lengths) expect(length).toBeLessThanOrEqual(2 * own)
    expect([...rig.said, ...other.said].filter((line) => line.includes('leads back'))).not.toEqual([])
  })
})
