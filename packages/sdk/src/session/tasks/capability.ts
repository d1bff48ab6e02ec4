/** Which requests can run as tasks, and what must be declared for it. */
import { declares } from '../../protocol/index.ts'
import { type ProtocolVersion, supports } from '../../versions/index.ts'
import type { SessionView } from '../session-view.ts'

/** By method, below the capabilities of its receiver. */
const TASK_CAPABILITIES: Readonly<Record<string, string>> = {
  'tools/call': 'tasks.requests.tools.call',
  'sampling/createMessage': 'tasks.requests.sampling.createMessage',
  'elicitation/create': 'tasks.requests.elicitation.create',
}

/** Whether the peer runs this request of ours as a task. */
export function peerRunsTasks(session: SessionView, method: string): boolean {
  const path = TASK_CAPABILITIES[method]
  return path !== undefined && session.can('tasks/result') && session.hasPeerCapability(path)
}

/** Whether we said that we run this request of the peer as a task; if not, its wish is ignored (C-24). */
export function runsTasks(session: SessionView, method: string): boolean {
  const path = TASK_CAPABILITIES[method]
  return (
    path !== undefined &&
    supports(session.version as ProtocolVersion, 'tasks') &&
    declares(session.self.capabilities, path)
  )
}
