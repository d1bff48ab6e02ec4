import { describe, expect, it } from 'vitest'
import type { Body } from '../../../jsonrpc/index.ts'
import { supports } from '../../methods.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { translate, V06, V11 } from '../../translate.fixtures.ts'

const UP = [V06, V11] as const
const DOWN = [V11, V06] as const
const strict = { profile: 'strict' } as const

const list = ['tools/list', 'result'] as const
const call = ['tools/call', 'result'] as const
const tool = (more: Body = {}): Body => ({ name: 't', inputSchema: { type: 'object' }, ...more })

describe(rule('C-20'), () => {
  const icons = [{ src: 'https://example.com/i.png' }]
  const link = { type: 'resource_link', uri: 'u:', name: 'n' }
  const places = [
    ['tools/list', 'result', (more: Body) => ({ tools: [tool(more)] })],
    ['prompts/list', 'result', (more: Body) => ({ prompts: [{ name: 'n', ...more }] })],
    ['resources/list', 'result', (more: Body) => ({ resources: [{ name: 'n', uri: 'u:', ...more }] })],
    [
      'resources/templates/list',
      'result',
      (more: Body) => ({ resourceTemplates: [{ name: 'n', uriTemplate: 'u:', ...more }] }),
    ],
    ['tools/call', 'result', (more: Body) => ({ content: [{ ...link, ...more }] })],
    ['prompts/get', 'result', (more: Body) => ({ messages: [{ role: 'user', content: { ...link, ...more } }] })],
    ['initialize', 'params', (more: Body) => ({ clientInfo: { name: 'c', version: '1', ...more } })],
    ['initialize', 'result', (more: Body) => ({ serverInfo: { name: 's', version: '1', ...more } })],
  ] as const

  it.each(places)('up passes %s %s', (method, part, make) => {
    const value = make({})
    expect(translate(UP, [method, part], value).outcome).toBe(value)
  })

  it.each(places)('down passes %s %s leniently and removes icons strictly', (method, part, make) => {
    const value = make({ icons })
    expect(translate(DOWN, [method, part], value).outcome).toBe(value)
    const { outcome, losses } = translate(DOWN, [method, part], value, strict)
    expect(outcome).toEqual(make({}))
    expect(losses).toEqual([expect.stringMatching(/^C-20 i .*icons$/)])
  })

  it('down strictly leaves a field of that name in other blocks', () => {
    const value = { content: [{ type: 'text', text: '', icons }] }
    expect(translate(DOWN, call, value, strict).outcome).toBe(value)
  })
})

describe(rule('C-21'), () => {
  const info = { name: 'n', version: '1' }
  const described = { ...info, description: 'd', websiteUrl: 'https://example.com' }
  const places = [
    ['initialize', 'params', 'clientInfo'],
    ['initialize', 'result', 'serverInfo'],
  ] as const

  it.each(places)('up passes %s %s', (method, part, key) => {
    const value = { [key]: info }
    expect(translate(UP, [method, part], value).outcome).toBe(value)
  })

  it.each(places)('down passes %s %s leniently and removes both strictly', (method, part, key) => {
    const value = { [key]: described }
    expect(translate(DOWN, [method, part], value).outcome).toBe(value)
    const { outcome, losses } = translate(DOWN, [method, part], value, strict)
    expect(outcome).toEqual({ [key]: info })
    expect(losses).toEqual([])
  })
})

describe(rule('C-34'), () => {
  const output = (more: Body) => ({ tools: [tool({ outputSchema: { type: 'object', ...more } })] })

  it('up leaves output schemas alone', () => {
    const value = output({ additionalProperties: { type: 'string' } })
    expect(translate(UP, list, value)).toEqual({ outcome: value, losses: [] })
  })

  it('down allows any further properties where a schema describes them', () => {
    const { outcome, losses } = translate(DOWN, list, output({ additionalProperties: { type: 'string' } }))
    expect([outcome, losses]).toEqual([output({}), ['C-34 i tools[0].outputSchema.additionalProperties']])
    expect(translate(DOWN, list, output({ additionalProperties: false })).losses).toEqual([])
  })
})

