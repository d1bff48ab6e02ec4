/** Which task a message belongs to: a key in its `_meta` (C-25). */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { RELATED_TASK } from '../../protocol/index.ts'
import { withMetadata } from '../metadata.ts'

/** Params or a result, marked as part of the task. */
export function relatedTo(taskId: string, body: Body | undefined): Body {
  return withMetadata(body, { [RELATED_TASK]: { taskId } })
}

/** The task that params or a result say they belong to. */
export function relatedTaskOf(body: Body): string | undefined {
  const meta = body['_meta'] as Body | null | undefined
  const related = meta === undefined || meta === null ? undefined : meta[RELATED_TASK]
  return isObject(related) && typeof related['taskId'] === 'string' ? related['taskId'] : undefined
}
