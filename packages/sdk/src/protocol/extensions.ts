/** Extensions of the protocol that Parley knows by name, and the methods that belong to them. */

/** What took over the tasks of 2025-11-25. */
export const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks'

/** The key in `_meta` of 2025-11-25 that names the task a message belongs to. */
export const RELATED_TASK = 'io.modelcontextprotocol/related-task'

/** Skills over resources (SEP-2640). */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills'

/**
 * Extensions whose methods only a client may use that declares them itself; the others just need a server that does.
 */
export const mutualExtensions: ReadonlySet<string> = new Set([TASKS_EXTENSION])

/** Methods that are there only where their extension was declared. */
export const extensionMethods: ReadonlyMap<string, string> = new Map([
  ['tasks/get', TASKS_EXTENSION],
  ['tasks/update', TASKS_EXTENSION],
  ['tasks/cancel', TASKS_EXTENSION],
  ['skills/list', SKILLS_EXTENSION],
  ['skills/get', SKILLS_EXTENSION],
  ['resources/directory/read', SKILLS_EXTENSION],
])
