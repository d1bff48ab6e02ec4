import fc from 'fast-check'
import type { Body } from 'parley-mcp/engine'
import { describe, expect, it } from 'vitest'
import { silentLog } from '../log/index.ts'
import { NameIndex } from './name-index.ts'
import { NameRewriter } from './name-rewriter.ts'
import { TaskIds } from './task-ids.ts'

const server = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/)

function wordsOf(name: string): { words: NameRewriter; tasks: TaskIds } {
  const tasks = new TaskIds()
  return { words: new NameRewriter(name, new NameIndex(silentLog, () => {}), tasks), tasks }
}

describe('F8 ids of tasks', () => {
  it('law: the public id leads back to its server and its own id, whatever that is', () => {
    fc.assert(
      fc.property(server, fc.string(), (name, own) => {
        const ids = new TaskIds()
        expect(ids.route(ids.publicId(name, own))).toEqual({ server: name, taskId: own })
      }),
    )
  })

  it('law: no two tasks have the same public id', () => {
    fc.assert(
      fc.property(server, fc.string(), server, fc.string(), (one, own, other, others) => {
        const ids = new TaskIds()
        expect(ids.publicId(one, own) === ids.publicId(other, others)).toBe(one === other && own === others)
      }),
    )
  })

  it('those the gateway gave itself stay as they are, until their server is gone', () => {
    const ids = new TaskIds()
    ids.hold('uuid', 'a')
    expect(ids.publicId('a', 'uuid')).toBe('uuid')
    expect(ids.publicId('b', 'uuid')).toBe('b/uuid')
    expect(ids.route('uuid')).toEqual({ server: 'a', taskId: 'uuid' })
    ids.forget('a')
    expect(ids.route('uuid')).toBeUndefined()
  })

  it('remembers a bounded number of its own', () => {
    const ids = new TaskIds()
    for (let count = 0; count <= 100_000; count++) ids.hold(`t${count}`, 'a')
    expect(ids.route('t0')).toBeUndefined()
    expect(ids.route('t1')).toEqual({ server: 'a', taskId: 't1' })
  })
})

describe('G what a server says', () => {
  it.each<[string, Body]>([
    [
      'tools/call',
      { content: [{ type: 'text', text: 'x' }], structuredContent: { uri: 'a:b', taskId: '1' }, taskId: 'not a task' },
    ],
    ['tools/call', { content: 'nonsense' }],
    ['prompts/get', { messages: [{ role: 'user', content: { type: 'text', text: 'x' } }, null] }],
    ['tasks/result', { content: [{ type: 'image', data: '', mimeType: 'image/png' }] }],
    ['completion/complete', { completion: { values: [] } }],
  ])('is handed on as it is where nothing in it leads anywhere: %s %j', (method, result) => {
    expect(wordsOf('a').words.result(method, result)).toBe(result)
  })

  it.each<[Body, Body]>([
    [
      { level: 'info', data: { logger: 'x' } },
      { level: 'info', data: { logger: 'x' }, logger: 'a' },
    ],
    [
      { level: 'info', logger: 'db', data: 1 },
      { level: 'info', logger: 'a/db', data: 1 },
    ],
  ])('in its log says whose it is, and is otherwise untouched: %j', (params, told) => {
    expect(wordsOf('a').words.told('notifications/message', params)).toEqual(told)
  })

  it('about a task it asks for names the task by its public id', () => {
    const params = { message: 'Who?', _meta: { other: 1, 'io.modelcontextprotocol/related-task': { taskId: '7' } } }
    expect(wordsOf('a').words.told('elicitation/create', params)).toEqual({
      message: 'Who?',
      _meta: { other: 1, 'io.modelcontextprotocol/related-task': { taskId: 'a/7' } },
    })
  })
})
