/** Tasks of 2025-11-25. */
import fc from 'fast-check'
import { meta, type ObjectArb, open } from './shape.ts'
import { count, instant, text, word } from './values.ts'

export const taskMetadata = open({}, { ttl: count })

const taskFields = {
  taskId: word,
  status: fc.constantFrom('working', 'input_required', 'completed', 'failed', 'cancelled'),
  createdAt: instant,
  lastUpdatedAt: instant,
  ttl: fc.option(count),
}

export const task: ObjectArb = open(taskFields, { statusMessage: text, pollInterval: count })

/** Results and notifications that are a task themselves. */
export const taskBody: ObjectArb = open(taskFields, { statusMessage: text, pollInterval: count, _meta: meta })

export const createTaskResult: ObjectArb = open({ task }, { _meta: meta })
