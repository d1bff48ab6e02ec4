import { describe, expect, it } from 'vitest'
import { path, plan } from './plan.ts'
import { translate, V03, V06, V11, V24 } from './translate.fixtures.ts'
import { isVerdict } from './verdict.ts'
import { versions } from './version.ts'

describe('X1 a plan', () => {
  it('is compiled once for every pair, method, part, profile and scope', () => {
    const strict = { profile: 'strict', scope: 'body' } as const
    expect(plan(V11, V24, 'tools/list', 'result')).toBe(plan(V11, V24, 'tools/list', 'result'))
    expect(plan(V11, V24, 'tools/list', 'result', strict)).toBe(plan(V11, V24, 'tools/list', 'result', strict))
    expect(plan(V11, V24, 'tools/list', 'result', strict)).not.toBe(plan(V11, V24, 'tools/list', 'result'))
  })

  it('is undefined within one version, and where nothing is to be done', () => {
    for (const version of versions) expect(plan(version, version, 'tools/call', 'result')).toBeUndefined()
    expect(plan(V24, V03, 'tools/call', 'result')).toBeUndefined()
    expect(plan(V24, V03, 'tools/call', 'result')).toBeUndefined()
  })

  it('passes methods no version knows, as often as they come', () => {
    for (let time = 0; time < 2; time++) expect(plan(V11, V24, 'com.example/own', 'params')).toBeUndefined()
  })

  it('refuses requests and drops notifications the target does not have', () => {
    expect(translate([V11, V06], ['tasks/get', 'params'], {}).outcome).toBe('refuse -32601')
    expect(translate([V11, V06], ['notifications/tasks/status', 'params'], {}).outcome).toBe('drop')
  })

  it('makes a fresh refusal each time', () => {
    const refused = plan(V11, V06, 'tasks/get', 'params')
    const [one, other] = [refused?.({}), refused?.({})]
    expect(isVerdict(one) && isVerdict(other) && one !== other).toBe(true)
  })

  it('leaves methods to the session when only bodies are translated', () => {
    const value = { taskId: '1' }
    expect(translate([V11, V06], ['tasks/get', 'params'], value, { scope: 'body' }).outcome).toBe(value)
  })

  it('walks a list once through three steps, whatever they do to it', () => {
    const tool = (more: object) => ({ name: 't', inputSchema: { type: 'object' }, ...more })
    const full = {
      title: 'T',
      icons: [{ src: 's' }],
      outputSchema: { type: 'object' },
      execution: { taskSupport: 'optional' },
      annotations: { readOnlyHint: true },
    }
    expect(translate([V11, V24], ['tools/list', 'result'], { tools: [tool(full)] })).toEqual({
      outcome: { tools: [tool({ title: 'T', icons: [{ src: 's' }], annotations: { readOnlyHint: true } })] },
      losses: ['C-23 i tools[0].execution', 'B-05 i tools[0].outputSchema'],
    })
    expect(translate([V11, V24], ['tools/list', 'result'], { tools: [tool(full)] }, { profile: 'strict' })).toEqual({
      outcome: { tools: [tool({ description: 'T' })] },
      losses: [
        'C-23 i tools[0].execution',
        'C-20 i tools[0].icons',
        'B-05 i tools[0].outputSchema',
        'B-07 i tools[0].title',
        'A-07 i tools[0].annotations',
      ],
    })
  })

  it('ends with the verdict of the first step that has one', () => {
    const audio = { type: 'audio', data: '', mimeType: 'audio/wav' }
    const ask = (content: unknown) => ({ maxTokens: 1, messages: [{ role: 'user', content }] })
    expect(translate([V11, V24], ['sampling/createMessage', 'params'], ask([audio])).losses).toEqual(['A-05 E '])
    expect(translate([V11, V24], ['sampling/createMessage', 'params'], { ...ask(audio), tools: [] }).losses).toEqual([
      'C-03 E ',
    ])
  })
})

describe('X1 the path between two versions', () => {
  it('takes the steps in the order of travel', () => {
    const directions = (from: (typeof versions)[number], to: (typeof versions)[number]) =>
      path(from, to).map((step) => step.direction)
    expect(directions(V24, V11)).toEqual(['up', 'up', 'up'])
    expect(directions(V11, V03)).toEqual(['down', 'down'])
    expect(directions(V03, V03)).toEqual([])
  })
})
