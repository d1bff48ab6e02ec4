/** The states of a task and the ways between them, as the specification draws them. */
import type { TaskStatus } from '../../protocol/index.ts'

export const taskTransitions: Readonly<Record<TaskStatus, readonly TaskStatus[]>> = {
  working: ['input_required', 'completed', 'failed', 'cancelled'],
  input_required: ['working', 'completed', 'failed', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

const statuses = Object.keys(taskTransitions) as TaskStatus[]

export function isTerminal(status: TaskStatus): boolean {
  return taskTransitions[status].length === 0
}

export function isTaskStatus(value: unknown): value is TaskStatus {
  return typeof value === 'string' && Object.hasOwn(taskTransitions, value)
}

/** From where a task may come to a status. */
export function sourcesOf(status: TaskStatus): readonly TaskStatus[] {
  return statuses.filter((from) => taskTransitions[from].includes(status))
}