describe(rule('C-22'), () => {
  const $schema = 'http://json-schema.org/draft-07/schema#'
  const older: Body[] = [
    { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
    { type: 'object', properties: { a: { type: 'array', additionalItems: false } } },
    { type: 'object', dependencies: { a: ['b'] } },
    { type: 'object', allOf: [{ dependencies: {} }] },
    { type: 'object', additionalProperties: { items: [] } },
    { type: 'object', definitions: { a: { not: { items: [] } } } },
  ]
  const either: Body[] = [
    { type: 'object' },
    { type: 'object', $schema: 'https://json-schema.org/draft/2020-12/schema', dependencies: {} },
    { type: 'object', properties: { dependencies: { type: 'string' }, items: { enum: [['x']] }, a: true } },
    { type: 'object', properties: { a: { default: { items: [] }, const: { items: [] }, examples: [{ items: [] }] } } },
    { type: 'object', $defs: { a: { $schema, dependencies: {} } } },
  ]

  it.each(older)('up names the dialect of %j', (schema) => {
    const value = { tools: [tool({ inputSchema: schema, outputSchema: schema })] }
    const named = { $schema, ...schema }
    expect(translate(UP, list, value)).toEqual({
      outcome: { tools: [tool({ inputSchema: named, outputSchema: named })] },
      losses: [],
    })
  })

  it.each(either)('up leaves %j', (schema) => {
    const value = { tools: [tool({ inputSchema: schema, outputSchema: schema })] }
    expect(translate(UP, list, value).outcome).toBe(value)
  })

  it('down passes', () => {
    const value = { tools: [tool({ inputSchema: { $schema, type: 'object' } })] }
    expect(translate(DOWN, list, value, strict).outcome).toBe(value)
  })
})

describe(rule('C-23'), () => {
  it('up passes', () => {
    const value = { tools: [tool()] }
    expect(translate(UP, list, value).outcome).toBe(value)
  })

  it('down removes what is said about tasks', () => {
    const { outcome, losses } = translate(DOWN, list, {
      tools: [tool(), tool({ execution: { taskSupport: 'optional' } })],
    })
    expect(outcome).toEqual({ tools: [tool(), tool()] })
    expect(losses).toEqual(['C-23 i tools[1].execution'])
  })

  it('down shows tools that only run as tasks, because whoever serves the client runs the task for it', () => {
    const only = tool({ name: 'slow', execution: { taskSupport: 'required' } })
    const { outcome, losses } = translate(DOWN, list, {
      tools: [only, tool({ execution: { taskSupport: 'forbidden' } })],
      nextCursor: 'n',
    })
    expect(outcome).toEqual({ tools: [tool({ name: 'slow' }), tool()], nextCursor: 'n' })
    expect(losses).toEqual(['C-23 i tools[0].execution', 'C-23 i tools[1].execution'])
  })
})

const created = { task: { taskId: '1', status: 'working', createdAt: '', lastUpdatedAt: '', ttl: null } }

describe(rule('C-24'), () => {
  const augmented = ['tools/call', 'sampling/createMessage', 'elicitation/create'] as const

  it.each(augmented)('up passes %s', (method) => {
    const value = { name: 't', messages: [] }
    expect(translate(UP, [method, 'params'], value).outcome).toBe(value)
  })

  it.each(augmented)('down removes the wish from %s, which then simply runs', (method) => {
    const { outcome, losses } = translate(DOWN, [method, 'params'], { name: 't', messages: [], task: { ttl: 5 } })
    expect({ outcome, losses }).toEqual({ outcome: { name: 't', messages: [] }, losses: [] })
  })

  it.each(augmented)('down turns a task in place of the result of %s into an error', (method) => {
    expect(translate(DOWN, [method, 'result'], created)).toEqual({ outcome: 'refuse -32603', losses: ['C-24 E '] })
  })

  it('down passes a result that merely has a field of that name', () => {
    const value = { content: [], ...created }
    expect(translate(DOWN, call, value).outcome).toBe(value)
  })

  it('down removes the capability of either side', () => {
    for (const part of ['params', 'result'] as const) {
      const value = { protocolVersion: 'x', capabilities: { tasks: { list: {} }, experimental: {} } }
      expect(translate(DOWN, ['initialize', part], value).outcome).toEqual({
        protocolVersion: 'x',
        capabilities: { experimental: {} },
      })
    }
  })

  it.each(['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel'])('down refuses %s', (method) => {
    expect(translate(DOWN, [method, 'params'], { taskId: '1' }).outcome).toBe('refuse -32601')
  })

  it('down drops the state of a task', () => {
    expect(translate(DOWN, ['notifications/tasks/status', 'params'], created.task).outcome).toBe('drop')
  })
})

describe(rule('C-25'), () => {
  const about = {
    'io.modelcontextprotocol/related-task': { taskId: '1' },
    'io.modelcontextprotocol/model-immediate-response': 'soon',
  }
  const kept = { 'com.example/a': 1, progressToken: 2 }

  it('up passes', () => {
    const value = { content: [], _meta: { ...kept, ...about } }
    expect(translate(UP, call, value).outcome).toBe(value)
  })

  it.each([
    ['tools/call', 'params'],
    ['tools/call', 'result'],
    ['sampling/createMessage', 'params'],
    ['sampling/createMessage', 'result'],
    ['elicitation/create', 'params'],
    ['elicitation/create', 'result'],
    ['notifications/progress', 'params'],
    ['notifications/message', 'params'],
  ] as const)('down removes what ties %s %s to a task and keeps the rest', (method, part) => {
    const { outcome, losses } = translate(DOWN, [method, part], {
      content: {},
      action: 'cancel',
      _meta: { ...about, ...kept },
    })
    expect({ outcome, losses }).toEqual({ outcome: { content: {}, action: 'cancel', _meta: kept }, losses: [] })
  })
})

describe(rule('C-27'), () => {
  it('is a feature transports ask for', () => {
    expect([supports(V06, 'error-without-id'), supports(V11, 'error-without-id')]).toEqual([false, true])
  })
})

describe(rule('C-28'), () => {
  const cancelled = ['notifications/cancelled', 'params'] as const

  it('up passes', () => {
    const value = { requestId: 1 }
    expect(translate(UP, cancelled, value).outcome).toBe(value)
  })

  it('down drops a cancellation without request id and passes others', () => {
    expect(translate(DOWN, cancelled, { reason: 'r' }).outcome).toBe('drop')
    expect(translate(DOWN, cancelled, undefined).outcome).toBe('drop')
    const value = { requestId: 0, reason: 'r' }
    expect(translate(DOWN, cancelled, value).outcome).toBe(value)
  })
})

describe('V1 features of 2025-11-25', () => {
  it.each([
    'elicitation-url',
    'elicitation-defaults',
    'elicitation-choices',
    'sampling-tools',
    'sampling-blocks',
    'tasks',
    'icons',
    'sse-polling',
  ])('%s is new', (feature) => {
    expect([supports(V06, feature), supports(V11, feature)]).toEqual([false, true])
  })
})
