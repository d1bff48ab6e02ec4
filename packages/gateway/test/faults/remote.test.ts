/** Addresses behind which there is no server, or one that leads back here. */
import { request } from 'node:http'
import { ParleyError } from 'parley-mcp'
import { afterEach, beforeEach, describe, it } from 'vitest'
import { expect, FaultRig, failureOf, faulty, names, soon, textOf } from './faults.fixtures.ts'

let rig: FaultRig
beforeEach(() => {
  rig = new FaultRig()
})
afterEach(() => rig.clear())

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
    const url = await rig.http((incoming, response) => incoming.resume().on('end', () => response.writeHead(status, headers).end(body)))
    await rig.start({ web: { url: `${url}/mcp`, headers: { authorization: `Bearer ${TOKEN}` }, initialiseTimeout: '3s' }, good: faulty() })
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
    expect(await soon(failureOf(rig.client('web', version)))).toMatchObject({ message: expect.stringMatching(/web.*ECONNREFUSED/s) })
  })
})

/** The gateway under an address that its configuration cannot recognise. */
async function mirror(): Promise<string> {
  return rig.http((incoming, response) => {
    const { port } = new URL(rig.url)
    const onward = request({ host: '127.0.0.1', port, path: incoming.url, method: incoming.method, headers: { ...incoming.headers, host: `127.0.0.1:${port}` } }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
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
    expect(await soon(failureOf(rig.client('self', version)))).toMatchObject({ message: expect.stringMatching(/leads back/) })
    expect(rig.gateway.sessions).toBeLessThan(20)
  })

  it('at the address of one: it is refused with a clear error before it has begun to call itself', async () => {
    const other = await mirror()
    await rig.start({ loop: { url: `${other}/servers/loop/mcp` }, good: faulty() })
    expect(await soon(failureOf(rig.client('loop', version)))).toMatchObject({ message: expect.stringMatching(/leads back/) })
    expect(await textOf(await rig.client('good', version), 'echo', { text: 'well' })).toBe('well')
    expect(rig.gateway.sessions).toBeLessThan(20)
  })

  it('by a detour: one server of it behind another is no circle', async () => {
    const other = await mirror()
    await rig.start({ detour: { url: `${other}/servers/good/mcp` }, good: faulty() })
    expect(await textOf(await rig.client('detour', version), 'echo', { text: 'round' })).toBe('round')
  })
})
