/** The dialect of erlmcp against the examples of the papers that describe it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { catalogue, codeOf, type ErrorEntry, errorKinds } from '../../errors/index.ts'
import type { Body } from '../../jsonrpc/index.ts'
import type { Part } from '../change.ts'
import type { Loss } from '../operation.ts'
import { type DialectDirection, dialect, dialectNames, dialectPlan, isDialect } from './dialect.ts'
import { examples, NOON } from './erlmcp.fixtures.ts'

interface Translation {
  readonly body: Body | undefined
  readonly losses: readonly Loss[]
}

function translate(method: string, part: Part, way: DialectDirection, body: Body, request?: Body): Translation {
  const losses: Loss[] = []
  const plan = dialectPlan('erlmcp', method, part, way)
  const context = {
    now: () => NOON,
    onLoss: (loss: Loss) => void losses.push(loss),
    ...(request === undefined ? {} : { request }),
  }
  return { body: plan === undefined ? body : plan(body, context), losses }
}

const errorIn = (error: Body, method = 'tools/call'): Body | undefined => translate(method, 'error', 'in', error).body
const errorOut = (error: Body, method = 'tools/call'): Body | undefined => translate(method, 'error', 'out', error).body

describe('D examples of the papers', () => {
  it.each(examples.filter(({ only }) => only !== 'out'))(
    'are read: $paper',
    ({ method, part, request, erlmcp, standard, loses = [] }) => {
      const { body, losses } = translate(method, part, 'in', erlmcp, request)
      expect(body).toEqual(standard)
      expect(losses.map(({ path }) => path)).toEqual(loses)
      for (const { severity, rule } of losses) expect([severity, rule]).toEqual(['i', 'D'])
    },
  )

  it.each(examples.filter(({ only }) => only !== 'in'))(
    'are written: $paper',
    ({ method, part, request, erlmcp, standard }) => {
      expect(translate(method, part, 'out', standard, request)).toEqual({ body: erlmcp, losses: [] })
    },
  )
})

describe('D names of methods', () => {
  const { wireMethod, standardMethod } = dialect('erlmcp')
  const bare = [
    'resources/updated',
    'resources/list_changed',
    'tools/list_changed',
    'prompts/list_changed',
    'roots/list_changed',
  ]

  it.each(bare)('%s travels without a prefix', (name) => {
    expect(wireMethod(`notifications/${name}`, undefined)).toBe(name)
    expect(standardMethod(name, 'notification')).toBe(`notifications/${name}`)
    expect(standardMethod(`notifications/${name}`, 'notification')).toBe(`notifications/${name}`)
  })

  it.each([
    'notifications/progress',
    'notifications/message',
    'notifications/initialized',
    'tools/list',
    'vendor/thing',
  ])('%s stays as it is', (name) => {
    expect([wireMethod(name, {}), standardMethod(name, 'notification'), standardMethod(name, 'request')]).toEqual([
      name,
      name,
      name,
    ])
  })

  it('tasks/create is a call with a task, and only as a request', () => {
    expect([wireMethod('tools/call', { name: 'x', task: {} }), wireMethod('tools/call', { name: 'x' })]).toEqual([
      'tasks/create',
      'tools/call',
    ])
    expect([standardMethod('tasks/create', 'request'), standardMethod('tasks/create', 'notification')]).toEqual([
      'tools/call',
      'tasks/create',
    ])
  })

  it('older names are read and never written', () => {
    expect([standardMethod('initialized', 'notification'), standardMethod('requests/cancel', 'notification')]).toEqual([
      'notifications/initialized',
      'notifications/cancelled',
    ])
    expect(wireMethod('notifications/cancelled', {})).toBe('notifications/cancelled')
  })
})

describe('D X4 names of what is read', () => {
  it.each([
    ['file:///home/user/document.txt', 'document.txt'],
    ['http://example.com/api/resource', 'resource'],
    ['custom://unique-id-12345', 'custom://unique-id-12345'],
    ['file:///', 'file:///'],
    ['http://example.com/api/', 'http://example.com/api/'],
    ['http://example.com/a/b?path=/c#/d', 'b'],
    ['urn:isbn:0451450523', 'urn:isbn:0451450523'],
    ['file:/one/two', 'two'],
    ['no uri/at all', 'no uri/at all'],
    ['', ''],
  ])('%s is called %s', (uri, name) => {
    const standard = { contents: [{ uri, text: 'x' }] }
    const erlmcp = { contents: [{ uri, text: 'x', name }] }
    expect(translate('resources/read', 'result', 'out', standard).body).toEqual(erlmcp)
    expect(translate('resources/read', 'result', 'in', erlmcp).body).toEqual(standard)
  })

  it('a name of its own survives both ways', () => {
    const own = { contents: [{ uri: 'file:///a/b', text: 'x', name: 'Chapter two' }] }
    expect(translate('resources/read', 'result', 'in', own).body).toBe(own)
    expect(translate('resources/read', 'result', 'out', own).body).toBe(own)
  })
})

describe('D E3 error codes', () => {
  const coded = errorKinds.flatMap((kind) => {
    const { erlmcpCode } = catalogue[kind] as ErrorEntry
    return erlmcpCode === undefined ? [] : [{ kind, erlmcpCode, code: codeOf(kind, '2025-11-25') }]
  })

  it.each(coded)('$kind is $erlmcpCode there and $code here', ({ kind, erlmcpCode, code }) => {
    const standard = { code, message: 'm', data: { 'parley/kind': kind } }
    expect(errorOut(standard)).toEqual({ code: erlmcpCode, message: 'm', data: { 'parley/kind': kind } })
    expect(errorIn({ code: erlmcpCode, message: 'm', data: { 'parley/kind': kind } })).toEqual(standard)
  })

  it.each([
    [-32001, 'resource_not_found'],
    [-32002, 'tool_not_found'],
    [-32003, 'prompt_not_found'],
    [-32004, 'capability_not_supported'],
    [-32005, 'not_initialized'],
    [-32006, 'subscription_failed'],
    [-32007, 'validation_failed'],
    [-32008, 'transport_error'],
    [-32009, 'request_timeout'],
    [-32010, 'rate_limited'],
    [-32031, 'tool_execution_failed'],
    [-32040, 'tool_schema_invalid'],
    [1001, 'refusal_content_policy'],
    [1010, 'refusal_custom'],
  ] as const)('%d alone is read as %s', (code, kind) => {
    expect(errorIn({ code, message: 'm' })).toEqual({
      code: codeOf(kind, '2025-11-25'),
      message: 'm',
      data: { 'parley/kind': kind },
    })
  })

  it('every refusal from 1001 to 1089 keeps its number', () => {
    for (let code = 1001; code <= 1089; code++) {
      const read = errorIn({ code, message: 'no', data: { why: 'x' } }) as { code: number; data: Body }
      expect(String(read.data['parley/kind'])).toMatch(/^refusal_/)
      expect(read.code).toBeLessThan(-32000)
      expect(errorOut(read)).toEqual({
        code,
        message: 'no',
        data: { why: 'x', 'parley/kind': read.data['parley/kind'] },
      })
    }
    for (const code of [1000, 1090]) expect(errorIn({ code, message: 'm' })).toEqual({ code, message: 'm' })
  })

  it.each([-32700, -32600, -32601, -32602, -32603, -32042, -32050, -1, 7])(
    '%d means the same on both sides',
    (code) => {
      const error = { code, message: 'm' }
      expect([errorIn(error), errorOut(error)]).toEqual([error, error])
    },
  )

  it('-32002 of the specification is -32001 there, and nothing else', () => {
    expect(errorOut({ code: -32002, message: 'm', data: { uri: 'a:b' } })).toEqual({
      code: -32001,
      message: 'm',
      data: { uri: 'a:b', 'parley/kind': 'resource_not_found' },
    })
    expect(errorIn({ code: -32002, message: 'm' }, 'resources/read')).toMatchObject({
      code: -32002,
      data: { 'parley/kind': 'resource_not_found' },
    })
  })

  it('a task that does not exist is told in the words of each side', () => {
    expect(errorIn({ code: -32001, message: 'Task not found' }, 'tasks/get')).toEqual({
      code: -32602,
      message: 'Task not found',
      data: { 'parley/kind': 'task_not_found' },
    })
  })

  it.each([-32001, -32003, 1001, 1042])(
    '%d of a server that means something else by it travels as data, and is told',
    (code) => {
      const { body, losses } = translate('tools/call', 'error', 'out', { code, message: 'm', data: [1] })
      expect(body).toEqual({ code: -32603, message: 'm', data: { originalCode: code, data: [1] } })
      expect(losses).toEqual([
        { rule: 'E3', method: '*', path: 'code', severity: 'i', detail: `error code ${code} kept as data` },
      ])
      expect(errorIn(body as Body)).toEqual({ code, message: 'm', data: [1] })
    },
  )

  it('data that is no object is kept', () => {
    expect(errorIn({ code: -32007, message: 'm', data: 'why' })).toEqual({
      code: -32602,
      message: 'm',
      data: { value: 'why', 'parley/kind': 'validation_failed' },
    })
  })

  it('a kind that is not what the code says does not count', () => {
    expect(errorIn({ code: -32003, message: 'm', data: { 'parley/kind': 'rate_limited' } })).toMatchObject({
      data: { 'parley/kind': 'prompt_not_found' },
    })
  })
})

describe('D tasks', () => {
  it('a tool named as in a call is understood', () => {
    expect(translate('tasks/create', 'params', 'in', { name: 'x', arguments: { a: 1 } }).body).toEqual({
      name: 'x',
      arguments: { a: 1 },
      task: {},
    })
  })

  it('the task may be inside an answer', () => {
    const task = { taskId: 't', status: 'completed', createdAt: 'a', lastUpdatedAt: 'b', ttl: 5 }
    expect(translate('tasks/get', 'result', 'in', { task }).body).toBe(task)
  })

  it('a call that is answered at once stays as it is', () => {
    const result = { content: [] }
    expect([
      translate('tasks/create', 'result', 'in', result).body,
      translate('tasks/create', 'result', 'out', result).body,
    ]).toEqual([result, result])
  })

  it('waiting for input is told as work, and as a loss', () => {
    const task = { taskId: 't', status: 'input_required', createdAt: 'a', lastUpdatedAt: 'b', ttl: 5 }
    const { body, losses } = translate('tasks/list', 'result', 'out', { tasks: [task] })
    expect(body).toEqual({ tasks: [{ ...task, status: 'processing' }] })
    expect(losses).toMatchObject([{ rule: 'D', path: 'tasks[0].status' }])
  })

  it('times that are none are those at which the task was heard of', () => {
    const { body } = translate('tasks/get', 'result', 'in', { status: 'failed', createdAt: 1e300 }, { taskId: 't' })
    const heard = new Date(NOON).toISOString()
    expect(body).toEqual({ taskId: 't', status: 'failed', createdAt: heard, lastUpdatedAt: heard, ttl: null })
  })
})

describe('D cursor and limit', () => {
  /** A server of the specification with pages of its own length, and a reader of the dialect who asks for parts. */
  function readAll(
    pages: readonly (readonly string[])[],
    cursors: readonly string[],
    limit: number | undefined,
  ): string[] {
    const found: string[] = []
    let cursor: unknown
    for (let asked = 0; asked < 1000; asked++) {
      const request: Body = { ...(cursor === undefined ? {} : { cursor }), ...(limit === undefined ? {} : { limit }) }
      const params = translate('tools/list', 'params', 'in', request).body ?? {}
      expect(Object.keys(params).filter((key) => key !== 'cursor')).toEqual([])
      const at = params['cursor'] === undefined ? 0 : cursors.indexOf(params['cursor'] as string) + 1
      const next = at < pages.length - 1 ? { nextCursor: cursors[at] } : {}
      const answer = translate(
        'tools/list',
        'result',
        'out',
        { tools: (pages[at] ?? []).map((name) => ({ name })), ...next },
        request,
      ).body as Body
      const tools = answer['tools'] as { name: string }[]
      if (limit !== undefined) expect(tools.length).toBeLessThanOrEqual(limit)
      found.push(...tools.map(({ name }) => name))
      expect(answer).not.toHaveProperty('nextCursor')
      cursor = answer['cursor']
      if (cursor === undefined) return found
    }
    return expect.fail('the list has no end')
  }

  it('everything is read once and in order, however long the pages of both sides are', () => {
    const page = fc.array(fc.string({ maxLength: 3 }), { maxLength: 7 })
    const cursor = fc.oneof(fc.string(), fc.constantFrom('parley:3', 'parley:0:x', 'parley:', ''))
    const list = fc.array(fc.tuple(page, cursor), { minLength: 1, maxLength: 6 })
    fc.assert(
      fc.property(list, fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }), (tuples, limit) => {
        const cursors = tuples.map(([, mark], at) => `${mark}${at}`)
        const pages = tuples.map(([names]) => names)
        expect(readAll(pages, cursors, limit)).toEqual(pages.flat())
      }),
      { examples: [[[[['a', 'b', 'c'], 'parley:1:']], 1]] },
    )
  })

  it.each([0, -1, 1.5, '10', null])('a limit of %j is told to be of no use', (limit) => {
    const { body, losses } = translate('tools/list', 'params', 'in', { limit, cursor: 'c' })
    expect(body).toEqual({ cursor: 'c' })
    expect(losses).toMatchObject([{ rule: 'D', path: 'limit', severity: 'i' }])
  })

  it('the end of a list may be null, and a cursor of the specification is understood', () => {
    expect(translate('prompts/list', 'result', 'in', { prompts: [], cursor: null }).body).toEqual({ prompts: [] })
    expect(translate('prompts/list', 'result', 'in', { prompts: [], nextCursor: 'n', cursor: 'c' }).body).toEqual({
      prompts: [],
      nextCursor: 'n',
      cursor: 'c',
    })
  })
})

