import { describe, expect, it } from 'vitest'
import { ClientLimit } from '../limits/index.ts'
import { createPipeline } from './pipeline.ts'

const pipeline = createPipeline({ clients: new ClientLimit({ limit: undefined }) })

const names = (...args: Parameters<typeof pipeline.stagesFor>) => pipeline.stagesFor(...args).map(({ run }) => run.name)

describe('the stages of a call', () => {
  it('of a client that shook hands, to a server of its era', () => {
    expect(names('tools/call', 'handshake', 'handshake')).toEqual([
      'limitClient',
      'converse',
      'nameTool',
      'runTasks',
      'settle',
      'limitServer',
      'queue',
    ])
  })

  it('of a client without a session, to a server that shakes hands', () => {
    expect(names('tools/call', 'stateless', 'handshake')).toEqual([
      'limitClient',
      'logClient',
      'requireServer',
      'converse',
      'retryAfterLinks',
      'takeTurns',
      'nameTool',
      'runTasks',
      'settle',
      'visitLinks',
      'limitServer',
      'queue',
    ])
  })

  it('of a list that may be cached', () => {
    expect(names('tools/list', 'handshake', 'stateless')).toEqual([
      'limitClient',
      'cache',
      'converse',
      'keepResult',
      'settle',
      'recallList',
      'showTools',
      'limitServer',
      'queue',
    ])
  })

  it('of a request about a task, and of a method that no stage names', () => {
    expect(names('tasks/get', 'handshake', 'handshake')).toContain('runTasks')
    expect(names('com.example/method', 'handshake', 'handshake')).toEqual([
      'limitClient',
      'converse',
      'settle',
      'limitServer',
      'queue',
    ])
  })

  it('at the address of all servers', () => {
    expect(names('tools/call', 'stateless', 'stateless', 'all')).toEqual([
      'limitClient',
      'logClient',
      'refuseLoops',
      'route',
      'rename',
      'requireServer',
      'converse',
      'nameTool',
      'runTasks',
      'settle',
      'limitServer',
      'queue',
    ])
    expect(names('tools/list', 'handshake', 'handshake', 'all').slice(0, 3)).toEqual([
      'limitClient',
      'refuseLoops',
      'mergeLists',
    ])
  })

  it('of a request of the gateway for a list of all servers', () => {
    expect(names('tools/list', 'stateless', 'handshake', 'part')).toEqual([
      'requireServer',
      'cache',
      'converse',
      'settle',
      'visitLinks',
      'recallList',
      'showTools',
      'limitServer',
      'queue',
    ])
    expect(names('tasks/list', 'handshake', 'handshake', 'part')).toContain('runTasks')
  })
})
