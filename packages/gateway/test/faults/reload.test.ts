/** The configuration changes while calls run: whoever is not concerned notices nothing. */
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { ConfigError, watchConfig } from '../../src/config/index.ts'
import {
  childrenOf,
  configOf,
  eventually,
  expect,
  failureOf,
  faulty,
  names,
  perTest,
  soon,
  textOf,
  until,
} from './faults.fixtures.ts'
import { shakeHands } from './raw.fixtures.ts'

const rig = perTest()

const OLD = { kept: faulty(), changed: faulty(), removed: faulty() }
const NEW = { kept: faulty(), changed: faulty('--tools=3'), added: faulty() }

describe('G hot reload', () => {
  it('calls on an untouched server complete, its sessions and processes stay', async () => {
    await rig.start(OLD)
    const kept = await shakeHands(rig.address('kept'))
    const pid = async (): Promise<string | undefined> =>
      (await kept.request('tools/call', { name: 'pid' })).body.result?.content?.[0]?.text
    const before = await pid()
    const running = kept.request('tools/call', { name: 'wait', arguments: { ms: 500 } }, { id: 'long' })
    const [changed, removed] = await Promise.all([rig.client('changed'), rig.client('removed')])
    const hanging = [failureOf(changed.call('hang')), failureOf(removed.call('hang'))]
    await Promise.all([textOf(changed, 'pid'), textOf(removed, 'pid')])
    // How long running calls may take to end.
    const reloaded = rig.passing(5000, 'sdk/src', rig.gateway.reload(configOf(NEW)))
    for (const failure of await soon(Promise.all(hanging))) expect(failure).toBeInstanceOf(Error)
    await soon(reloaded)
    expect((await soon(running)).body.result?.content?.[0]?.text).toBe('waited')
    expect(await pid()).toBe(before)
    expect(await textOf(await rig.client('added'), 'echo', { text: 'new' })).toBe('new')
    expect(names(await (await rig.client('changed')).tools())).toContain('tool-2')
    expect((await fetch(rig.address('removed'), { method: 'POST' })).status).toBe(404)
    expect(rig.gateway.upstreams.map(({ name }) => name).sort()).toEqual(['added', 'changed', 'kept'])
  })

  it.each(['2025-11-25', '2026-07-28'] as const)(
    'clients of all servers are told, and keep their session, client of %s',
    async (version) => {
      await rig.start(OLD)
      const client = await rig.client(undefined, version)
      expect(names(await client.tools())).toContain('removed__echo')
      let told = 0
      client.onListChanged('tools', () => {
        told++
      })
      const running = client.call('kept__wait', { ms: 700 })
      await textOf(client, 'kept__echo', { text: 'behind it' })
      await rig.gateway.reload(configOf(NEW))
      await until(
        () => told,
        (times) => times > 0,
      )
      expect((await soon(running)).text).toBe('waited')
      const after = names(await client.tools())
      expect(after).toEqual(expect.arrayContaining(['kept__echo', 'changed__tool-2', 'added__echo']))
      expect(after).not.toContain('removed__echo')
      expect(await textOf(client, 'added__echo', { text: 'new' })).toBe('new')
      expect(await soon(failureOf(client.call('removed__echo', { text: 'x' })))).toMatchObject({ receivedCode: -32602 })
    },
  )

  it('processes of what was removed are gone, and a crashed one does not come back', async () => {
    await rig.start({ gone: faulty() })
    await rig.gateway.reach()
    const client = await rig.client('gone')
    void failureOf(client.call('hang'))
    expect(childrenOf(process.pid)).not.toEqual([])
    await soon(rig.gateway.reload(configOf({})))
    expect(childrenOf(process.pid)).toEqual([])
  })

  it('many reloads at once: the last one is in force', async () => {
    await rig.start({ a: faulty() })
    const reloads = Array.from({ length: 10 }, (_, index) =>
      rig.gateway.reload(configOf({ [`s${index}`]: { ...faulty(), lazy: true } })),
    )
    await soon(Promise.all(reloads))
    expect(rig.gateway.upstreams.map(({ name }) => name)).toEqual(['s9'])
    expect(await textOf(await rig.client('s9'), 'echo', { text: 'last' })).toBe('last')
  })

  it('a server that cannot be served does not stop later reloads', async () => {
    await rig.start({ a: faulty() })
    const config = configOf({ a: faulty(), b: faulty() })
    const [server] = [...config.servers.values()]
    const broken = {
      ...config,
      servers: new Map([
        ...config.servers,
        ['bad name/', { ...(server as NonNullable<typeof server>), name: 'bad name/' }],
      ]),
    }
    await failureOf(rig.gateway.reload(broken))
    await soon(rig.gateway.reload(config))
    expect(await textOf(await rig.client('b'), 'echo', { text: 'well' })).toBe('well')
  })

  it('a broken file is told with the line, a file that vanishes too, and the old configuration stays in force', async () => {
    const file = join(await rig.folder(), 'parley.json')
    const write = async (text: string): Promise<void> => {
      await writeFile(`${file}.new`, text)
      await rename(`${file}.new`, file)
    }
    await write(JSON.stringify({ mcpServers: { files: faulty() } }))
    await rig.start({ files: faulty() })
    const client = await rig.client('files')
    const problems: string[] = []
    const watch = watchConfig(file, (outcome) => {
      if (outcome instanceof ConfigError) problems.push(outcome.message)
      else void rig.gateway.reload(outcome.config)
    })
    rig.atEnd(() => watch.close())
    const told = (pattern: RegExp): Promise<unknown> => eventually(async () => expect(problems.at(-1)).toMatch(pattern))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await write('{ "mcpServers": { "files": { "comand": "x" } } }')
    await told(/parley\.json:1:.*comand.*command/s)
    await write('{ "mcpServers": {')
    await told(/parley\.json/)
    await rm(file)
    await told(/no such file/i)
    expect(await textOf(client, 'echo', { text: 'still' })).toBe('still')
    await write(JSON.stringify({ mcpServers: { files: faulty(), more: faulty() } }))
    await eventually(async () => expect(await textOf(await rig.client('more'), 'echo', { text: 'more' })).toBe('more'))
    expect(await textOf(client, 'echo', { text: 'still' })).toBe('still')
  })
})