describe('D times of the last change', () => {
  it.each(['2025-01-12T15:00:58Z', '2025-01-12', 'yesterday'])('%s comes back as it was', (lastModified) => {
    const standard = { resources: [{ uri: 'a:b', name: 'b', annotations: { priority: 1, lastModified } }] }
    const { body } = translate('resources/list', 'result', 'out', standard)
    expect(translate('resources/list', 'result', 'in', body as Body).body).toEqual(standard)
  })

  it('a number that is no time survives', () => {
    const odd = { resources: [{ uri: 'a:b', name: 'b', lastModified: 1e300 }] }
    expect(translate('resources/list', 'result', 'in', odd).body).toBe(odd)
  })
})

describe('D plans', () => {
  it('undefined is untouched: methods without a rule, both ways', () => {
    for (const way of ['in', 'out'] as const) {
      for (const part of ['params', 'result'] as const)
        expect(dialectPlan('erlmcp', 'prompts/get', part, way)).toBeUndefined()
      expect(dialectPlan('erlmcp', 'ping', 'result', way)).toBeUndefined()
    }
  })

  it('are made once', () => {
    expect(dialectPlan('erlmcp', 'tasks/create', 'params', 'in')).toBe(
      dialectPlan('erlmcp', 'tasks/create', 'params', 'in'),
    )
    expect(dialectPlan('erlmcp', 'vendor/one', 'error', 'in')).toBe(dialectPlan('erlmcp', 'vendor/two', 'error', 'in'))
  })

  it('never throw and never change what they are given, whatever it is', () => {
    const { changes } = dialect('erlmcp')
    const methods = [
      ...new Set(changes.flatMap(({ up = [], down = [] }) => [...up, ...down].flatMap(({ method }) => method))),
    ]
    const json = fc.dictionary(
      fc.constantFrom(
        'task',
        'tasks',
        'tools',
        'resources',
        'contents',
        'capabilities',
        'action',
        'metadata',
        'cursor',
        'limit',
        'ref',
        'context',
        'data',
        'code',
        'completion',
        'completions',
        'content',
        'uri',
        'status',
        '_meta',
        'modelPreferences',
        'annotations',
        'execution',
      ),
      fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<unknown>,
    )
    fc.assert(
      fc.property(
        fc.constantFrom(...methods),
        fc.constantFrom<Part>('params', 'result', 'error'),
        fc.constantFrom<DialectDirection>('in', 'out'),
        json,
        json,
        (method, part, way, body, request) => {
          const before = JSON.stringify([body, request])
          const { body: after } = translate(method, part, way, body, request)
          expect(JSON.stringify([body, request])).toBe(before)
          expect(JSON.parse(JSON.stringify(after))).toBeTypeOf('object')
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('every change says why, and is named in the documentation with what it loses', async () => {
    const { readFileSync } = (await import('node:fs' as string)) as {
      readFileSync(path: URL, encoding: 'utf8'): string
    }
    const page = readFileSync(new URL('../../../../../docs/dialect-erlmcp.md', import.meta.url), 'utf8')
    const { changes, version } = dialect('erlmcp')
    expect(version).toBe('2025-11-25')
    for (const { name, why, loses } of changes) {
      expect(why, name).toMatch(/\bS[0-4]\b.*\.$/)
      expect(page).toContain(`| ${name} |`)
      if (loses !== undefined) expect(page, name).toContain(loses)
    }
  })

  it('names are known', () => {
    expect(dialectNames).toEqual(['erlmcp'])
    expect([isDialect('erlmcp'), isDialect('toString'), isDialect(1)]).toEqual([true, false, false])
  })
})
