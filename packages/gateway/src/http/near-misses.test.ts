import { createServer, tool } from 'parley-mcp/server'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewaySite } from './index.ts'

let site: GatewaySite
let url: string
beforeEach(async () => {
  site = new GatewaySite({ host: '127.0.0.1', port: 0, readiness: () => ({ ready: true, servers: [] }), metricsText: () => '' })
  const server = createServer({ name: 'notes', version: '1' }).add(tool('who', {}, () => 'notes'))
  await site.addServer('notes', server)
  await site.setAggregate(server)
  ;({ url } = await site.listen())
})
afterEach(() => site.close({ drain: 0 }))

describe('G paths that are nearly right', () => {
  it.each([
    ['/mcp/', '/mcp'],
    ['/sse/', '/sse'],
    ['/servers/notes', '/servers/notes/mcp'],
    ['/servers/notes/', '/servers/notes/mcp'],
    ['/servers/notes/mcp/', '/servers/notes/mcp'],
  ])('%s points clients to %s, and people to the page', async (wrong, right) => {
    const words = `Nothing is served at this path; did you mean ${right}?`
    const asked = await fetch(`${url}${wrong}`, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } })
    expect([asked.status, await asked.json()]).toEqual([404, { jsonrpc: '2.0', error: { code: -32600, message: words } }])
    const seen = await fetch(`${url}${wrong}`, { headers: { accept: 'text/html,*/*' } })
    expect([seen.status, seen.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8'])
    expect(await seen.text()).toBe(`${words}\nThis is an address for MCP clients; the page for people is at /\n`)
  })

  it('tell strangers nothing', async () => {
    const asked = await fetch(`${url}/servers/notes/`, { headers: { origin: 'https://elsewhere.example', accept: 'text/html' } })
    expect(asked.status).toBe(403)
    expect(await asked.text()).not.toContain('/servers/notes/mcp')
  })

  it('are gone with their server', async () => {
    await site.removeServer('notes', { drain: 0 })
    expect(await (await fetch(`${url}/servers/notes/`)).text()).not.toContain('did you mean')
    await site.addServer('notes', createServer({ name: 'notes', version: '2' }))
    expect(await (await fetch(`${url}/servers/notes/`)).text()).toContain('did you mean')
  })
})
