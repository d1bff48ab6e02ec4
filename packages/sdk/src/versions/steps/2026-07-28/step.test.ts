import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import type { Part } from '../../change.ts'
import { features, methodIn, methodsOf, supports } from '../../methods.ts'
import type { TranslationContext } from '../../operation.ts'
import { type PlanOptions, plan } from '../../plan.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { isVerdict } from '../../verdict.ts'
import { flaw, haveSchemas } from '../official-schemas.fixtures.ts'
import { notificationMethods, requestMethods } from './methods.ts'
import {
  CAPABILITIES_KEY,
  client,
  down,
  refusal,
  SERVER_KEY,
  server,
  text,
  translate,
  up,
  V11,
  V26,
  withLosses,
} from './stateless.fixtures.ts'

describe(rule('D-07'), () => {
  it('up removes the wish to run as a task', () => {
    const { outcome, losses } = withLosses((context) =>
      up('tools/call', 'params', { name: 't', task: { ttl: 5 } }, context),
    )
    expect(outcome).not.toHaveProperty('task')
    expect(losses).toEqual(['D-07 i task'])
  })
  it('down has nothing to remove: the name is free', () => {
    const free = { name: 't', task: 'spring cleaning' }
    expect(down('tools/call', 'params', free)).toBe(free)
  })
  it('up refuses an answer that is a task', () => {
    const task = { taskId: '1', status: 'working', createdAt: 'x', lastUpdatedAt: 'x', ttl: null }
    expect(refusal(up('tools/call', 'result', { task }))).toMatch(/^-32603 .*task.*2026-07-28/)
    expect(isVerdict(up('elicitation/create', 'result', { action: 'accept', task }))).toBe(false)
  })
})

describe(rule('D-10'), () => {
  it('up drops a cancellation that names nothing', () => {
    expect(up('notifications/cancelled', 'params', { reason: 'bored' })).toMatchObject({ verdict: 'drop' })
    expect(up('notifications/cancelled', 'params', { requestId: 0 })).toEqual({ requestId: 0 })
  })
  it('down passes', () => {
    const cancelled = { requestId: 1, reason: 'bored' }
    expect(down('notifications/cancelled', 'params', cancelled)).toBe(cancelled)
  })
})

describe(rule('D-25'), () => {
  it('up drops the notice', () => {
    expect(up('notifications/roots/list_changed', 'params', undefined)).toMatchObject({ verdict: 'drop' })
  })
  it('down knows no such notice and leaves it alone', () => {
    expect(plan(V26, V11, 'notifications/roots/list_changed', 'params')).toBeUndefined()
  })
})

describe(rule('D-40'), () => {
  const declared = {
    roots: { listChanged: true },
    sampling: { tools: {} },
    elicitation: { url: {} },
    tasks: { list: {} },
    experimental: { x: {} },
  }
  it('up tells a stateless server no tasks and no watched roots', () => {
    const { _meta } = up('tools/list', 'params', {}, { clientCapabilities: declared }) as { _meta: Body }
    expect(_meta[CAPABILITIES_KEY]).toEqual({
      roots: {},
      sampling: { tools: {} },
      elicitation: { url: {} },
      experimental: { x: {} },
    })
  })
  it('up keeps well-formed extensions only, and says which are not', () => {
    const told = (extensions: unknown): unknown => {
      const { outcome, losses } = withLosses((context) =>
        up('tools/list', 'params', {}, { ...context, clientCapabilities: { extensions } }),
      )
      return [(outcome as { _meta: Body })._meta[CAPABILITIES_KEY], losses]
    }
    expect(told({ a: {} })).toEqual([{ extensions: { a: {} } }, []])
    expect(told({ a: {}, b: 1 })).toEqual([
      { extensions: { a: {} } },
      [`D-40 w _meta.${CAPABILITIES_KEY}.extensions.b`],
    ])
    expect(told('yes')).toEqual([{}, [`D-40 w _meta.${CAPABILITIES_KEY}.extensions`]])
  })
  it('down does not offer the tasks extension to an older server', () => {
    const capabilities = { sampling: {}, extensions: { 'io.modelcontextprotocol/tasks': {}, 'com.acme/ui': {} } }
    const made = plan(V26, V11, 'initialize', 'params', { scope: 'body' })
    const { outcome, losses } = withLosses((context) => made?.({ capabilities }, context))
    expect(outcome).toEqual({ capabilities: { sampling: {}, extensions: { 'com.acme/ui': {} } } })
    expect(losses).toEqual(['D-40 i capabilities'])
  })
  it('up keeps, inside a session, what a handshake client declared', () => {
    expect(plan(V11, V26, 'initialize', 'params', { scope: 'body' })).toBeUndefined()
  })
})

