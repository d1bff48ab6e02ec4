/** What a client sees of a server, as data to compare: its lists, and what becomes of calls, reads and prompts. */
import { within } from '../within.js'

const PATIENCE = 15_000
const MOST_PAGES = 20
const UNKNOWN = 'no_such_tool_here'

/** Lists, what the client calls them, and what each entry goes by. */
const LISTS = {
  tools: { method: 'listTools', key: 'name' },
  prompts: { method: 'listPrompts', key: 'name' },
  resources: { method: 'listResources', key: 'uri' },
  resourceTemplates: { method: 'listResourceTemplates', key: 'uriTemplate' },
}
const CAPABILITY = { resourceTemplates: 'resources' }

/** An error without what some clients write before its message: its code, or the list that they cannot read. */
function failure({ code, message }) {
  const words = String(message).replace(/^(?:MCP error -?\d+: |Invalid result for [\w/]+: )+/, '')
  return { error: { code: typeof code === 'number' ? code : 'none', message: words } }
}

async function outcomeOf(work) {
  try {
    return { result: await within(PATIENCE, work) }
  } catch (error) {
    return failure(error)
  }
}

async function pagesOf(client, method, list) {
  const entries = []
  let cursor
  for (let page = 0; page < MOST_PAGES; page++) {
    const { [list]: found = [], nextCursor } = await client[method](cursor === undefined ? {} : { cursor })
    entries.push(...found)
    if (nextCursor === undefined) return entries
    cursor = nextCursor
  }
  return entries
}

/** Entries of all lists, or the error of a list. Lists that the server does not declare are not asked for. */
export async function observeLists({ client }) {
  const declared = client.getServerCapabilities() ?? {}
  const lists = {}
  for (const [list, { method }] of Object.entries(LISTS)) {
    if (declared[CAPABILITY[list] ?? list] === undefined) lists[list] = []
    else {
      const { result, error } = await outcomeOf(pagesOf(client, method, list))
      lists[list] = result ?? { error }
    }
  }
  return lists
}

/** By key, so that order and neighbours do not matter. */
export const byKey = (list, entries) =>
  Array.isArray(entries)
    ? { entries: Object.fromEntries(entries.map((entry) => [entry[LISTS[list].key], entry])) }
    : entries

/** `named` and `located` say what a tool, a prompt or a resource is called where this client is. */
export async function observeCalls(
  { client, callTool },
  plan,
  { named = (name) => name, located = (uri) => uri } = {},
) {
  const call = ({ name, ...rest }) => outcomeOf(callTool({ name: named(name), ...rest }))
  const seen = { unknown: await call({ name: UNKNOWN, arguments: {} }), calls: {}, reads: {}, prompts: {} }
  if (plan.invalid !== undefined) seen.invalid = await call(plan.invalid)
  for (const each of plan.calls) seen.calls[each.name] = await call(each)
  for (const uri of plan.reads) seen.reads[uri] = await outcomeOf(client.readResource({ uri: located(uri) }))
  for (const each of plan.prompts)
    seen.prompts[each.name] = await outcomeOf(client.getPrompt({ ...each, name: named(each.name) }))
  return seen
}
