/** The stages that show the tools of a server as its configuration says, and call them by their names at the server. */
import { eraOf, type Tool } from 'parley-mcp'
import { type Answer, type Body, declaresExtension, Serialised, type Stage, TASKS_EXTENSION } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import type { Call } from '../call.ts'

/** Where changed definitions are blocked, the list of tools was read before the call. */
export const nameTool: Stage<Call> = (call, next) => {
  const { tools } = call.site.upstream
  const name = call.params['name']
  if (typeof name !== 'string' || !tools.changesLists) return next(call)
  return tools.seen().then(() => {
    const own = tools.toServer(name)
    if (own !== name) call.params = { ...call.params, name: own }
    return next(call)
  })
}

export const showTools: Stage<Call> = (call, next) => {
  const show = shownTools(call)
  if (show === undefined) return next(call)
  const shown = (answer: Answer): Answer => (answer instanceof Serialised ? answer : show(answer as Body))
  const answer = next(call)
  return answer instanceof Promise ? answer.then(shown) : shown(answer)
}

/** What is made of a list of tools for this client; `undefined` where it is shown as it came. */
export function shownTools({ method, caller, site: { upstream }, isToStateless }: Call): Show | undefined {
  if (method !== 'tools/list') return undefined
  if (eraOf(caller.version) === 'stateless') {
    return isToStateless || upstream.era === 'stateless' ? changedBy(upstream) : changedBy(upstream, withoutExecution)
  }
  return showsToHandshake(upstream)
    ? changedBy(upstream, decidesOnTasks(upstream) ? withExecution : undefined)
    : undefined
}

type Show = (result: Body) => Body

/** Whether a client that shook hands sees other tools than the server lists. */
export function showsToHandshake(upstream: Upstream): boolean {
  return upstream.tools.changesLists || decidesOnTasks(upstream)
}

/** The catalogue of tools also takes note of what the list says. */
function changedBy({ tools }: Upstream, change?: (tool: Tool) => Tool): Show {
  return (result) => {
    const { tools: listed } = result
    if (!Array.isArray(listed)) return result
    const shown = tools.shown(listed as Tool[])
    const changed = change === undefined ? shown : shown.map(change)
    return changed === listed ? result : { ...result, tools: [...changed] }
  }
}

// D-47: 2025-11-25 says with each tool whether its calls may run as tasks. Since 2026-07-28 the server decides that
// call by call.

/** Whether calls of its tools may run as tasks though its lists do not say so. */
export function decidesOnTasks({ era, introduction }: Upstream): boolean {
  return era === 'stateless' && declaresExtension(introduction?.capabilities ?? {}, TASKS_EXTENSION)
}

/** For clients that shook hands: the gateway can run any call as a task. */
export function withExecution(tool: Tool): Tool {
  return tool.execution === undefined ? { ...tool, execution: { taskSupport: 'optional' } } : tool
}

export function withoutExecution(tool: Tool): Tool {
  if (tool.execution === undefined) return tool
  const { execution: _, ...rest } = tool
  return rest
}
