import { describe, expect, it } from 'vitest'
import { noteParts } from '../../../jsonrpc/index.ts'
import { supports } from '../../methods.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { translate, V03, V06 } from '../../translate.fixtures.ts'

const UP = [V03, V06] as const
const DOWN = [V06, V03] as const
const strict = { profile: 'strict' } as const

const text = { type: 'text', text: 'hello' }
const tool = { name: 't', inputSchema: { type: 'object' } }

describe(rule('B-02'), () => {
  const hello = ['initialize', 'params'] as const
  const say = (capabilities: Record<string, unknown>) => ({
    protocolVersion: 'x',
    capabilities,
    clientInfo: { name: 'c', version: '1' },
  })

  it('up passes', () => {
    const value = say({ sampling: {} })
    expect(translate(UP, hello, value).outcome).toBe(value)
  })

  it('down withdraws the capability from an older server', () => {
    expect(translate(DOWN, hello, say({ sampling: {}, elicitation: {} }))).toEqual({
      outcome: say({ sampling: {} }),
      losses: [],
    })
    expect(translate(DOWN, hello, say({ elicitation: { form: {} } }))).toEqual({
      outcome: say({}),
      losses: ['B-02 i capabilities.elicitation'],
    })
  })

  it('down refuses the question to an older client as an unknown method', () => {
    const { outcome, reason } = translate(DOWN, ['elicitation/create', 'params'], { message: 'm', requestedSchema: {} })
    expect(outcome).toBe('refuse -32601')
    expect(reason).toContain('2025-03-26')
  })
})

describe(rule('B-03'), () => {
  const form = {
    message: 'm',
    requestedSchema: { type: 'object', properties: { a: { type: 'string', enum: ['x'], enumNames: ['X'] } } },
  }

  it('up has nothing to do: an older version has no forms', () => {
    expect(translate(UP, ['elicitation/create', 'params'], form).outcome).toBe(form)
  })

  it('down goes nowhere, so that no form is rewritten', () => {
    expect(translate(DOWN, ['elicitation/create', 'params'], form)).toEqual({ outcome: 'refuse -32601', losses: [] })
    expect(translate(DOWN, ['elicitation/create', 'params'], form, { scope: 'body' }).outcome).toBe(form)
  })
})

describe(rule('B-04'), () => {
  const call = ['tools/call', 'result'] as const
  const structuredContent = { a: 1, b: [true, null] }

  it('up passes', () => {
    const value = { content: [text] }
    expect(translate(UP, call, value).outcome).toBe(value)
  })

  it('down appends the JSON where no text says the same', () => {
    const { outcome, losses } = translate(DOWN, call, {
      content: [text, { type: 'text', text: '{"a":1}' }, { type: 'image' }],
      structuredContent,
      isError: true,
    })
    const appended = { type: 'text', text: JSON.stringify(structuredContent) }
    expect(outcome).toEqual({
      content: [text, { type: 'text', text: '{"a":1}' }, { type: 'image' }, appended],
      isError: true,
    })
    expect(losses).toEqual(['B-04 i structuredContent'])
  })

  it('down only removes it where a text says the same, in any order and layout', () => {
    for (const json of ['{"a":1,"b":[true,null]}', '{ "b": [true, null],\n "a": 1 }']) {
      const content = [{ type: 'text', text: json }]
      expect(translate(DOWN, call, { content, structuredContent })).toEqual({
        outcome: { content },
        losses: ['B-04 i structuredContent'],
      })
      expect(translate(DOWN, call, { content, structuredContent }).outcome).toEqual({ content })
    }
  })

  it.each([
    '{"a":1,"b":[true]}',
    '{"a":1,"b":[true,null],"c":0}',
    '{"a":1,"c":[true,null]}',
    '{"a":[1],"b":{}}',
    '[1]',
    'null',
    '"a"',
  ])('down takes %s for something else', (json) => {
    expect(
      translate(DOWN, call, { content: [{ type: 'text', text: json }], structuredContent }).outcome,
    ).toHaveProperty('content.length', 2)
  })

  it('down writes numbers with all the digits they came with', () => {
    const json = '{"order":12345678901234567890,"sum":1.10}'
    const result = JSON.parse(`{"content":[],"structuredContent":${json}}`)
    noteParts(`{"content":[],"structuredContent":${json}}`, result)
    expect(translate(DOWN, call, result)).toEqual({
      outcome: { content: [{ type: 'text', text: json }] },
      losses: ['B-04 i structuredContent'],
    })
    // What somebody has changed is written as it is now.
    const changed = { ...result, structuredContent: { ...result.structuredContent, sum: 2 } }
    expect(translate(DOWN, call, changed).outcome).toEqual({
      content: [{ type: 'text', text: '{"order":12345678901234567000,"sum":2}' }],
    })
  })

  it('down gives a result without content the content it must have', () => {
    expect(translate(DOWN, call, { structuredContent: {} }).outcome).toEqual({
      content: [{ type: 'text', text: '{}' }],
    })
  })
})