describe(rule('D-41'), () => {
  it('up removes tasks', () => {
    const { outcome, losses } = withLosses((context) =>
      up('initialize', 'result', { capabilities: { tools: {}, tasks: { list: {} } } }, context),
    )
    expect(outcome).toEqual({ capabilities: { tools: {} } })
    expect(losses).toEqual(['D-41 i capabilities'])
  })
  it('up keeps well-formed extensions only, and says which are not', () => {
    const capabilities = { tools: {}, tasks: {}, extensions: { a: {}, b: true } }
    const { outcome, losses } = withLosses((context) => up('initialize', 'result', { capabilities }, context))
    expect(outcome).toEqual({ capabilities: { tools: {}, extensions: { a: {} } } })
    expect(losses).toEqual(['D-41 i capabilities', 'D-41 w capabilities.extensions.b'])
  })
  it.each(['initialize', 'server/discover'])('down removes the tasks extension from %s', (method) => {
    const capabilities = { resources: { subscribe: true }, extensions: { 'io.modelcontextprotocol/tasks': {} } }
    const { outcome, losses } = withLosses((context) => down(method, 'result', { capabilities }, context))
    expect(outcome).toEqual({ capabilities: { resources: { subscribe: true } } })
    expect(losses).toEqual(['D-41 i capabilities'])
  })
})

describe(rule('D-48'), () => {
  const visit = { mode: 'url', message: 'm', url: 'https://example.com' }
  it('up removes the id of a link, not a field of that name elsewhere', () => {
    expect(up('elicitation/create', 'params', { ...visit, elicitationId: 'e' })).toEqual(visit)
    const form = { message: 'm', requestedSchema: { type: 'object', properties: {} }, elicitationId: 'mine' }
    expect(up('elicitation/create', 'params', form)).toBe(form)
  })
  it('down makes one up, unguessable unless told otherwise', () => {
    expect(down('elicitation/create', 'params', visit, { mint: () => 'minted' })).toEqual({
      ...visit,
      elicitationId: 'minted',
    })
    const [one, two] = [
      down('elicitation/create', 'params', visit),
      down('elicitation/create', 'params', visit),
    ] as Body[]
    expect(one?.['elicitationId']).toMatch(/^[0-9a-f-]{36}$/)
    expect(one?.['elicitationId']).not.toBe(two?.['elicitationId'])
  })
  it('down leaves forms alone', () => {
    const form = { message: 'm', requestedSchema: { type: 'object', properties: {} } }
    expect(down('elicitation/create', 'params', form)).toBe(form)
  })
})

describe(rule('D-49'), () => {
  it.each(['sampling/createMessage', 'elicitation/create'])('up removes metadata and task of %s', (method) => {
    const { outcome, losses } = withLosses((context) =>
      up(method, 'params', { message: 'm', _meta: { progressToken: 1 }, task: { ttl: 1 } }, context),
    )
    expect(outcome).toEqual({ message: 'm' })
    expect(losses).toEqual(['D-49 i _meta', 'D-49 i task'])
  })
  it('up keeps the metadata of roots/list', () => {
    const asked = { _meta: { a: 1 } }
    expect(up('roots/list', 'params', asked)).toBe(asked)
  })
  it('down passes', () => {
    const asked = { maxTokens: 1, messages: [], _meta: { a: 1 } }
    expect(down('sampling/createMessage', 'params', asked)).toBe(asked)
  })
})

describe(rule('D-50'), () => {
  it('up removes the metadata of answers, except of sampled messages', () => {
    const lost = withLosses((context) =>
      up('elicitation/create', 'result', { action: 'cancel', _meta: { a: 1 } }, context),
    )
    expect(lost).toEqual({ outcome: { action: 'cancel' }, losses: ['D-50 i _meta'] })
    expect(up('roots/list', 'result', { roots: [], _meta: {} })).toEqual({ roots: [] })
    const sampled = { role: 'assistant', model: 'm', content: text('x'), _meta: { a: 1 } }
    expect(up('sampling/createMessage', 'result', sampled)).toBe(sampled)
  })
  it('down passes', () => {
    const answer = { action: 'accept', content: { a: 1 } }
    expect(down('elicitation/create', 'result', answer)).toBe(answer)
  })
})

