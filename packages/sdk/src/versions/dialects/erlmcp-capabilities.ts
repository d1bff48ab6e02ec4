/**
 * What both sides declare: erlmcp clients name what they want of the server, and a server offers no more than that (D).
 */
import { type Body, isObject } from '../../jsonrpc/index.ts'
import { declares } from '../../protocol/index.ts'

/** Everything a server of the dialect may offer; clients of the specification do not declare it, but can use it. */
export const wanted: Body = {
  resources: { subscribe: true, listChanged: true },
  tools: { listChanged: true },
  prompts: { listChanged: true },
  logging: {},
  completions: {},
  tasks: {},
}

/** What of it can never be a capability of a client. */
export const ofServers: readonly string[] = ['resources', 'tools', 'prompts', 'logging', 'completions']

const TASKS: Body = { list: {}, cancel: {}, requests: { tools: { call: {} } } }

/** A capability may be written `true`. */
export function flagsToObjects(capabilities: Body): Body {
  const entries = Object.entries(capabilities)
  if (entries.every(([, value]) => typeof value !== 'boolean' && value !== null)) return capabilities
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== false && value !== null)
      .map(([name, value]) => [name, value === true ? {} : value]),
  )
}

/** A client's wish for tasks of the server is no promise to run tasks itself. */
export function clientTasks(capabilities: Body): Body {
  const { tasks, ...rest } = capabilities
  return tasks === undefined || (isObject(tasks) && tasks['requests'] !== undefined) ? capabilities : rest
}

/** Servers of the dialect run tool calls as tasks, list them and cancel them, or have no tasks. */
export function serverTasks(capabilities: Body): Body {
  const { tasks } = capabilities
  return isObject(tasks) && tasks['requests'] === undefined
    ? { ...capabilities, tasks: { ...TASKS, ...tasks } }
    : capabilities
}

/** Where tool calls do not run as tasks, there are no tasks a client of the dialect could begin. */
export function beginnableTasks(capabilities: Body): Body {
  const { tasks, ...rest } = capabilities
  return tasks === undefined || declares(capabilities, 'tasks.requests.tools.call') ? capabilities : rest
}
