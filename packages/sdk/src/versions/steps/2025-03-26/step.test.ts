import { describe, expect, it } from 'vitest'
import { supports } from '../../methods.ts'
import { rule } from '../../rule-tests.fixtures.ts'
import { translate, V03, V24 } from '../../translate.fixtures.ts'

const UP = [V24, V03] as const
const DOWN = [V03, V24] as const

const audio = { type: 'audio', data: 'AAEC', mimeType: 'audio/wav' }
/** SHA-256 of the bytes 0, 1, 2. */
const uri = 'urn:sha256:ae4b3280e56e2faf83f414a6e3dabe9d5fbe18976544c05fed121accb85b53fc'
const embedded = { type: 'resource', resource: { uri, mimeType: 'audio/wav', blob: 'AAEC' } }
const text = { type: 'text', text: 'hello' }

describe(rule('A-02'), () => {
  const result = ['initialize', 'result'] as const
  const say = (capabilities: Record<string, unknown>) => ({
    protocolVersion: 'x',
    capabilities,
    serverInfo: { name: 's', version: '1' },
  })

  it('up declares completions for a server with prompts or resources', () => {
    expect(translate(UP, result, say({ prompts: {} })).outcome).toEqual(say({ prompts: {}, completions: {} }))
    expect(translate(UP, result, say({ resources: {} })).outcome).toEqual(say({ resources: {}, completions: {} }))
  })

  it('up leaves a server with tools only, and one that declares it already', () => {
    for (const value of [say({ tools: {} }), say({ prompts: {}, completions: { a: 1 } })])
      expect(translate(UP, result, value).outcome).toBe(value)
  })

  it('down removes the flag without a loss: the older version needs none', () => {
    expect(translate(DOWN, result, say({ prompts: {}, completions: {} }))).toEqual({
      outcome: say({ prompts: {} }),
      losses: [],
    })
  })
})

describe(rule('A-03'), () => {
  const progress = ['notifications/progress', 'params'] as const
  const value = { progressToken: 1, progress: 2, message: 'half' }

  it('up passes', () => {
    expect(translate(UP, progress, value).outcome).toBe(value)
  })

  it('down passes leniently and removes the text strictly', () => {
    expect(translate(DOWN, progress, value)).toEqual({ outcome: value, losses: [] })
    expect(translate(DOWN, progress, value, { profile: 'strict' })).toEqual({
      outcome: { progressToken: 1, progress: 2 },
      losses: ['A-03 i message'],
    })
  })
})

describe(rule('A-04'), () => {
  const call = ['tools/call', 'result'] as const
  const prompt = ['prompts/get', 'result'] as const

  it('up passes', () => {
    const value = { content: [text] }
    expect(translate(UP, call, value).outcome).toBe(value)
  })

  it('down makes a line of text and an embedded resource with the same bytes in a list', () => {
    const annotated = { ...audio, annotations: { priority: 1 }, _meta: { a: 1 }, 'x-own': 2 }
    const { outcome, losses } = translate(DOWN, call, { content: [text, annotated, text], isError: false })
    const line = { type: 'text', text: '[Audio content: audio/wav]' }
    expect(outcome).toEqual({
      content: [text, line, { ...embedded, annotations: { priority: 1 }, _meta: { a: 1 }, 'x-own': 2 }, text],
      isError: false,
    })
    expect(losses).toEqual(['A-04 w content[1]'])
  })

  it('down makes the embedded resource alone in a prompt message', () => {
    const { outcome, losses } = translate(DOWN, prompt, {
      messages: [
        { role: 'user', content: text },
        { role: 'user', content: audio },
      ],
    })
    expect(outcome).toEqual({
      messages: [
        { role: 'user', content: text },
        { role: 'user', content: embedded },
      ],
    })
    expect(losses).toEqual(['A-04 w messages[1].content'])
  })

  it('down leaves what is no audio, and audio without data, as it is', () => {
    for (const value of [{ content: [text] }, { content: [{ type: 'audio' }] }, { content: 'none' }, {}]) {
      expect(translate(DOWN, call, value)).toEqual({ outcome: value, losses: [] })
      expect(translate(DOWN, call, value).outcome).toBe(value)
    }
    const broken = { messages: [{ role: 'user', content: { type: 'audio', data: 5, mimeType: 'x' } }] }
    expect(translate(DOWN, prompt, broken).outcome).toBe(broken)
  })

  it('down hashes the text itself when data is no base64', () => {
    const { outcome } = translate(DOWN, prompt, { messages: [{ role: 'user', content: { ...audio, data: '%%%' } }] })
    expect(outcome).toMatchObject({
      messages: [{ content: { resource: { uri: expect.stringMatching(/^urn:sha256:[0-9a-f]{64}$/), blob: '%%%' } } }],
    })
  })
})

