/**
 * What is to become of every probe between a client and a server of any versions with the gateway between them. It is
 * written down from the rules of translation, whose ids are given, and never from what was seen: what is seen has to be
 * this.
 */

/** It works, in another form. */
const degraded = (rules, what) => ({ verdict: 'degraded', rules, what })
/** It cannot work, and the error says so and names the version. */
const refused = (rules, what) => ({ verdict: 'refused', rules, what })
/** There is nothing to try: what the server's or the client's library does not have. */
const absent = (what) => ({ verdict: 'n/a', what })

const NO_FORMS = refused(
  'B-02',
  'clients before 2025-06-18 cannot be asked for the user; the tool that asks fails and says so',
)
const TOLD_NOTHING = 'a tool that runs as a task only is listed like any other'
const ONLY_TO_ABLE = 'server-everything has this tool only for clients that can answer its question'

/**
 * For each probe the cases in which it is not plainly `ok`; the first that holds decides. `client` and `server` are the
 * versions it is about: `<` a version, `>=` a version, or that version; `of` names a peer that is different from
 * others.
 */
export const EXPECTATIONS = {
  agree: [],
  list: [],
  call: [],
  header: [{ of: 'server-everything', ...absent('server-everything has no tool with an argument for a header') }],
  structured: [
    { server: '<2025-06-18', ...absent('servers before 2025-06-18 have no structured content') },
    {
      client: '<2025-06-18',
      ...degraded(
        'B-04 B-05',
        'structured content arrives as JSON text, and the tool is listed without its output schema',
      ),
    },
  ],
  audio: [
    { of: 'server-everything', ...absent('server-everything has no sound') },
    { server: '<2025-03-26', ...absent('servers before 2025-03-26 have no audio') },
    {
      client: '<2025-03-26',
      ...degraded('A-04', 'a sound arrives as a line of text and an embedded resource that has all its bytes'),
    },
  ],
  link: [
    { server: '<2025-06-18', ...absent('servers before 2025-06-18 have no resource links') },
    { client: '<2025-06-18', ...degraded('B-06', 'a link to a resource arrives as text with its name and address') },
  ],
  error: [],
  unknown: [],
  progress: [],
  cancel: [
    { of: 'server-everything', ...absent('the long operations of server-everything do not listen for cancellation') },
  ],
  read: [],
  missing: [],
  subscribe: [],
  list_changed: [],
  prompt: [],
  complete: [],
  logging: [
    {
      of: 'server-everything',
      client: '2026-07-28',
      ...degraded('D-28', 'log lines that belong to no request are dropped: 2026-07-28 has no place for them'),
    },
  ],
  sampling: [],
  elicitation: [
    { of: 'server-everything', client: '<2025-06-18', ...absent(ONLY_TO_ABLE) },
    { server: '<2025-06-18', ...absent('servers before 2025-06-18 cannot ask the user') },
    { client: '<2025-06-18', ...NO_FORMS },
  ],
  url: [
    { of: 'server-everything', client: '<2025-11-25', ...absent(ONLY_TO_ABLE) },
    { server: '<2025-11-25', ...absent('servers before 2025-11-25 cannot ask the user to open an address') },
    { client: '<2025-06-18', ...NO_FORMS },
    {
      client: '<2025-11-25',
      ...refused(
        'C-11',
        'clients of 2025-06-18 know forms only; the tool that asks to open an address fails and says so',
      ),
    },
  ],
  'url-error': [
    { of: 'server-everything', client: '<2025-11-25', ...absent(ONLY_TO_ABLE) },
    { server: '<2025-11-25', ...absent('servers before 2025-11-25 cannot end a call with an address to open') },
    { server: '2026-07-28', ...absent('servers of 2026-07-28 ask for an address, and have no error that has one') },
    {
      client: '<2025-11-25',
      ...degraded('C-14', 'an address that a call ended with (-32042) arrives as the text of a tool that failed'),
    },
    {
      client: '2026-07-28',
      ...degraded(
        '8.3',
        'an address that a call ended with (-32042) arrives as a question, and the call is made again when it was accepted',
      ),
    },
  ],
  enums: [
    { of: 'server-everything', client: '<2025-06-18', ...absent(ONLY_TO_ABLE) },
    { server: '<2025-06-18', ...absent('servers before 2025-06-18 cannot ask the user') },
    { client: '<2025-06-18', ...NO_FORMS },
    {
      client: '<2025-11-25',
      server: '>=2025-11-25',
      ...degraded(
        'C-15',
        'titled choices arrive as `enumNames`, a choice of several as one yes or no for each; the server gets the list it asked for',
      ),
    },
  ],
  in_turn: [{ of: 'server-everything', ...absent('the tools of server-everything ask one question each') }],
  roots: [],
  tasks: [
    { server: '<2025-11-25', ...absent('servers before 2025-11-25 have no tasks') },
    { server: '2026-07-28', ...absent('the SDK 2.4 has no tasks') },
    {
      client: '<2025-11-25',
      ...degraded(
        'C-23',
        'a tool that runs as a task only is run so by the gateway, and the client waits for its result',
      ),
    },
    {
      client: '2026-07-28',
      ...degraded(
        '8.4',
        'a client without the tasks extension, as the SDK 2.4 is, waits for the result of what runs as a task only',
      ),
    },
  ],
  'tools-list': [
    { server: '<2025-11-25', ...absent('servers before 2025-11-25 have no tools that run as tasks only') },
    { server: '2026-07-28', ...absent('the SDK 2.4 has no tools that run as tasks only') },
    { client: '<2025-11-25', ...degraded('C-23', TOLD_NOTHING) },
    { client: '2026-07-28', ...degraded('D-47', TOLD_NOTHING) },
  ],
}

export const PROBES = Object.keys(EXPECTATIONS)

const OK = { verdict: 'ok' }

function holds(condition, version) {
  if (condition === undefined) return true
  if (condition.startsWith('<')) return version < condition.slice(1)
  return condition.startsWith('>=') ? version >= condition.slice(2) : version === condition
}

/** `client` and `server` have a `version`, and a `title`. */
export function expected(probe, client, server) {
  const isAbout = (rule) =>
    (rule.of === undefined || rule.of === server.title) &&
    holds(rule.client, client.version) &&
    holds(rule.server, server.version)
  return EXPECTATIONS[probe].find(isAbout) ?? OK
}
