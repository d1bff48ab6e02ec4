/** Commands with `--config` speak the dialect that the configuration names. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parley } from './cli.fixtures.ts'

let serving: HttpServing
let folder: string

beforeAll(async () => {
  // One tool a page: whoever does not speak the dialect misses its name for the next one.
  const shop = createServer({ name: 'shop', version: '1' }, { dialect: 'erlmcp', pageSize: 1 })
  serving = await serveHttp(
    shop.add(
      tool('pack', { description: 'Packs' }, () => 'packed'),
      tool('send', { description: 'Sends' }, () => 'sent'),
    ),
    { port: 0 },
  )
  folder = await mkdtemp(join(tmpdir(), 'parley-dialect-'))
})
afterAll(async () => {
  await serving.close()
  await rm(folder, { recursive: true })
})

async function withDialect(server: object = {}): Promise<string[]> {
  const file = join(folder, 'parley.json')
  await writeFile(file, JSON.stringify({ mcpServers: { shop: { url: serving.url, dialect: 'erlmcp', ...server } } }))
  return ['--config', file, '--server', 'shop']
}

describe('the dialect of a configuration', () => {
  it('is spoken by inspect', async () => {
    const { code, out } = await parley(['inspect', '--fast', '--json', ...(await withDialect())])
    expect([code, JSON.parse(out).servers[0].tools.count]).toEqual([0, 2])
  })

  it('is spoken by doctor', async () => {
    const { code, out } = await parley(['doctor', ...(await withDialect())])
    expect([code, /lists tools: 2 tools/.test(out)]).toEqual([0, true])
  })

  it('is spoken by call', async () => {
    const missing = await parley(['call', '--json', ...(await withDialect()), 'unpack'])
    // In the dialect the code of an unknown tool is another one, which without it has another meaning.
    expect([missing.code, JSON.parse(missing.err).error.kind]).toEqual([1, 'tool_not_found'])
    expect((await parley(['call', ...(await withDialect()), 'send'])).out).toBe('sent\n')
  })
})
