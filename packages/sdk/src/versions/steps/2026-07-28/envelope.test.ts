import { describe, expect, it } from 'vitest'
import { rule } from '../../rule-tests.fixtures.ts'
import { askingMethods, cacheableMethods, requestMethods } from './methods.ts'
import {
  CAPABILITIES_KEY,
  client,
  down,
  refusal,
  SERVER_KEY,
  server,
  up,
  V26,
  VERSION_KEY,
  withLosses,
} from './stateless.fixtures.ts'

const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo'
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel'
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId'

describe(rule('D-01'), () => {
  it('up writes version, capabilities, client and log level from the conversation', () => {
    const outcome = up(
      'tools/call',
      'params',
      { name: 't', _meta: { progressToken: 7, 'com.acme/x': 1 } },
      { clientInfo: client, clientCapabilities: { sampling: {} }, logLevel: 'info' },
    )
    expect(outcome).toEqual({
      name: 't',
      _meta: {
        progressToken: 7,
        'com.acme/x': 1,
        [VERSION_KEY]: V26,
        [CAPABILITIES_KEY]: { sampling: {} },
        [CLIENT_KEY]: client,
        [LEVEL_KEY]: 'info',
      },
    })
  })

  it.each(requestMethods)('up makes the envelope of %s even from nothing', (method) => {
    expect(up(method, 'params', undefined)).toEqual({ _meta: { [VERSION_KEY]: V26, [CAPABILITIES_KEY]: {} } })
  })

  it('up never passes on an unusable client or log level, nor reserved names an older client wrote itself', () => {
    const { outcome, losses } = withLosses((context) =>
      up(
        'tools/list',
        'params',
        { _meta: { [LEVEL_KEY]: 5 } },
        { ...context, clientInfo: { name: 'x' }, logLevel: 'loud' },
      ),
    )
    expect(outcome).toEqual({ _meta: { [VERSION_KEY]: V26, [CAPABILITIES_KEY]: {} } })
    expect(losses).toEqual([`D-01 i _meta.${LEVEL_KEY}`])
  })

  it('down removes the four names and keeps progress token, trace context and vendor names', () => {
    const kept = { progressToken: 'p', traceparent: '00-1', tracestate: 'a=b', baggage: 'c=d', 'com.acme/x': null }
    const outcome = down('prompts/get', 'params', {
      name: 'p',
      _meta: { ...kept, [VERSION_KEY]: V26, [CAPABILITIES_KEY]: {}, [CLIENT_KEY]: client, [LEVEL_KEY]: 'debug' },
    })
    expect(outcome).toEqual({ name: 'p', _meta: kept })
  })

  it('down removes a _meta that held nothing else, and touches none that holds other things only', () => {
    expect(down('tools/list', 'params', { cursor: '', _meta: { [VERSION_KEY]: V26, [CAPABILITIES_KEY]: {} } })).toEqual(
      { cursor: '' },
    )
    const plain = { cursor: 'x', _meta: {} }
    expect(down('tools/list', 'params', plain)).toBe(plain)
  })

  it('up leaves embedded questions without an envelope', () => {
    expect(up('roots/list', 'params', { _meta: { progressToken: 1 } })).toEqual({ _meta: { progressToken: 1 } })
  })
})

describe(rule('D-02'), () => {
  it('up calls every result complete', () => {
    expect(up('prompts/get', 'result', { messages: [] })).toEqual({ messages: [], resultType: 'complete' })
  })

  it('up replaces what an older server happened to write there', () => {
    const { outcome, losses } = withLosses((context) =>
      up('prompts/get', 'result', { messages: [], resultType: 'mine' }, context),
    )
    expect(outcome).toEqual({ messages: [], resultType: 'complete' })
    expect(losses).toEqual(['D-02 i resultType'])
  })

  it('down removes it', () => {
    expect(down('tools/call', 'result', { content: [], resultType: 'complete' })).toEqual({ content: [] })
  })

  it.each(['input_required', 'task', 'com.acme/later', 5])(
    'down refuses a result of type %s and names the gap',
    (resultType) => {
      const { outcome, losses } = withLosses((context) =>
        down('tools/call', 'result', { resultType, content: [] }, context),
      )
      expect(refusal(outcome)).toMatch(/^-32603 .*tools\/call.*2026-07-28/)
      expect(losses).toEqual(['D-02 E resultType'])
    },
  )

  it('up adds none to the answers to embedded questions', () => {
    expect(up('elicitation/create', 'result', { action: 'decline' })).toEqual({ action: 'decline' })
  })
})

