/**
 * V2 X1: a sixth version costs one step file and its registration. These tests run with such a version; the laws of
 * translation run with it in the same project of the test runner.
 */
import { execFile } from 'node:child_process'
import { appendFile, cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Gateway, parseConfig, silentLog } from 'parley-gateway'
import * as parley from 'parley-mcp'
import { connect, type HttpServing, serveHttp } from 'parley-mcp/node'
import { createServer, tool } from 'parley-mcp/server'
import { connect as connectInMemory } from 'parley-mcp/testing'
import { afterEach, describe, expect, it } from 'vitest'
import { step } from './2027-01-01.ts'
import { REGISTRATION, REGISTRY } from './registration.ts'

/** The types of the sources know the version only where it is registered, which is while these tests run. */
const SIXTH = step.to as string as parley.ProtocolVersion
const root = fileURLToPath(new URL('../../', import.meta.url))
const older = parley.versions.filter((version) => version !== SIXTH)

/** A program of a user that names the version. */
const USE = `import type { ProtocolVersion } from './index.ts'\nexport const sixth: ProtocolVersion = '2027-01-01'\n`

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
})

describe('V2 the registration of a sixth version', () => {
  it('is one line in one file', () => {
    expect(REGISTRATION.trim().split('\n')).toHaveLength(1)
    expect(parley.versions).toEqual([...older, SIXTH])
    expect([older.length, parley.newestVersion, parley.eraOf(SIXTH)]).toEqual([5, SIXTH, 'stateless'])
    expect(parley.handshakeVersions).not.toContain(SIXTH)
  })

  it('gives the types the version', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'sixth-version-'))
    undo.push(() => rm(folder, { recursive: true, force: true }))
    const source = (path: string): boolean => !/\.(test|fixtures)\.ts$/.test(path)
    await cp(join(root, 'packages/sdk/src'), join(folder, 'packages/sdk/src'), { recursive: true, filter: source })
    await cp(join(root, 'packages/sdk/tsconfig.json'), join(folder, 'packages/sdk/tsconfig.json'))
    await mkdir(join(folder, 'test/sixth-version'), { recursive: true })
    await cp(join(root, 'test/sixth-version/2027-01-01.ts'), join(folder, 'test/sixth-version/2027-01-01.ts'))
    await writeFile(join(folder, 'package.json'), '{"type":"module"}')
    await writeFile(join(folder, 'packages/sdk/src/sixth.ts'), USE)
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
    const compile = (): Promise<string> => {
      const project = ['-p', join(folder, 'packages/sdk'), '--noEmit', '--rootDir', folder]
      return promisify(execFile)(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...project]).then(
        ({ stdout }) => stdout,
        ({ stdout }: { stdout: string }) => stdout,
      )
    }
    expect(await compile()).toMatch(/sixth\.ts.*'"2027-01-01"' is not assignable/)
    await appendFile(join(folder, REGISTRY), REGISTRATION)
    expect(await compile()).toBe('')
  })
})

describe('V2 the tables of a sixth version', () => {
  it('have its method, capability and feature in no older version', () => {
    const having = parley.versions.filter((version) => parley.methodIn(version, 'tools/preview') !== undefined)
    expect(having).toEqual([SIXTH])
    expect(parley.versions.filter((version) => parley.supports(version, 'previews'))).toEqual([SIXTH])
    expect(parley.capabilitiesOf(SIXTH).map(({ path }) => path)).toContain('server.previews')
  })

  it('guard every session', async () => {
    const server = createServer({ name: 's', version: '1' }).add(tool('t', {}, () => 'done'))
    for (const version of parley.versions) {
      const client = await connectInMemory(server, { version })
      undo.push(() => client.close())
      const kind = version === SIXTH ? 'capability_not_supported' : 'method_not_found'
      await expect(client.request('tools/preview', { name: 't' }), version).rejects.toMatchObject({ kind })
    }
  })

  it('are in the documents', async () => {
    const script = (name: string) => import(join(root, 'packages/sdk/scripts', name))
    const versions: string = (await script('render-versions.mjs')).renderVersions(parley)
    expect(versions).toMatch(/\| `tools\/preview` .*\| client → server \| `server.previews`/)
    const translation: string = (await script('render-translation.mjs')).renderTranslation(parley)
    expect(translation).toContain(`## 2026-07-28 and ${SIXTH}`)
    for (const [id] of step.rules) expect(translation).toContain(`| ${id} `)
    for (const { name } of step.changes) expect(translation).toContain(`### ${name}\n`)
    expect(parley.explain(SIXTH, '2024-11-05').entries.map(({ change }) => change)).toContain('urgent calls')
  })
})

describe('G a sixth version at the gateway', () => {
  async function served(version: parley.ProtocolVersion): Promise<HttpServing> {
    const server = createServer({ name: `of ${version}`, version: '1' }).add(
      tool('greet', { description: 'Greets.' }, () => `hello from ${version}`),
    )
    const serving = await serveHttp(server, { port: 0 })
    undo.push(() => serving.close({ drain: 0 }))
    return serving
  }

  async function through(server: parley.ProtocolVersion): Promise<string> {
    const one = { url: (await served(server)).url, versions: [server] }
    const text = JSON.stringify({ mcpServers: { one }, gateway: { port: 0 } })
    const gateway = new Gateway(parseConfig(text, { file: 'parley.json', env: {} }).config, { log: silentLog })
    undo.push(() => gateway.close(0))
    return (await gateway.start()).url
  }

  const meetings = [
    ...older.map((version) => [SIXTH, version] as const),
    ...older.map((version) => [version, SIXTH] as const),
  ]

  it.each(meetings)('a client of %s calls a server of %s', async (client, server) => {
    const url = await through(server)
    for (const path of ['/mcp', '/servers/one/mcp']) {
      const peer = await connect(`${url}${path}`, { version: client })
      undo.push(() => peer.close())
      expect(peer.version).toBe(client)
      const [greet] = await peer.tools()
      expect(greet).toMatchObject({ description: 'Greets.' })
      const { content } = await peer.call(greet?.name ?? '', {})
      expect(content).toEqual([{ type: 'text', text: `hello from ${server}` }])
    }
  })
})
