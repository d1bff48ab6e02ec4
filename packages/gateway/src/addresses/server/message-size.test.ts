/** How long what a server answers may be: longer than any real server's, and a refusal names the setting. */
import { type ProtocolVersion, versions } from 'parley-mcp'
import { connect, httpLink } from 'parley-mcp/client'
import { systemClock } from 'parley-mcp/engine'
import { serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServerConfig, serverDefaults } from '../../config/index.ts'
import { silentLog } from '../../log/index.ts'
import { Upstream } from '../../upstream/index.ts'
import { bridgeTo } from './bridge.fixtures.ts'
import { ServerAddress } from './server-address.ts'

const MB = 1024 * 1024
const SIZE = { type: 'object', properties: { length: { type: 'number' } }, required: ['length'] } as const

const open: (() => Promise<unknown>)[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()))
})

function pages(version: ProtocolVersion) {
  return createServer({ name: 'pages', version: '1' }, { versions: [version] }).add(
    tool('page', { input: SIZE }, ({ length }) => 'x'.repeat(length)),
    tool('take', { input: { type: 'object' } as const }, () => 'taken'),
  )
}

/** A gateway at an address, in front of a server at another. */
async function overHttp(version: ProtocolVersion, more: Partial<ServerConfig> = {}): Promise<string> {
  const far = await serveHttp(pages(version), { port: 0 })
  const config = {
    ...serverDefaults('pages', { kind: 'remote', url: far.url, transport: 'streamable-http', headers: {} } as const),
    ...more,
  }
  const bridge = new ServerAddress(
    new Upstream(config, { log: silentLog, translation: 'lenient', clock: systemClock }),
    { translation: 'lenient' },
  )
  const serving = await serveHttp(bridge, { port: 0 })
  open.push(async () => {
    await serving.close({ drain: 0 })
    await bridge.close()
    await far.close({ drain: 0 })
  })
  return serving.url
}

const refused = (name: string) => ({
  kind: 'result_too_large',
  code: -32603,
  message: `The answer of server "${name}" is longer than 1 MiB: raise "maxMessageSize" of this server, or of the gateway`,
})

describe('a result of several megabytes', () => {
  it.each(versions)('of a server of %s crosses', async (version) => {
    const rig = bridgeTo(pages(version), version)
    for (const spoken of ['2024-11-05', '2025-11-25', '2026-07-28'] as const) {
      const client = await rig.connect({ version: spoken })
      expect((await client.call('page', { length: 5 * MB })).text).toHaveLength(5 * MB)
      await client.close()
    }
    await rig.close()
  })

  it.each(['2025-11-25', '2026-07-28'] as const)('crosses from and to HTTP with %s', async (version) => {
    const url = await overHttp(version)
    const client = await connect(() => httpLink(url), { version })
    expect((await client.call('page', { length: 5 * MB })).text).toHaveLength(5 * MB)
    await client.close()
  })
})

describe('a result that is longer than "maxMessageSize"', () => {
  it.each(['2025-11-25', '2026-07-28'] as const)(
    'of a server of %s is refused with the name of the setting',
    async (version) => {
      const rig = bridgeTo(pages(version), version, { maxMessageSize: MB })
      for (const spoken of ['2025-11-25', '2026-07-28'] as const) {
        const client = await rig.connect({ version: spoken })
        await expect(client.call('page', { length: 2 * MB })).rejects.toMatchObject(refused('rig'))
        expect((await client.call('page', { length: 10 })).text).toHaveLength(10)
        await client.close()
      }
      await rig.close()
    },
  )

  it.each(['2025-11-25', '2026-07-28'] as const)('is refused like that over HTTP with %s', async (version) => {
    const url = await overHttp(version, { maxMessageSize: MB })
    const client = await connect(() => httpLink(url), { version })
    await expect(client.call('page', { length: 2 * MB })).rejects.toMatchObject(refused('pages'))
    await client.close()
  })
})

describe('a request', () => {
  it('may be as long as the gateway reads, whatever the server reads by default', async () => {
    const server = createServer({ name: 'taking', version: '1' }, { limits: { maxBytes: 32 * MB } }).add(
      tool('take', { input: { type: 'object' } as const }, () => 'taken'),
    )
    const rig = bridgeTo(server, undefined)
    const client = await connect(
      { accept: (link, options) => rig.address.accept(link, { ...options, limits: { maxBytes: 16 * MB } }) },
      { limits: { maxSentBytes: 16 * MB } },
    )
    expect((await client.call('take', { pad: 'x'.repeat(8 * MB) })).text).toBe('taken')
    await client.close()
    await rig.close()
  })
})
