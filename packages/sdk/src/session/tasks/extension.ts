/** Tasks as the extension `io.modelcontextprotocol/tasks` shows them: flat, and with what came of them inside (D7). */
import type { Body } from '../../jsonrpc/index.ts'

import type { TaskOutcome, TaskRecord } from '../../stores/index.ts'
import { createTaskResultToExtension, detailedTask, eraOf, taskToExtension } from '../../versions/index.ts'
import type { Inbound } from '../endpoint.ts'
import { viewOf } from './view.ts'

/** Whether the request speaks of tasks as the extension does. */
export function usesExtension({ caller }: Pick<Inbound, 'caller'>): boolean {
  return eraOf(caller.version) === 'stateless'
}

/** The answer to a request that has become a task. */
export function createdOf(record: TaskRecord): Body {
  return createTaskResultToExtension({ task: viewOf(record) })
}

const UNKNOWN_END: TaskOutcome = {
  error: { code: -32603, message: 'Nothing was written down about the end of the task' },
}

/** The task and, by its status, its result, its error or its open questions. */
export function detailOf(record: TaskRecord): Body {
  const { status, outcome = UNKNOWN_END, questions = {} } = record
  const task = viewOf(record)
  if (status === 'completed' || status === 'failed') return detailedTask(task, outcome as never)
  return status === 'input_required' ? { ...taskToExtension(task), inputRequests: questions } : taskToExtension(task)
}
