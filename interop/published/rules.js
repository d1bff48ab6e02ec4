/**
 * Differences that are meant to be there: what differs, in which versions and ways, and where that is written down.
 * They follow the rules of translation and the manual. A difference that none of them covers is a failure.
 */

const STATELESS = '2026-07-28'
const INFO = 'io.modelcontextprotocol/serverInfo'
const RESULT = '/(?:unknown|invalid|(?:calls|reads|prompts)/.*)/result'

/** How a page of an app is shown at `/mcp`. */
export const appUri = (server, uri) => uri.replace(/^ui:\/\//, `ui://${server}+`)

const isEmpty = (value) => typeof value === 'object' && value !== null && Object.keys(value).length === 0
const isGone = ({ seen }) => seen === undefined
const isNew = ({ direct }) => direct === undefined

/** What a client without Parley is told of the list that a path is in. */
const directList = ({ path }, { expected }) => expected.lists[path.split('/')[2]]

const METHODS = {
  tools: 'tools/list',
  prompts: 'prompts/list',
  resources: 'resources/list',
  resourceTemplates: 'resources/templates/list',
}

/** Whether the log says so of this definition, or of some in a list that the client refuses directly. */
function isLogged(difference, at) {
  const [, , list, , ...key] = difference.path.split('/')
  const said = at.log
    .split('\n')
    .filter((line) => line.includes(`${at.name}: ${METHODS[list]}: `) && / (?:mended|left out)\b/.test(line))
  const named = said.flatMap((line) => [...line.matchAll(/"([^"]+)"/g)].map(([, word]) => word))
  return (
    said.length > 0 &&
    (directList(difference, at).error !== undefined || named.some((word) => `${key.join('/')}/`.startsWith(`${word}/`)))
  )
}

/** Structured content of the call that a path is in, as the server gives it. */
const structuredOf = ({ path }, { expected }) =>
  expected.calls[/^\/calls\/(.*)\/result\//.exec(path)?.[1]]?.result?.structuredContent

/** JSON that has the same members: what varies from call to call does not matter here. */
function isTextOf(structured, { type, text } = {}) {
  if (type !== 'text' || structured === undefined) return false
  try {
    return Object.keys(JSON.parse(text)).join() === Object.keys(structured).join()
  } catch {
    return false
  }
}

/**
 * `client`: the versions of clients that it is about. `when` gets the difference and where it was met.
 * The first rule that holds explains a difference.
 */
export const RULES = [
  {
    id: 'B-05',
    what: 'tools have no output schema for clients before 2025-06-18',
    link: 'docs/translation.md#structured-tool-output',
    client: (version) => version < '2025-06-18',
    path: /^\/lists\/tools\/entries\/.*\/outputSchema$/,
    when: isGone,
  },
  {
    id: 'B-04',
    what: 'structured content arrives as JSON text for clients before 2025-06-18',
    link: 'docs/translation.md#structured-tool-output',
    client: (version) => version < '2025-06-18',
    path: /^\/calls\/.*\/result\/(?:structuredContent|content\/\d+)$/,
    when: (difference, at) =>
      difference.path.endsWith('/structuredContent')
        ? isGone(difference)
        : isNew(difference) && isTextOf(structuredOf(difference, at), difference.seen),
  },
  {
    id: 'C-23',
    what: 'tools do not say whether they run as tasks to clients before 2025-11-25',
    link: 'docs/translation.md#tools-that-run-as-tasks',
    client: (version) => version < '2025-11-25',
    path: /^\/lists\/tools\/entries\/.*\/execution$/,
    when: isGone,
  },
  {
    id: 'D-47',
    what: 'tools do not say whether they run as tasks to clients of 2026-07-28',
    link: 'docs/translation.md#tasks-leave-the-core',
    client: (version) => version === STATELESS,
    path: /^\/lists\/tools\/entries\/.*\/execution$/,
    when: isGone,
  },
  {
    id: 'D-03',
    what: 'results carry the name of the server for clients of 2026-07-28',
    link: 'docs/translation.md#result-envelope',
    client: (version) => version === STATELESS,
    path: new RegExp(`^${RESULT}/_meta(?:/${INFO}(?:/.*)?)?$`),
    when: ({ path, direct, seen }, { way }) =>
      path.endsWith('/_meta')
        ? direct === undefined && Object.keys(seen).join() === INFO
        : direct === undefined || way === 'all',
  },
  {
    id: 'D-42',
    what: 'readings say how long they may be kept for clients of 2026-07-28',
    link: 'docs/translation.md#cache-hints',
    client: (version) => version === STATELESS,
    path: /^\/reads\/.*\/result\/(?:ttlMs|cacheScope)$/,
    when: isNew,
  },
  {
    id: 'R-01',
    what: 'a list that the client refuses is readable: the log says which definitions were mended or left out',
    link: 'docs/translation.md#within-every-version',
    path: /^\/lists\/\w+\/(?:error|entries)(?:\/.*)?$/,
    when: isLogged,
  },
  {
    id: 'R-02',
    what: 'a list that the server declares and does not know is empty',
    link: 'docs/translation.md#within-every-version',
    path: /^\/lists\/\w+\/(?:error|entries)$/,
    when: (difference, at) =>
      directList(difference, at).error?.code === -32601 && (isGone(difference) || isEmpty(difference.seen)),
  },
  {
    id: 'names',
    what: 'at /mcp the name of a tool begins with the name of its server, in error messages too',
    link: 'docs/gateway.md#names-and-uris',
    ways: ['all'],
    path: /^\/unknown\/(?:error\/message|result\/content\/0\/text)$/,
    when: ({ direct, seen }, { name }) => typeof seen === 'string' && seen.replaceAll(`${name}__`, '') === direct,
  },
  {
    id: 'uris',
    what: 'at /mcp the second of two resources with the same URI is shown under another one',
    link: 'docs/gateway.md#names-and-uris',
    ways: ['all'],
    path: /^\/reads\/.*\/result\/contents\/\d+\/uri$/,
    when: ({ direct, seen }, { name }) =>
      typeof seen === 'string' && typeof direct === 'string' && seen.includes(`/${name}/`),
  },
  {
    id: 'apps',
    what: 'at /mcp the URI of an app page has the name of its server in it',
    link: 'docs/apps.md',
    ways: ['all'],
    path: /\/(?:_meta\/ui\/resourceUri|uri)$/,
    when: ({ direct, seen }, { name }) =>
      typeof direct === 'string' && direct.startsWith('ui://') && seen === appUri(name, direct),
  },
]

/** `at`: version of the client, way, name of the server there, log, and what the direct client sees (`expected`). */
export function ruleFor(difference, at) {
  return RULES.find(
    ({ client, ways, path, when }) =>
      (client?.(at.client) ?? true) &&
      (ways?.includes(at.way) ?? true) &&
      path.test(difference.path) &&
      when(difference, at),
  )
}
