import { describe, expect, it } from 'vitest'
import { pipeline } from './pipeline.ts'

const names = (...args: Parameters<typeof pipeline.stagesFor>) => pipeline.stagesFor(...args).map(({ run }) => run.name)

describe('the stages of a call', () => {
  it('of a client that shook hands, to a server of its era', () => {
    expect(names('tools/call', 'handshake', 'handshake')).toEqual([
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

  it('of a list that may be kept', () => {
    expect(names('tools/list', 'handshake', 'stateless')).toEqual([
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

  it('of a question about a task, and of a method that no stage names', () => {
    expect(names('tasks/get', 'handshake', 'handshake')).toContain('runTasks')
    expect(names('com.example/method', 'handshake', 'handshake')).toEqual([
      'converse',
      'settle',
      'limitServer',
      'queue',
    ])
  })
})