describe(rule('A-05'), () => {
  const request = ['sampling/createMessage', 'params'] as const
  const ask = (...contents: unknown[]) => ({
    maxTokens: 1,
    messages: contents.map((content) => ({ role: 'user', content })),
  })

  it('up passes', () => {
    const value = ask(text)
    expect(translate(UP, request, value).outcome).toBe(value)
  })

  it('down refuses a request with audio and says why', () => {
    const { outcome, losses, reason } = translate(DOWN, request, ask(text, audio))
    expect({ outcome, losses }).toEqual({ outcome: 'refuse -32602', losses: ['A-05 E '] })
    expect(reason).toBe('audio not supported by client protocol 2024-11-05')
  })

  it('down passes a request without audio', () => {
    for (const value of [ask(text), { messages: 'none' }]) expect(translate(DOWN, request, value).outcome).toBe(value)
  })
})

describe(rule('A-06'), () => {
  const answer = ['sampling/createMessage', 'result'] as const

  it('up passes', () => {
    const value = { role: 'assistant', model: 'm', content: text }
    expect(translate(UP, answer, value).outcome).toBe(value)
  })

  it('down turns an audio answer into an error and passes others', () => {
    expect(translate(DOWN, answer, { role: 'assistant', model: 'm', content: audio })).toEqual({
      outcome: 'refuse -32603',
      losses: ['A-06 E '],
    })
    const value = { role: 'assistant', model: 'm', content: text }
    expect(translate(DOWN, answer, value).outcome).toBe(value)
  })
})

describe(rule('A-07'), () => {
  const list = ['tools/list', 'result'] as const
  const tool = { name: 't', inputSchema: { type: 'object' } }
  const annotated = { ...tool, annotations: { title: 'T', readOnlyHint: true } }

  it('up passes and makes no annotations up', () => {
    const value = { tools: [tool] }
    expect(translate(UP, list, value).outcome).toBe(value)
  })

  it('down passes leniently', () => {
    const value = { tools: [annotated] }
    expect(translate(DOWN, list, value).outcome).toBe(value)
  })

  it('down strictly removes them and keeps the title as description where there is none', () => {
    const value = { tools: [tool, annotated, { ...annotated, description: 'd' }, { ...tool, annotations: 'odd' }] }
    const { outcome, losses } = translate(DOWN, list, value, { profile: 'strict' })
    expect(outcome).toEqual({ tools: [tool, { ...tool, description: 'T' }, { ...tool, description: 'd' }, tool] })
    expect(losses).toEqual([
      'A-07 i tools[1].annotations',
      'A-07 i tools[2].annotations',
      'A-07 i tools[3].annotations',
    ])
  })
})

describe('V1 features of 2025-03-26', () => {
  it.each(['batch', 'completions', 'audio', 'tool-annotations', 'progress-messages'])('%s is new', (feature) => {
    expect([supports(V24, feature), supports(V03, feature)]).toEqual([false, true])
  })
})
