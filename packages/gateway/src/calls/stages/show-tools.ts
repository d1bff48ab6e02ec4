/** The stages that apply the configuration of tools: which tools clients see, and under which names. */
import { eraOf, type Tool } from 'parley-mcp'
import { type Answer, type Body, declaresExtension, Serialised, type Stage, TASKS_EXTENSION } from 'parley-mcp/engine'
import type { Upstream } from '../../upstream/index.ts'
import type { Call } from '../call.ts'

/** Puts in the tool's name at the server. Reads the list first, because changed definitions may be blocked. */
export const nameTool: Stage<Call> = (call, next) => {
  const { tools } = call.site.upstream
  const name = call.params['name']
  if (typeof name !== 'string' || !tools.changesLists) return next(call)
  return tools.readOnce().then(() => {
    const own = tools.toServer(name)
    return next(own === name ? call : call.withParams({ ...call.params, name: own }))
  })
}

/** Shows clients the tools that the configuration allows. */
export const showTools: Stage<Call> = (call, next) => {
  const show = shownTools(call)
  if (show === undefined) return next(call)
  const shown = (answer: Answer): Answer => (answer instanceof Serialised ? answer : show(answer as Body))
  const answer = next(call)
  return answer instanceof Promise ? answer.then(shown) : shown(answer)
}

/** Changes a list of tools for this client. `undefined`: the client gets the list as it is. */
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

/** Whether a client that shook hands gets a changed list of tools. */
export function showsToHandshake(upstream: Upstream): boolean {
  return upstream.tools.changesLists || decidesOnTasks(upstream)
}

/** The catalogue also remembers the listed tools. */
function changedBy({ tools }: Upstream, change?: (tool: Tool) => Tool): Show {
  return (result) => {
    const { tools: listed } = result
    if (!Array.isArray(listed)) return result
    const shown = tools.shown(listed as Tool[])
    const changed = change === undefined ? shown : shown.map(change)
    return changed === listed ? result : { ...result, tools: [...changed] }
  }
}

// D-47: in 2025-11-25 each tool says whether its calls may run as tasks. In 2026-07-28 the server decides for each
// call.

/** Whether calls of its tools may run as tasks, though its lists do not say so. */
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