describe(rule('D-51'), () => {
  const values = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at))
  it('up keeps a hundred values and tells that there are more', () => {
    const { outcome, losses } = withLosses((context) =>
      up('completion/complete', 'result', { completion: { values: values(101), hasMore: false } }, context),
    )
    expect(outcome).toEqual({ resultType: 'complete', completion: { values: values(100), hasMore: true, total: 101 } })
    expect(losses).toEqual(['D-51 i completion.values'])
  })
  it('up keeps a total that was told, and short lists as they are', () => {
    expect(up('completion/complete', 'result', { completion: { values: values(200), total: 900 } })).toMatchObject({
      completion: { total: 900 },
    })
    expect(up('completion/complete', 'result', { completion: { values: values(100) } })).toMatchObject({
      completion: { values: values(100) },
    })
  })
  it('down passes', () => {
    const some = { completion: { values: values(3) } }
    expect(down('completion/complete', 'result', some)).toBe(some)
  })
})

describe('V1 V2 what 2026-07-28 has', () => {
  it.each([
    ['server/discover', 'client'],
    ['subscriptions/listen', 'client'],
    ['tools/call', 'client'],
    ['sampling/createMessage', 'embedded'],
    ['roots/list', 'embedded'],
    ['elicitation/create', 'embedded'],
    ['notifications/cancelled', 'both'],
    ['notifications/progress', 'server'],
    ['notifications/message', 'server'],
    ['notifications/subscriptions/acknowledged', 'server'],
  ])('%s is sent by: %s', (method, from) => {
    expect(methodIn(V26, method)?.from).toBe(from)
  })
  it.each([
    'initialize',
    'ping',
    'logging/setLevel',
    'resources/subscribe',
    'resources/unsubscribe',
    'tasks/get',
    'tasks/result',
    'tasks/list',
    'tasks/cancel',
    'notifications/initialized',
    'notifications/roots/list_changed',
    'notifications/elicitation/complete',
    'notifications/tasks/status',
  ])('%s is gone', (method) => {
    expect(methodIn(V26, method)).toBeUndefined()
  })
  it('groups of methods and the method table agree', () => {
    const sent = methodsOf(V26).filter(({ from }) => from !== 'embedded')
    const names = (kind: string): string[] => sent.filter((method) => method.kind === kind).map(({ name }) => name)
    expect(names('request').sort()).toEqual([...requestMethods].sort())
    expect(names('notification').sort()).toEqual([...notificationMethods].sort())
  })
  it('has the features of the stateless era and none of the handshake', () => {
    for (const feature of ['stateless', 'mrtr', 'discover', 'listen', 'cache-hints', 'extensions'])
      expect([feature, supports(V26, feature), supports(V11, feature)]).toEqual([feature, true, false])
    for (const feature of ['handshake', 'ping', 'tasks', 'subscriptions']) expect(features(V26)).not.toContain(feature)
  })
})

