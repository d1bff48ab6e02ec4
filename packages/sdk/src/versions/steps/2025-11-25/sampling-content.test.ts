import { describe, expect, it } from 'vitest'
import { rule } from '../../rule-tests.fixtures.ts'
import { translate, V06, V11 } from '../../translate.fixtures.ts'

const UP = [V06, V11] as const
const DOWN = [V11, V06] as const
const request = ['sampling/createMessage', 'params'] as const
const answer = ['sampling/createMessage', 'result'] as const

const a = { type: 'text', text: 'a' }
const b = { type: 'text', text: 'b' }
const image = { type: 'image', data: '', mimeType: 'image/png' }
const use = { type: 'tool_use', id: '1', name: 't', input: {} }
const used = { type: 'tool_result', toolUseId: '1', content: [] }

const ask = (...contents: unknown[]) => ({
  maxTokens: 1,
  messages: contents.map((content) => ({ role: 'user', content, _meta: { k: 1 } })),
})
const say = (content: unknown) => ({ role: 'assistant', model: 'm', content, stopReason: 'endTurn' })

describe(rule('C-01'), () => {
  it('up passes: one block is legal', () => {
    const value = ask(a)
    expect(translate(UP, request, value).outcome).toBe(value)
  })

  it('down unwraps one block, fills in none, and makes a message of each of several', () => {
    const { outcome, losses } = translate(DOWN, request, ask(a, [b], [], [a, image, b]))
    expect(outcome).toEqual(ask(a, b, { type: 'text', text: '' }, a, image, b))
    expect(losses).toEqual(['C-01 i messages[3]'])
  })

  it.each([use, used, [a, use], [used]])('down refuses blocks of tools: %j', (content) => {
    const { outcome, losses, reason } = translate(DOWN, request, ask(a, content))
    expect({ outcome, losses }).toEqual({ outcome: 'refuse -32602', losses: ['C-01 E '] })
    expect(reason).toContain('2025-06-18')
  })

  it('down leaves one block each, and what is no list of messages, as it is', () => {
    for (const value of [ask(a, image), { messages: 5 }, { messages: [null, 'x'] }])
      expect(translate(DOWN, request, value).outcome).toBe(value)
  })
})

describe(rule('C-02'), () => {
  it('up passes', () => {
    const value = say(a)
    expect(translate(UP, answer, value).outcome).toBe(value)
  })

  it.each([
    ['one block', [image], image, []],
    ['no block', [], { type: 'text', text: '' }, []],
    ['texts', [a, b], { type: 'text', text: 'a\n\nb' }, ['C-02 i content']],
    ['text beside others', [image, a, b], { type: 'text', text: 'a\n\nb' }, ['C-02 w content']],
    ['one text beside others', [image, a], a, ['C-02 w content']],
    ['no text', [image, { ...image, data: 'AA==' }], image, ['C-02 w content']],
  ])('down makes one block of %s', (_, blocks, block, losses) => {
    expect(translate(DOWN, answer, say(blocks))).toEqual({ outcome: say(block), losses })
  })

  it('down turns the use of tools into an error, since the server sent none', () => {
    for (const content of [use, [a, use]])
      expect(translate(DOWN, answer, say(content))).toEqual({ outcome: 'refuse -32603', losses: ['C-02 E '] })
  })

  it('down leaves one block as it is, whatever the reason to stop', () => {
    const value = { ...say(a), stopReason: 'toolUse' }
    expect(translate(DOWN, answer, value).outcome).toBe(value)
  })
})

describe(rule('C-03'), () => {
  const tools = [{ name: 't', inputSchema: { type: 'object' } }]

  it('up passes what an older server cannot have sent', () => {
    const value = { ...ask(a), tools }
    expect(translate(UP, request, value).outcome).toBe(value)
  })

  it('down refuses tools and the choice of tools, and never removes them', () => {
    for (const extra of [{ tools }, { toolChoice: { mode: 'none' } }, { tools: [] }]) {
      expect(translate(DOWN, request, { ...ask(a), ...extra })).toEqual({
        outcome: 'refuse -32602',
        losses: ['C-03 E '],
      })
      expect(translate(DOWN, request, { ...ask(a), ...extra }, { clientCapabilities: { sampling: {} } }).outcome).toBe(
        'refuse -32602',
      )
    }
  })

  it('down passes tools to a client that declared them', () => {
    const value = { ...ask(a), tools }
    expect(translate(DOWN, request, value, { clientCapabilities: { sampling: { tools: {} } } }).outcome).toBe(value)
  })
})

describe(rule('C-04'), () => {
  const hello = ['initialize', 'params'] as const
  const declare = (sampling: unknown) => ({
    protocolVersion: 'x',
    capabilities: { sampling },
    clientInfo: { name: 'c', version: '1' },
  })

  it('up declares context and never tools', () => {
    expect(translate(UP, hello, declare({})).outcome).toEqual(declare({ context: {} }))
    for (const value of [declare({ context: {} }), declare({ tools: {} })])
      expect(translate(UP, hello, value).outcome).toBe(value)
  })

  it('down removes the sub-capabilities', () => {
    expect(translate(DOWN, hello, declare({ context: {}, tools: {}, 'x-own': 1 }))).toEqual({
      outcome: declare({ 'x-own': 1 }),
      losses: [],
    })
    expect(translate(DOWN, hello, declare({ context: {}, tools: {} })).outcome).toEqual(declare({}))
  })
})

describe(rule('C-05'), () => {
  const wish = { ...ask(a), includeContext: 'thisServer' }

  it('up omits the wish for context toward a client that did not declare it', () => {
    expect(translate(UP, request, wish, { clientCapabilities: { sampling: {} } })).toEqual({
      outcome: ask(a),
      losses: ['C-05 w includeContext'],
    })
    expect(translate(UP, request, wish, { clientCapabilities: { sampling: {} } }).outcome).not.toHaveProperty(
      'includeContext',
    )
  })

  it('up keeps it where it was declared, where nothing is known of the client, and where no context is wished', () => {
    expect(translate(UP, request, wish, { clientCapabilities: { sampling: { context: {} } } }).outcome).toBe(wish)
    expect(translate(UP, request, wish).outcome).toBe(wish)
    const none = { ...wish, includeContext: 'none' }
    expect(translate(UP, request, none, { clientCapabilities: {} }).outcome).toBe(none)
  })

  it('down passes', () => {
    expect(translate(DOWN, request, wish, { clientCapabilities: {} }).outcome).toBe(wish)
  })
})
