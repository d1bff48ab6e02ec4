/** How a task ends, and what its requestor gets as the result. */
import { fromWire, ParleyError } from '../../errors/index.ts'
import { type Body, isObject, Serialised } from '../../jsonrpc/index.ts'
import type { TaskChange, TaskRecord } from '../../stores/index.ts'
import type { ProtocolVersion } from '../../versions/index.ts'
import type { Answer } from '../endpoint.ts'
import type { SessionView } from '../session-view.ts'
import { relatedTo } from './related.ts'

export type Ending = Omit<TaskChange, 'updatedAt'>

const MAX_MESSAGE = 500

export function failureOf(error: ParleyError, version: ProtocolVersion): Ending {
  return {
    status: 'failed',
    statusMessage: error.message.slice(0, MAX_MESSAGE),
    outcome: { error: error.toWire(version) },
  }
}

export function endingOf(method: string, result: Body): Ending {
  if (method !== 'tools/call' || result['isError'] !== true) return { status: 'completed', outcome: { result } }
  return { status: 'failed', statusMessage: firstText(result['content']), outcome: { result } }
}

function firstText(content: unknown): string {
  const block: unknown = Array.isArray(content)
    ? content.find((each) => isObject(each) && each['type'] === 'text')
    : undefined
  return isObject(block) && typeof block['text'] === 'string' ? block['text'].slice(0, MAX_MESSAGE) : 'The tool failed'
}

/** The result as JSON: a copy that later changes cannot reach. */
export function asJson(result: Answer): Body {
  return JSON.parse(result instanceof Serialised ? result.json : JSON.stringify(result)) as Body
}

/** The result that the request itself would have had. */
export function resultOf({ taskId, method, params, outcome }: TaskRecord, session: SessionView): Body {
  if (outcome === undefined) throw new ParleyError('internal_error', { message: 'The task has no result' })
  if ('error' in outcome) throw fromWire(outcome.error)
  return relatedTo(taskId, session.translateResult(method, outcome.result, params))
}
