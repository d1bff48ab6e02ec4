import { describe, expect, it } from 'vitest'
import { rule } from '../../rule-tests.fixtures.ts'
import { flaw, haveSchemas } from '../official-schemas.fixtures.ts'
import {
  createTaskResultFromExtension,
  createTaskResultToExtension,
  detailedTask,
  isCreateTaskResult,
  outcomeOf,
  statusFromExtension,
  taskFromExtension,
  taskToExtension,
} from './tasks-shape.ts'

const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:01Z' }
const core = { taskId: 't', status: 'working', ...times, ttl: 60_000, pollInterval: 500, statusMessage: 'half' }
const extended = { taskId: 't', status: 'working', ...times, ttlMs: 60_000, pollIntervalMs: 500, statusMessage: 'half' }
const answer = { content: [{ type: 'text', text: 'x' }] }
const failure = { content: [{ type: 'text', text: 'x' }], isError: true }

describe(rule('D-21'), () => {
  it('up and down a bare task changes the names of its durations only', () => {
    expect(taskToExtension(core)).toEqual(extended)
    expect(taskFromExtension(extended)).toEqual(core)
    expect(taskFromExtension(taskToExtension({ ...core, ttl: null, extra: 1 }))).toEqual({
      ...core,
      ttl: null,
      extra: 1,
    })
  })
  it('up the answer that a task was created is flat', () => {
    expect(createTaskResultToExtension({ task: core, _meta: { a: 1 } })).toEqual({
      ...extended,
      _meta: { a: 1 },
      resultType: 'task',
    })
  })
  it('down the answer that a task was created is nested', () => {
    expect(createTaskResultFromExtension({ ...extended, resultType: 'task' })).toEqual({ task: core })
    expect(createTaskResultFromExtension(createTaskResultToExtension({ task: core, _meta: { a: 1 } }))).toEqual({
      task: core,
      _meta: { a: 1 },
    })
  })
  it('up a failed tool is a completed task, a failed request a failed one', () => {
    const failed = { ...core, status: 'failed' }
    expect(detailedTask(failed, { result: failure })).toEqual({ ...extended, status: 'completed', result: failure })
    expect(detailedTask(failed, { error: { code: -32603, message: 'm' } })).toEqual({
      ...extended,
      status: 'failed',
      error: { code: -32603, message: 'm' },
    })
    expect(detailedTask(core)).toEqual(extended)
  })
  it('down a completed task whose tool reported an error has failed', () => {
    expect(taskFromExtension({ ...extended, status: 'completed', result: failure })).toEqual({
      ...core,
      status: 'failed',
    })
    expect(taskFromExtension({ ...extended, status: 'completed', result: answer })).toEqual({
      ...core,
      status: 'completed',
    })
    expect(statusFromExtension({ status: 'cancelled' })).toBe('cancelled')
  })
  it('down removes what is shown inline, and a missing lifetime is unlimited', () => {
    expect(
      taskFromExtension({
        ...extended,
        status: 'input_required',
        inputRequests: {},
        resultType: 'complete',
        _meta: {},
      }),
    ).toEqual({
      ...core,
      status: 'input_required',
    })
    expect(taskFromExtension({ taskId: 't', status: 'working', ...times })).toEqual({
      taskId: 't',
      status: 'working',
      ...times,
      ttl: null,
    })
  })
  it('down tells the outcome once there is one', () => {
    expect(outcomeOf({ ...extended, status: 'completed', result: { ...answer, resultType: 'complete' } })).toEqual({
      result: answer,
    })
    expect(outcomeOf({ ...extended, status: 'failed', error: { code: 1, message: 'm' } })).toEqual({
      error: { code: 1, message: 'm' },
    })
    expect([outcomeOf(extended), outcomeOf({ status: 'cancelled' }), outcomeOf({ status: 'failed' })]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
  it('up tells an answer that is a task from one that has a field of that name', () => {
    expect([
      isCreateTaskResult({ task: core }),
      isCreateTaskResult({ task: core, content: [] }),
      isCreateTaskResult({ task: 'x' }),
      isCreateTaskResult({}),
    ]).toEqual([true, false, false, false])
  })
  it.skipIf(!haveSchemas)('up and down the official schemas accept it', () => {
    expect(
      flaw('2025-11-25', 'CreateTaskResult', createTaskResultFromExtension({ ...extended, resultType: 'task' })),
    ).toBeUndefined()
    expect(
      flaw(
        '2025-11-25',
        'Task',
        taskFromExtension({ taskId: 't', status: 'completed', ...times, ttlMs: null, result: failure }),
      ),
    ).toBeUndefined()
    expect(flaw('tasks-extension', 'CreateTaskResult', createTaskResultToExtension({ task: core }))).toBeUndefined()
    for (const detailed of [
      detailedTask(core),
      detailedTask(core, { result: failure }),
      detailedTask(core, { error: { code: 1, message: 'm' } }),
    ]) {
      expect(flaw('tasks-extension', 'DetailedTask', detailed)).toBeUndefined()
    }
  })
})