describe(rule('B-05'), () => {
  const list = ['tools/list', 'result'] as const

  it('up passes and makes no schema up', () => {
    const value = { tools: [tool] }
    expect(translate(UP, list, value).outcome).toBe(value)
  })

  it('down removes the output schema', () => {
    const { outcome, losses } = translate(DOWN, list, {
      tools: [tool, { ...tool, outputSchema: { type: 'object' }, title: 'T' }],
      nextCursor: 'n',
    })
    expect(outcome).toEqual({ tools: [tool, { ...tool, title: 'T' }], nextCursor: 'n' })
    expect(losses).toEqual(['B-05 i tools[1].outputSchema'])
  })
})

const link = {
  type: 'resource_link',
  uri: 'file:///a',
  name: 'a',
  mimeType: 'text/plain',
  description: 'a file',
  annotations: { priority: 1 },
  size: 3,
}

describe(rule('B-06'), () => {
  const call = ['tools/call', 'result'] as const

  it('up passes', () => {
    const value = { content: [text] }
    expect(translate(UP, call, value).outcome).toBe(value)
  })

  it('down writes the link as text', () => {
    const bare = { type: 'resource_link', uri: 'file:///b', name: 'b', title: 'B', _meta: { x: 1 } }
    const { outcome, losses } = translate(DOWN, call, { content: [text, link, bare] })
    expect(outcome).toEqual({
      content: [
        text,
        { type: 'text', text: 'a: file:///a (text/plain) a file', annotations: { priority: 1 } },
        { type: 'text', text: 'B: file:///b', _meta: { x: 1 } },
      ],
    })
    expect(losses).toEqual(['B-06 w content[1]', 'B-06 w content[2]'])
  })
})

describe(rule('B-15'), () => {
  const prompt = ['prompts/get', 'result'] as const

  it('up passes', () => {
    const value = { messages: [{ role: 'user', content: text }] }
    expect(translate(UP, prompt, value).outcome).toBe(value)
  })

  it('down writes a link in a prompt as text', () => {
    const { outcome, losses } = translate(DOWN, prompt, { messages: [{ role: 'user', content: link }] })
    expect(outcome).toEqual({
      messages: [
        {
          role: 'user',
          content: { type: 'text', text: 'a: file:///a (text/plain) a file', annotations: { priority: 1 } },
        },
      ],
    })
    expect(losses).toEqual(['B-15 w messages[0].content'])
  })
})

describe(rule('B-07'), () => {
  const titled = { name: 'n', title: 'T' }
  const lists = [
    ['tools/list', 'tools', { ...tool, title: 'T' }, { ...tool, annotations: { title: 'T' } }],
    [
      'tools/list',
      'tools',
      { ...tool, title: 'T', annotations: { title: 'A' } },
      { ...tool, annotations: { title: 'A' } },
    ],
    [
      'tools/list',
      'tools',
      { ...tool, title: 'T', annotations: { title: '', readOnlyHint: true } },
      { ...tool, annotations: { title: 'T', readOnlyHint: true } },
    ],
    ['resources/list', 'resources', { ...titled, uri: 'u:' }, { name: 'T', uri: 'u:' }],
    ['resources/list', 'resources', { name: 'n', title: '', uri: 'u:' }, { name: 'n', uri: 'u:' }],
    [
      'resources/templates/list',
      'resourceTemplates',
      { ...titled, uriTemplate: 'u:{a}' },
      { name: 'T', uriTemplate: 'u:{a}' },
    ],
    ['prompts/list', 'prompts', titled, { name: 'n', description: 'T' }],
    ['prompts/list', 'prompts', { ...titled, description: 'd' }, { name: 'n', description: 'T: d' }],
    ['prompts/list', 'prompts', { name: 'n', title: '' }, { name: 'n' }],
    [
      'prompts/list',
      'prompts',
      { name: 'n', arguments: [titled] },
      { name: 'n', arguments: [{ name: 'n', description: 'T' }] },
    ],
  ] as const

  it('up passes', () => {
    for (const [method, key, , older] of lists) {
      const value = { [key]: [older] }
      expect(translate(UP, [method, 'result'], value).outcome).toBe(value)
    }
  })

  it.each(lists)('down passes %s leniently and moves the title of %s %j strictly', (method, key, newer, older) => {
    const value = { [key]: [newer] }
    expect(translate(DOWN, [method, 'result'], value).outcome).toBe(value)
    const { outcome, losses } = translate(DOWN, [method, 'result'], value, strict)
    expect(outcome).toEqual({ [key]: [older] })
    expect(losses).toEqual([expect.stringMatching(/^B-07 i .*title$/)])
  })

  it.each([
    ['initialize', 'params', 'clientInfo'],
    ['initialize', 'result', 'serverInfo'],
    ['completion/complete', 'params', 'ref'],
  ] as const)('down strictly removes the title of %s %s %s', (method, part, key) => {
    expect(translate(DOWN, [method, part], { [key]: titled }, strict)).toEqual({
      outcome: { [key]: { name: 'n' } },
      losses: [`B-07 i ${key}.title`],
    })
  })

  it('down strictly leaves definitions without a title alone', () => {
    for (const [method, key, , older] of lists) {
      const value = { [key]: [older] }
      expect(translate(DOWN, [method, 'result'], value, strict).outcome).toBe(value)
    }
  })
})