describe('X1 inside a session only conversions are made, never the frame', () => {
  const body: PlanOptions = { scope: 'body' }
  const methods = [
    'tools/call',
    'tools/list',
    'resources/read',
    'prompts/get',
    'sampling/createMessage',
    'elicitation/create',
    'roots/list',
    'initialize',
  ]
  it.each(methods)('up %s needs nothing at all', (method) => {
    for (const part of ['params', 'result', 'error'] as const)
      expect([part, plan(V11, V26, method, part, body)]).toEqual([part, undefined])
  })
  it.each([
    ['tools/call', 'params', false],
    ['tools/call', 'result', true],
    ['tools/list', 'params', false],
    ['tools/list', 'result', true],
    ['resources/read', 'params', false],
    ['resources/read', 'result', true],
    ['prompts/get', 'params', false],
    ['prompts/get', 'result', false],
    ['sampling/createMessage', 'params', true],
    ['sampling/createMessage', 'result', true],
    ['elicitation/create', 'params', true],
    ['elicitation/create', 'result', false],
    ['initialize', 'params', true],
    ['initialize', 'result', true],
    ['resources/read', 'error', false],
  ] as const)('down %s %s has conversions: %s', (method, part, converts) => {
    expect(plan(V26, V11, method, part, body) !== undefined).toBe(converts)
  })
  it('down gives back the same value when there is nothing to convert', () => {
    const untouched: [string, Part, Body][] = [
      ['tools/call', 'result', { content: [text('x')], structuredContent: { a: 1 }, _meta: { a: 1 } }],
      [
        'tools/list',
        'result',
        {
          tools: [
            { name: 't', inputSchema: { type: 'object', properties: { a: {} } }, outputSchema: { type: 'object' } },
          ],
        },
      ],
      ['sampling/createMessage', 'params', { maxTokens: 1, messages: [{ role: 'user', content: text('x') }] }],
      ['sampling/createMessage', 'result', { role: 'assistant', model: 'm', content: [text('x')] }],
      ['elicitation/create', 'params', { message: 'm', requestedSchema: { type: 'object', properties: {} } }],
      ['initialize', 'params', { capabilities: { roots: { listChanged: true }, extensions: { 'a.b/c': {} } } }],
      ['initialize', 'result', { capabilities: { tools: { listChanged: true } } }],
    ]
    for (const [method, part, value] of untouched) expect(translate(V26, method, part, value, {}, body)).toBe(value)
  })
  it('down writes no envelope field away', () => {
    const value = { content: [], resultType: 'complete', _meta: { [SERVER_KEY]: server } }
    expect(translate(V26, 'tools/call', 'result', value, {}, body)).toBe(value)
  })
})

describe('X1 down after up gives an older message back', () => {
  const schema = { type: 'object', properties: { a: { type: 'string', 'x-mcp-header': 'A' } }, required: ['a'] }
  const messages: [string, Part, Body][] = [
    ['tools/call', 'params', { name: 't', arguments: { a: 1 }, _meta: { progressToken: 1, 'com.acme/x': {} } }],
    [
      'tools/call',
      'result',
      { content: [text('x')], structuredContent: { result: [] }, isError: false, _meta: { a: 1 }, extra: null },
    ],
    ['tools/list', 'params', { cursor: '' }],
    [
      'tools/list',
      'result',
      { tools: [{ name: 't', inputSchema: schema, outputSchema: schema, icons: [] }], nextCursor: 'n' },
    ],
    ['resources/read', 'error', { code: -32002, message: 'Resource not found', data: { uri: 'a:b' } }],
    ['completion/complete', 'result', { completion: { values: ['a'], total: 1 } }],
    [
      'sampling/createMessage',
      'params',
      { maxTokens: 1, messages: [{ role: 'user', content: text('x'), _meta: { a: 1 } }] },
    ],
    ['elicitation/create', 'params', { message: 'm', requestedSchema: { type: 'object', properties: {} } }],
    ['roots/list', 'params', { _meta: { progressToken: 'p' } }],
    ['notifications/progress', 'params', { progressToken: 1, progress: 0.5 }],
    ['notifications/resources/updated', 'params', { uri: 'a:b', _meta: { a: 1 } }],
  ]
  it.each(messages)('%s %s', (method, part, value) => {
    const { outcome, losses } = withLosses((context) => {
      const full = {
        ...context,
        clientInfo: client,
        serverInfo: server,
        clientCapabilities: { roots: {} },
        logLevel: 'info',
        subscriptionId: 1,
      }
      return down(method, part, up(method, part, value, full) as Body, full)
    })
    expect({ outcome, losses }).toEqual({ outcome: value, losses: [] })
  })
})

