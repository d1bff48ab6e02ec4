/** Tasks as 2025-11-25 has them, taken out for peers without (C-23, C-24). */
import { isObject } from '../../../jsonrpc/index.ts'
import type { MethodInfo } from '../../../protocol/index.ts'
import { notification, request } from '../../../protocol/index.ts'
import { refuseResult } from '../../gap.ts'
import type { Edit } from '../../operation.ts'

/** Either side may run the other's requests as tasks: the receiver declares it, and announces the states of its own. */
export const taskMethods: readonly MethodInfo[] = [
  request('tasks/get', 'both', { client: 'server.tasks', server: 'client.tasks' }),
  request('tasks/result', 'both', { client: 'server.tasks', server: 'client.tasks' }),
  request('tasks/list', 'both', { client: 'server.tasks.list', server: 'client.tasks.list' }),
  request('tasks/cancel', 'both', { client: 'server.tasks.cancel', server: 'client.tasks.cancel' }),
  notification('notifications/tasks/status', 'both', { client: 'client.tasks', server: 'server.tasks' }),
]

/** `CreateTaskResult` in place of the result of the method, of which `field` is a required part. */
export const refuseTaskInsteadOf =
  (field: string): Edit =>
  (result, context) =>
    isObject(result['task']) && result[field] === undefined
      ? refuseResult(
          context,
          'the request was answered with a task, which protocol 2025-06-18 and older does not have',
          'C-24',
        )
      : result