const meta = { _meta: { 'com.example/a': 1 } }

describe(rule('B-08'), () => {
  const values = [
    ['tools/list', { tools: [{ ...tool, ...meta }] }],
    [
      'tools/call',
      {
        content: [
          { ...text, ...meta },
          { type: 'resource', resource: { uri: 'u:', text: '', ...meta }, ...meta },
        ],
      },
    ],
    ['resources/read', { contents: [{ uri: 'u:', text: '', ...meta }] }],
    ['roots/list', { roots: [{ uri: 'file:///', ...meta }] }],
  ] as const

  it.each(values)('up passes metadata in %s', (method, value) => {
    expect(translate(UP, [method, 'result'], value as never).outcome).toBe(value)
  })

  it.each(values)('down passes metadata in %s in both profiles', (method, value) => {
    expect(translate(DOWN, [method, 'result'], value as never).outcome).toBe(value)
    expect(translate(DOWN, [method, 'result'], value as never, strict).outcome).toBe(value)
  })
})

describe(rule('B-09'), () => {
  const complete = ['completion/complete', 'params'] as const
  const value = { ref: { type: 'ref/prompt', name: 'p' }, argument: { name: 'a', value: '' } }

  it('up passes', () => {
    expect(translate(UP, complete, value).outcome).toBe(value)
  })

  it('down removes the arguments chosen so far', () => {
    expect(translate(DOWN, complete, { ...value, context: { arguments: { b: '1' } } })).toEqual({
      outcome: value,
      losses: ['B-09 i context'],
    })
    expect(translate(DOWN, complete, { ...value, context: { arguments: { b: '1' } } }).outcome).not.toHaveProperty(
      'context',
    )
  })
})

describe(rule('B-10'), () => {
  const complete = ['completion/complete', 'params'] as const
  const value = { ref: { type: 'ref/resource', uri: 'u:{a}' }, argument: { name: 'a', value: '' } }

  it('up passes', () => {
    expect(translate(UP, complete, value).outcome).toBe(value)
  })

  it('down passes', () => {
    expect(translate(DOWN, complete, value, strict).outcome).toBe(value)
  })
})

describe(rule('B-11'), () => {
  const dated = { annotations: { priority: 1, lastModified: '2025-01-01' } }
  const undated = { annotations: { priority: 1 } }
  const places = [
    ['tools/call', 'result', (annotated: object) => ({ content: [{ ...text, ...annotated }] })],
    [
      'prompts/get',
      'result',
      (annotated: object) => ({ messages: [{ role: 'user', content: { ...text, ...annotated } }] }),
    ],
    ['resources/list', 'result', (annotated: object) => ({ resources: [{ uri: 'u:', name: 'n', ...annotated }] })],
    [
      'resources/templates/list',
      'result',
      (annotated: object) => ({ resourceTemplates: [{ uriTemplate: 'u:', name: 'n', ...annotated }] }),
    ],
    [
      'sampling/createMessage',
      'params',
      (annotated: object) => ({ messages: [{ role: 'user', content: { ...text, ...annotated } }], maxTokens: 1 }),
    ],
    [
      'sampling/createMessage',
      'result',
      (annotated: object) => ({ role: 'user', model: 'm', content: { ...text, ...annotated } }),
    ],
  ] as const

  it.each(places)('up passes %s %s', (method, part, make) => {
    const value = make(undated)
    expect(translate(UP, [method, part], value).outcome).toBe(value)
  })

  it.each(places)('down passes the date in %s %s leniently and removes it strictly', (method, part, make) => {
    const value = make(dated)
    expect(translate(DOWN, [method, part], value).outcome).toBe(value)
    expect(translate(DOWN, [method, part], value, strict)).toEqual({ outcome: make(undated), losses: [] })
    expect(JSON.stringify(translate(DOWN, [method, part], value, strict).outcome)).not.toContain('lastModified')
  })
})

describe('V1 features of 2025-06-18', () => {
  it.each([
    'elicitation',
    'structured-output',
    'resource-links',
    'titles',
    'completion-context',
    'protocol-version-header',
  ])('%s is new', (feature) => {
    expect([supports(V03, feature), supports(V06, feature)]).toEqual([false, true])
  })

  it('batch is gone', () => {
    expect([supports(V03, 'batch'), supports(V06, 'batch')]).toEqual([true, false])
  })
})
