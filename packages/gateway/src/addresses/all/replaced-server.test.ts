/**
 * G: what clients see of a server that was changed in the configuration, from the reload until its successor is there.
 */
import { createServer, resource, tool } from 'parley-mcp/server'
import { type FakeClock, fakeClock, flush } from 'parley-mcp/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ServerConfig } from '../../config/index.ts'
import type { RawClient } from '../server/peers.fixtures.ts'
import { AggregateRig, type RigServer } from './aggregate.fixtures.ts'

const SECOND = 1000

let clock: FakeClock
let rig: AggregateRig
let raw: RawClient
/** Lets the successor begin. */
let begin: () => void

const small = (...names: string[]) =>
  names.reduce(
    (server, name) => server.add(tool(name, {}, () => name)),
    createServer({ name: 'small', version: '1' }).add(resource(`note://${names[0]}`, {}, () => 'x')),
  )

/** One that is there as soon as it may begin. */
function successor(server: RigServer['server'], config: Partial<ServerConfig> = {}): RigServer {
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  return { server, config, before: () => begun } as RigServer
}

async function settle(): Promise<void> {
  for (let round = 0; round < 20; round++) await flush()
}

async function listed(method: 'tools/list' | 'resources/list' = 'tools/list'): Promise<string[]> {
  const { result = {} } = await raw.request(method)
  const items = (result['tools'] ?? result['resources']) as { name: string; uri?: string }[]
  return items.map(({ name, uri }) => uri ?? name).filter((each) => each !== 'parley://status')
}

beforeEach(async () => {
  clock = fakeClock()
  rig = new AggregateRig({ a: { server: small('one', 'two') }, b: { server: small('other') } }, { clock })
  raw = rig.raw()
  await raw.shakeHands('2025-06-18')
  expect(await listed()).toEqual(['a__one', 'a__two', 'b__other'])
  expect(await listed('resources/list')).toEqual(['note://one', 'note://other'])
})
afterEach(() => rig.close())

describe('G a server that was changed', () => {
  it('is waited for by clients that read a list meanwhile', async () => {
    rig.replace({ a: successor(small('three')) })
    const reading = listed()
    await settle()
    begin()
    expect(await reading).toEqual(['a__three', 'b__other'])
  })

  it('shows what it had while it is not there, and what it has as soon as it is', async () => {
    rig.replace({ a: successor(small('three')) })
    for (const wait of [3 * SECOND, 0, 20 * SECOND, 0]) {
      const reading = Promise.all([listed(), listed('resources/list')])
      await settle()
      await clock.advance(wait)
      expect(await reading).toEqual([
        ['a__one', 'a__two', 'b__other'],
        ['note://one', 'note://other'],
      ])
    }
    begin()
    await settle()
    expect([await listed(), await listed('resources/list')]).toEqual([
      ['a__three', 'b__other'],
      ['note://three', 'note://other'],
    ])
  })

  it('shows nothing of what it had where the settings say otherwise which tools are shown', async () => {
    const tools = { ...rig.upstream('a').config.tools, deny: ['two'] }
    rig.replace({ a: successor(small('one', 'two'), { tools }) })
    const reading = listed()
    await settle()
    await clock.advance(3 * SECOND)
    expect(await reading).toEqual(['b__other'])
    begin()
    await settle()
    expect(await listed()).toEqual(['a__one', 'b__other'])
  })

  it('is waited for by no client when it is new', async () => {
    rig.replace({ c: successor(small('late')) })
    expect(await listed()).toEqual(['a__one', 'a__two', 'b__other'])
    begin()
    await settle()
    expect(await listed()).toEqual(['a__one', 'a__two', 'b__other', 'c__late'])
  })
})
