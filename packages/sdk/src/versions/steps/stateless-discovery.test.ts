import { describe, expect, it } from 'vitest'
import { rule } from '../rule-tests.fixtures.ts'
import { flaw, haveSchemas } from './official-schemas.fixtures.ts'
import { discoverFromInitialize, initializeFromDiscover } from './stateless-discovery.ts'

const serverInfo = { name: 's', version: '1', title: 'S' }
const initialized = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: { listChanged: true } },
  serverInfo,
  instructions: 'Be kind.',
  _meta: { a: 1 },
  extra: 2,
}
const SERVER_KEY = 'io.modelcontextprotocol/serverInfo'
const TASKS = 'io.modelcontextprotocol/tasks'

describe(rule('D-16'), () => {
  it('up an answer to initialize tells what discovery would', () => {
    const discovered = discoverFromInitialize({ ...initialized, capabilities: { ...initialized.capabilities, tasks: {} } })
    expect(discovered).toEqual({
      resultType: 'complete',
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: { listChanged: true } },
      instructions: 'Be kind.',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { a: 1, [SERVER_KEY]: serverInfo },
      extra: 2,
    })
    if (haveSchemas) expect(flaw('2026-07-28', 'DiscoverResult', discovered)).toBeUndefined()
  })
  it('up lets the caller decide on versions and caching', () => {
    const policy = { supportedVersions: ['2026-07-28', '2025-11-25'], ttlMs: 300_000, cacheScope: 'public' } as const
    expect(discoverFromInitialize(initialized, policy)).toMatchObject(policy)
  })
  it('up makes do with a server that says nothing', () => {
    expect(discoverFromInitialize({})).toEqual({ resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 0, cacheScope: 'private' })
  })
})

describe(rule('D-15'), () => {
  it('down discovery answers initialize', () => {
    const answered = initializeFromDiscover(
      {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { prompts: {}, extensions: { [TASKS]: {} } },
        ttlMs: 5,
        cacheScope: 'public',
        _meta: { [SERVER_KEY]: serverInfo },
      },
      '2025-11-25',
    )
    expect(answered).toEqual({ protocolVersion: '2025-11-25', capabilities: { prompts: {} }, serverInfo })
    if (haveSchemas) expect(flaw('2025-11-25', 'InitializeResult', answered)).toBeUndefined()
  })
  it('down names a server that does not introduce itself', () => {
    expect(initializeFromDiscover({}, '2025-03-26', 'weather')).toEqual({
      protocolVersion: '2025-03-26',
      capabilities: {},
      serverInfo: { name: 'weather', version: '0' },
    })
  })
  it('down after up gives the answer back', () => {
    expect(initializeFromDiscover(discoverFromInitialize(initialized), '2025-11-25')).toEqual(initialized)
  })
})