describe(rule('D-03'), () => {
  it('up introduces the server when it is known', () => {
    expect(up('tools/call', 'result', { content: [] }, { serverInfo: server })).toEqual({
      content: [],
      resultType: 'complete',
      _meta: { [SERVER_KEY]: server },
    })
    expect(up('tools/call', 'result', { content: [] }, { serverInfo: { name: 'half' } })).toEqual({
      content: [],
      resultType: 'complete',
    })
  })

  it('up replaces a name an older server wrote there itself', () => {
    const { outcome, losses } = withLosses((context) =>
      up('tools/call', 'result', { content: [], _meta: { [SERVER_KEY]: 1, a: 2 } }, { ...context, serverInfo: server }),
    )
    expect(outcome).toEqual({ content: [], resultType: 'complete', _meta: { a: 2, [SERVER_KEY]: server } })
    expect(losses).toEqual([`D-03 i _meta.${SERVER_KEY}`])
  })

  it('down removes the introduction and keeps the rest', () => {
    expect(down('tools/call', 'result', { content: [], _meta: { [SERVER_KEY]: server } })).toEqual({ content: [] })
    expect(down('tools/call', 'result', { content: [], _meta: { [SERVER_KEY]: server, a: 1 } })).toEqual({
      content: [],
      _meta: { a: 1 },
    })
  })
})

describe(rule('D-04'), () => {
  it('up names the listening request, also on notifications without parameters', () => {
    expect(up('notifications/tools/list_changed', 'params', undefined, { subscriptionId: 4 })).toEqual({
      _meta: { [SUBSCRIPTION_KEY]: 4 },
    })
    expect(up('notifications/resources/updated', 'params', { uri: 'a:b' }, { subscriptionId: 'l' })).toEqual({
      uri: 'a:b',
      _meta: { [SUBSCRIPTION_KEY]: 'l' },
    })
  })

  it('up says nothing when nobody listens', () => {
    expect(up('notifications/prompts/list_changed', 'params', undefined)).toBeUndefined()
  })

  it('down removes it', () => {
    expect(down('notifications/resources/list_changed', 'params', { _meta: { [SUBSCRIPTION_KEY]: 4, a: 1 } })).toEqual({
      _meta: { a: 1 },
    })
    expect(
      down('subscriptions/listen', 'result', { resultType: 'complete', _meta: { [SUBSCRIPTION_KEY]: 4 } }),
    ).toEqual({})
  })
})

describe(rule('D-05'), () => {
  const trace = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'v=1',
    baggage: 'k=v',
  }
  it('up passes trace context', () => {
    expect(up('tools/list', 'params', { _meta: trace })).toMatchObject({ _meta: trace })
  })
  it('down passes trace context', () => {
    expect(down('tools/list', 'params', { _meta: { ...trace, [VERSION_KEY]: V26, [CAPABILITIES_KEY]: {} } })).toEqual({
      _meta: trace,
    })
  })
})

describe(rule('D-06'), () => {
  it.each(askingMethods)('down keeps unconsumed answers from an older server: %s', (method) => {
    const { outcome, losses } = withLosses((context) =>
      down(method, 'params', { name: 'x', inputResponses: { a: { roots: [] } }, requestState: 's' }, context),
    )
    expect(outcome).toEqual({ name: 'x' })
    expect(losses).toEqual(['D-06 w inputResponses', 'D-06 w requestState'])
  })
  it('up does not let an older client be taken for one that answers', () => {
    expect(up('tools/call', 'params', { name: 'x', requestState: 5 })).not.toHaveProperty('requestState')
  })
})

describe(rule('D-42'), () => {
  it.each(cacheableMethods)('up marks %s as stale and private', (method) => {
    expect(up(method, 'result', {})).toMatchObject({ ttlMs: 0, cacheScope: 'private', resultType: 'complete' })
  })
  it('up keeps usable hints and replaces unusable ones', () => {
    expect(up('tools/list', 'result', { tools: [], ttlMs: 50, cacheScope: 'public' })).toMatchObject({
      ttlMs: 50,
      cacheScope: 'public',
    })
    expect(up('tools/list', 'result', { tools: [], ttlMs: -1, cacheScope: 'all' })).toMatchObject({
      ttlMs: 0,
      cacheScope: 'private',
    })
  })
  it('up leaves other results alone', () => {
    expect(up('tools/call', 'result', { content: [] })).not.toHaveProperty('ttlMs')
  })
  it('down removes both', () => {
    expect(
      down('resources/read', 'result', { contents: [], ttlMs: 9, cacheScope: 'public', resultType: 'complete' }),
    ).toEqual({ contents: [] })
  })
})
