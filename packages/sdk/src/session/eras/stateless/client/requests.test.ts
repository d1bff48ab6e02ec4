import { describe, expect, it } from 'vitest'
import type { Body } from '../../../../jsonrpc/index.ts'
import type { UnansweredRequest } from '../../../outgoing/unanswered-request.ts'
import type { Progress } from '../../../request-options.ts'
import { type ClientRig, discovery, NAMES, openStateless, settled } from './client.fixtures.ts'

const IDENTITY = {
  [`${NAMES}protocolVersion`]: '2026-07-28',
  [`${NAMES}clientInfo`]: { name: 'c', version: '1' },
  [`${NAMES}clientCapabilities`]: { elicitation: {}, sampling: {}, roots: {} },
}

const complete = (more: Body = {}): Body => ({ resultType: 'complete', ...more })

describe('D-01 every request says by itself what a session used to remember', () => {
  const sentBy = async (rig: ClientRig, method: string, params?: Body, options = {}): Promise<Body> => {
    const asked = rig.session.request(method, params, options)
    const [frame] = rig.link.take()
    rig.link.answer(frame.id, complete())
    await asked
    return frame
  }

  it('params are always an object, and the envelope is part of them', async () => {
    const rig = await openStateless()
    expect(await sentBy(rig, 'tools/list')).toEqual({
      jsonrpc: '2.0',
      id: 2,
      method: 'tools/list',
      params: { _meta: IDENTITY },
    })
    expect((await sentBy(rig, 'tools/list', {}))['params']).toEqual({ _meta: IDENTITY })
    expect((await sentBy(rig, 'tools/list', { cursor: '' }))['params']).toEqual({ cursor: '', _meta: IDENTITY })
  })

  it('beside a _meta of the caller, which cannot pretend to be somebody else', async () => {
    const rig = await openStateless()
    const meta = {
      traceparent: '00-1',
      progressToken: 'mine',
      [`${NAMES}protocolVersion`]: '1999-01-01',
      [`${NAMES}clientCapabilities`]: {},
    }
    expect((await sentBy(rig, 'tools/call', { name: 'x', _meta: meta }))['params']).toEqual({
      name: 'x',
      _meta: { traceparent: '00-1', progressToken: 'mine', ...IDENTITY },
    })
  })

  it('with a token when progress is wanted', async () => {
    const rig = await openStateless()
    const frame = await sentBy(rig, 'tools/call', { name: 'x' }, { onProgress: () => {} })
    expect(frame).toMatchObject({ params: { name: 'x', _meta: { ...IDENTITY, progressToken: frame['id'] } } })
    const merged = await sentBy(rig, 'tools/call', { name: 'x', _meta: { a: 1 } }, { onProgress: () => {} })
    expect(merged).toMatchObject({ params: { _meta: { ...IDENTITY, a: 1, progressToken: merged['id'] } } })
  })

  it('D-18 with a level of log messages once one is set', async () => {
    const rig = await openStateless()
    expect(rig.session.logLevel).toBeUndefined()
    rig.session.logLevel = 'warning'
    expect(rig.session.logLevel).toBe('warning')
    expect(await sentBy(rig, 'tools/list')).toMatchObject({ params: { _meta: { [`${NAMES}logLevel`]: 'warning' } } })
    const own = { _meta: { [`${NAMES}logLevel`]: 'debug' } }
    expect(await sentBy(rig, 'tools/list', own)).toMatchObject({ params: own })
    rig.session.logLevel = undefined
    expect((await sentBy(rig, 'tools/list'))['params']).toEqual({ _meta: IDENTITY })
  })

  it('parameters that are no JSON object are refused before they are sent', async () => {
    const { session, link } = await openStateless()
    await expect(session.request('tools/call', { name: 1n as never })).rejects.toMatchObject({ kind: 'invalid_params' })
    await expect(session.request('tools/call', { toJSON: () => 'text' } as never)).rejects.toMatchObject({
      kind: 'invalid_params',
    })
    expect(link.take()).toEqual([])
    expect(session.pending()).toEqual([])
  })

  it('D-17 whether the server is there is asked with server/discover', async () => {
    const { session, link } = await openStateless()
    const pinged = session.ping()
    expect(link.sent).toMatchObject([{ method: 'server/discover' }])
    link.answer(link.lastId, discovery())
    await pinged
    await expect(session.request('ping')).rejects.toMatchObject({ kind: 'method_not_found' })
  })

  it('methods of an extension exist when both sides declare it', async () => {
    const capabilities = { extensions: { [`${NAMES}tasks`]: {} } }
    const without = await openStateless({ capabilities })
    await expect(without.session.request('tasks/get', { taskId: 't' })).rejects.toMatchObject({
      kind: 'method_not_found',
    })
    const undeclared = await openStateless({ discovered: { capabilities } })
    await expect(undeclared.session.request('tasks/get', { taskId: 't' })).rejects.toMatchObject({
      kind: 'missing_client_capability',
    })
    const { session, link } = await openStateless({ capabilities, discovered: { capabilities }, mirrors: true })
    const asked = session.request('tasks/get', { taskId: 't' })
    expect(link.headers).toEqual([{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tasks/get', 'mcp-name': 't' }])
    link.answer(link.lastId, complete({ taskId: 't', status: 'working' }))
    expect(await asked).toEqual({ taskId: 't', status: 'working' })
  })

  it('D-08 questions of the server that are no part of a result are not answered', async () => {
    const { session, link, asked } = await openStateless()
    link.request('q', 'elicitation/create', { message: 'x' })
    link.request('p', 'ping')
    link.deliver({ jsonrpc: '1.0', id: 3, method: 'ping' })
    expect(link.take()).toEqual([])
    expect(asked).toEqual([])
    expect(session.stats().ignored).toEqual({ 'request of a stateless server': 2, 'invalid message': 1 })
  })
})

describe('D-60 what is said in headers as well', () => {
  const HEADERS = { 'mcp-protocol-version': '2026-07-28' }

  it('the name of what is asked for, in the form headers can carry', async () => {
    const { session, link } = await openStateless({ mirrors: true })
    for (const [method, params] of [
      ['tools/call', { name: 'weather' }],
      ['prompts/get', { name: 'grüß' }],
      ['resources/read', { uri: 'file:///a' }],
      ['tools/list', { name: 'not this' }],
    ] as const)
      session.request(method, params).catch(() => {})
    expect(link.headers).toEqual([
      { ...HEADERS, 'mcp-method': 'tools/call', 'mcp-name': 'weather' },
      { ...HEADERS, 'mcp-method': 'prompts/get', 'mcp-name': '=?base64?Z3LDvMOf?=' },
      { ...HEADERS, 'mcp-method': 'resources/read', 'mcp-name': 'file:///a' },
      { ...HEADERS, 'mcp-method': 'tools/list' },
    ])
    await session.close()
  })

  const region = [{ header: 'mcp-param-region', path: ['region'], type: 'string' }] as const

  it('arguments that their tool says so of', async () => {
    const { session, link } = await openStateless({
      mirrors: true,
      hooks: { headerParams: (tool) => (tool === 'weather' ? region : undefined) },
    })
    session.request('tools/call', { name: 'weather', arguments: { region: 'eu', other: 1 } }).catch(() => {})
    session.request('tools/call', { name: 'weather' }).catch(() => {})
    session.request('tools/call', { name: 'other', arguments: { region: 'eu' } }).catch(() => {})
    expect(link.headers.map((headers) => headers?.['mcp-param-region'])).toEqual(['eu', undefined, undefined])
    await session.close()
  })

  it('the tool may have to be looked up first; who gives up meanwhile has sent nothing', async () => {
    const lookups: ((known: typeof region) => void)[] = []
    const { session, link, clock } = await openStateless({
      mirrors: true,
      hooks: { headerParams: () => new Promise((resolve) => lookups.push(resolve)) },
    })
    const controller = new AbortController()
    const call = { name: 'weather', arguments: { region: 'eu' } }
    const given = session.request('tools/call', call, { signal: controller.signal })
    const late = session.request('tools/call', call, { timeout: '1s' })
    const asked = session.request('tools/call', call)
    expect(link.sent).toEqual([])
    expect(session.pending()).toHaveLength(3)
    controller.abort()
    await expect(given).rejects.toMatchObject({ kind: 'request_cancelled' })
    const lateEnd = expect(late).rejects.toMatchObject({ kind: 'request_timeout' })
    await clock.advance(1000)
    await lateEnd
    for (const found of lookups) found(region)
    await settled()
    expect(link.sent).toMatchObject([{ method: 'tools/call', id: 4 }])
    expect(link.headers).toMatchObject([{ 'mcp-param-region': 'eu' }])
    expect(link.withdrawn).toEqual([])
    link.answer(4, complete({ content: [] }))
    await asked
  })

  it('a look-up that fails is left to the server to complain about', async () => {
    const { session, link } = await openStateless({
      mirrors: true,
      hooks: { headerParams: () => Promise.reject(new Error('no list')) },
    })
    const asked = session.request('tools/call', { name: 'weather' })
    await settled()
    link.answer(link.lastId, complete({ content: [] }))
    await asked
  })

  it('nobody is asked about tools where messages have no headers', async () => {
    const { session, link } = await openStateless({
      hooks: {
        headerParams: () => {
          throw new Error('asked')
        },
      },
    })
    session.request('tools/call', { name: 'weather' }).catch(() => {})
    expect(link.headers).toEqual([undefined])
    await session.close()
  })

  it('D-59 a call whose headers are refused is made once more when the tool is known better', async () => {
    const refused: string[] = []
    let known: readonly (typeof region)[number][] = []
    const hooks = {
      headerParams: () => known,
      headersRefused: async (tool: string) => {
        refused.push(tool)
        known = region
      },
    }
    const { session, link } = await openStateless({ mirrors: true, hooks })
    const asked = session.request('tools/call', { name: 'weather', arguments: { region: 'eu' } })
    link.refuse(link.lastId, -32020)
    await settled()
    expect(refused).toEqual(['weather'])
    expect(link.headers.map((headers) => headers?.['mcp-param-region'])).toEqual([undefined, 'eu'])
    expect(link.sent[1].id).not.toBe(link.sent[0].id)
    link.answer(link.lastId, complete({ content: [] }))
    expect(await asked).toEqual({ content: [] })

    const again = session.request('tools/call', { name: 'weather' })
    link.refuse(link.lastId, -32020)
    await settled()
    link.refuse(link.lastId, -32020, undefined, 'still wrong')
    await expect(again).rejects.toMatchObject({ kind: 'header_mismatch', message: 'still wrong' })
  })

  it('nothing is repeated when nobody can learn, or learning fails', async () => {
    const nobody = await openStateless({ mirrors: true })
    const first = nobody.session.request('tools/call', { name: 'weather' })
    nobody.link.refuse(nobody.link.lastId, -32020)
    await expect(first).rejects.toMatchObject({ kind: 'header_mismatch' })

    const failing = await openStateless({
      mirrors: true,
      hooks: {
        headersRefused: () => {
          throw new Error('no list')
        },
      },
    })
    const second = failing.session.request('tools/call', { name: 'weather' })
    failing.link.refuse(failing.link.lastId, -32020, undefined, 'mismatch')
    await expect(second).rejects.toMatchObject({ kind: 'header_mismatch', message: 'mismatch' })
    expect(failing.events).toContainEqual({
      type: 'error',
      error: new Error('no list'),
      during: 'learning the headers of weather',
    })
    expect(failing.session.pending()).toEqual([])
  })
})

describe('D-02, D-03, D-42 results', () => {
  it.each([
    [
      { resultType: 'complete', tools: [], ttlMs: 5, cacheScope: 'public' },
      { tools: [], ttlMs: 5, cacheScope: 'public' },
    ],
    [{ tools: [] }, { tools: [] }],
    [{ resultType: 'complete', _meta: { [`${NAMES}serverInfo`]: { name: 's', version: '1' } } }, {}],
    [{ resultType: 'complete', _meta: { [`${NAMES}serverInfo`]: {}, own: 1 } }, { _meta: { own: 1 } }],
    [{ _meta: { own: 1 } }, { _meta: { own: 1 } }],
  ])('%j is read as %j', async (result, read) => {
    const { session, link } = await openStateless()
    const asked = session.request('tools/list')
    link.answer(link.lastId, result as Body)
    expect(await asked).toEqual(read)
  })

  it.each(['partial', 7, null, 'task'])('a result of type %j is no answer', async (resultType) => {
    const { session, link } = await openStateless()
    const asked = session.request('tools/call', { name: 'x' })
    link.answer(link.lastId, { resultType, taskId: 't' })
    await expect(asked).rejects.toMatchObject({
      kind: 'invalid_answer',
      message: `tools/call was answered with a result of type ${JSON.stringify(resultType)}`,
    })
  })

  it('D-07 a task is handed to who asks for it, as it came', async () => {
    const { session, link } = await openStateless()
    const onTask = (answer: Body): Body => answer
    const asked = session.request('tools/call', { name: 'x' }, { onTask })
    link.answer(link.lastId, { resultType: 'task', taskId: 't', status: 'working' })
    expect(await asked).toEqual({ resultType: 'task', taskId: 't', status: 'working' })
    const plain = session.request('tools/call', { name: 'x' }, { onTask }, (result) => Object.keys(result))
    link.answer(link.lastId, complete({ content: [] }))
    expect(await plain).toEqual(['content'])
  })
})

describe('D-59 a server that does not take the version of a request', () => {
  it('but still names it gets the request once more', async () => {
    const { session, link } = await openStateless()
    const asked = session.request('tools/list', { cursor: 'a' })
    link.refuse(2, -32022, { supported: ['2026-07-28'] })
    expect(link.sent[1]).toMatchObject({ id: 3, method: 'tools/list', params: { cursor: 'a' } })
    link.answer(3, complete({ tools: [] }))
    expect(await asked).toEqual({ tools: [] })

    const again = session.request('tools/list')
    link.refuse(4, -32022, { supported: ['2026-07-28'] })
    link.refuse(5, -32022, { supported: ['2026-07-28'] })
    await expect(again).rejects.toMatchObject({ kind: 'unsupported_protocol_version' })
    expect(session.open).toBe(true)
  })

  it('ends the session, so that the next one finds out what it speaks now', async () => {
    const { session, link } = await openStateless()
    const ended: unknown[] = []
    session.onClose((reason) => ended.push(reason))
    const asked = session.request('tools/list')
    const other = session.request('prompts/list')
    link.refuse(2, -32022, { supported: ['2030-01-01'] })
    await expect(asked).rejects.toMatchObject({ kind: 'unsupported_protocol_version' })
    await expect(other).rejects.toMatchObject({ kind: 'connection_closed' })
    expect(ended).toMatchObject([{ kind: 'session_lost' }])
  })

  it('has not looked at the request: it may be made again elsewhere', async () => {
    const unanswered: [string, boolean][] = []
    const adopt = ({ method }: UnansweredRequest, { seen }: { seen: boolean }) => unanswered.push([method, seen]) > 0
    const { session, link } = await openStateless({ adopt })
    void session.request('tools/call', { name: 'x' })
    void session.request('prompts/list')
    link.refuse(2, -32022)
    expect(unanswered).toEqual([
      ['tools/call', false],
      ['prompts/list', true],
    ])
  })
})

describe('D-31, D-63 taking a request back', () => {
  it('by hanging up where that says it', async () => {
    const { session, link, clock } = await openStateless({ mirrors: true })
    const controller = new AbortController()
    const asked = session.request('tools/call', { name: 'x' }, { signal: controller.signal })
    const late = session.request('tools/list', undefined, { timeout: '1s' })
    controller.abort()
    await expect(asked).rejects.toMatchObject({ kind: 'request_cancelled' })
    const end = expect(late).rejects.toMatchObject({ kind: 'request_timeout' })
    await clock.advance(1000)
    await end
    expect(link.withdrawn).toEqual([2, 3])
    expect(link.sent.map(({ method }) => method)).toEqual(['tools/call', 'tools/list'])
  })

  it('with a word elsewhere', async () => {
    const { session, link } = await openStateless()
    const controller = new AbortController()
    const asked = session.request('tools/call', { name: 'x' }, { signal: controller.signal })
    controller.abort('enough')
    await expect(asked).rejects.toMatchObject({ kind: 'request_cancelled' })
    expect(link.sent[1]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId: 2, reason: expect.stringContaining('enough') },
    })
  })
})

describe('M4 progress', () => {
  it('is heard under the id of the request', async () => {
    const { session, link } = await openStateless()
    const heard: Progress[] = []
    const asked = session.request('tools/call', { name: 'x' }, { onProgress: (progress) => heard.push(progress) })
    link.notify('notifications/progress', { progressToken: 2, progress: 1, total: 2 })
    link.answer(2, complete())
    await asked
    expect(heard).toEqual([{ progress: 1, total: 2 }])
  })
})