describe('X1 what is not JSON of the right shape is never a crash', () => {
  const methods = [
    ...requestMethods,
    ...notificationMethods,
    'initialize',
    'sampling/createMessage',
    'roots/list',
    'elicitation/create',
  ]
  const keys = fc.constantFrom(
    '_meta',
    'tools',
    'inputSchema',
    'outputSchema',
    'properties',
    'required',
    'messages',
    'content',
    'structuredContent',
    'type',
    'capabilities',
    'extensions',
    'roots',
    'completion',
    'values',
    'code',
    'data',
    'task',
    'execution',
    'mode',
    '__proto__',
  )
  const { junk } = fc.letrec((tie) => ({
    junk: fc.oneof(
      { maxDepth: 5 },
      fc.jsonValue({ maxDepth: 1 }),
      fc.constantFrom('object', 'tool_result', 'url', -32021, -32042, -32602),
      fc.array(tie('junk'), { maxLength: 3 }),
      fc.dictionary(keys, tie('junk'), { maxKeys: 5, noNullPrototype: true }),
    ),
  }))
  it('up and down answer anything', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...methods),
        fc.constantFrom<Part>('params', 'result', 'error'),
        fc.dictionary(keys, junk, { noNullPrototype: true }),
        (method, part, value) => {
          const context: TranslationContext = {
            request: value,
            tool: () => value,
            clientCapabilities: value,
            onLoss: () => {},
          }
          const before = JSON.stringify(value)
          up(method, part, value, context)
          down(method, part, value, context)
          expect(JSON.stringify(value)).toBe(before)
        },
      ),
      { numRuns: 500 },
    )
  })
})

describe.skipIf(!haveSchemas)('X1 the official schemas accept what the step makes', () => {
  const message = (method: string, params: unknown): Body => ({ jsonrpc: '2.0', id: 1, method, params })
  it('up requests, results and errors', () => {
    const context: TranslationContext = {
      clientInfo: client,
      serverInfo: server,
      clientCapabilities: { tasks: {}, roots: { listChanged: true } },
      logLevel: 'error',
      subscriptionId: 3,
    }
    expect(
      flaw(
        V26,
        'CallToolRequest',
        message(
          'tools/call',
          up('tools/call', 'params', { name: 't', task: {}, _meta: { progressToken: 1 } }, context),
        ),
      ),
    ).toBeUndefined()
    expect(flaw(V26, 'ListToolsRequest', message('tools/list', up('tools/list', 'params', undefined)))).toBeUndefined()
    expect(flaw(V26, 'ListToolsResult', up('tools/list', 'result', { tools: [] }, context))).toBeUndefined()
    expect(flaw(V26, 'ReadResourceResult', up('resources/read', 'result', { contents: [] }))).toBeUndefined()
    expect(
      flaw(V26, 'ResourceUpdatedNotification', {
        jsonrpc: '2.0',
        method: 'notifications/resources/updated',
        params: up('notifications/resources/updated', 'params', { uri: 'a:b' }, context),
      }),
    ).toBeUndefined()
    expect(
      flaw(V26, 'ElicitRequest', {
        method: 'elicitation/create',
        params: up('elicitation/create', 'params', { mode: 'url', url: 'a:b', message: 'm', elicitationId: 'x' }),
      }),
    ).toBeUndefined()
    expect(
      flaw(V26, 'MissingRequiredClientCapabilityError', {
        jsonrpc: '2.0',
        id: 1,
        error: up('tools/call', 'error', { code: -32042, message: 'm', data: { elicitations: [] } }),
      }),
    ).toBeUndefined()
  })
  it('down results and questions', () => {
    const jsonSchema = fc.oneof(
      fc.constantFrom<Body>({}, { type: 'array' }, { anyOf: [{ $ref: '#' }] }),
      fc
        .dictionary(fc.string(), fc.boolean(), { noNullPrototype: true })
        .map((properties) => ({ type: 'object', properties })),
    )
    fc.assert(
      fc.property(jsonSchema, jsonSchema, fc.jsonValue(), (inputSchema, outputSchema, structuredContent) => {
        const tool = { name: 't', inputSchema: { ...inputSchema, type: 'object' }, outputSchema }
        expect(
          flaw(
            V11,
            'ListToolsResult',
            down('tools/list', 'result', { resultType: 'complete', ttlMs: 0, cacheScope: 'public', tools: [tool] }),
          ),
        ).toBeUndefined()
        expect(
          flaw(
            V11,
            'CallToolResult',
            down(
              'tools/call',
              'result',
              { resultType: 'complete', content: [], structuredContent },
              { request: { name: 't' }, tool: () => tool },
            ),
          ),
        ).toBeUndefined()
      }),
    )
    expect(
      flaw(
        V11,
        'ElicitRequest',
        message('elicitation/create', down('elicitation/create', 'params', { mode: 'url', url: 'a:b', message: 'm' })),
      ),
    ).toBeUndefined()
    const verdict = down('tools/call', 'error', { code: -32021, message: 'm' }) as { result: Body }
    expect(flaw(V11, 'CallToolResult', verdict.result)).toBeUndefined()
  })
})
