/** One published server as each client sees it: directly, and at the gateway or behind `parley bridge`. */
import { COMMAND } from '../../scripts/gateway.js'
import { CLIENTS, visit } from './clients.js'
import { differences } from './compare.js'
import { byKey, observeCalls, observeLists } from './observe.js'
import { planFor } from './plan.js'
import { appUri } from './rules.js'

const [OLDEST, NEWEST_HANDSHAKE, STATELESS] = CLIENTS

const listed = (lists) =>
  Object.fromEntries(Object.entries(lists).map(([list, entries]) => [list, Array.isArray(entries) ? entries : []]))
const keyed = (lists) =>
  Object.fromEntries(Object.entries(lists).map(([list, entries]) => [list, byKey(list, entries)]))

const observeAll = async (peer, plan) => ({
  lists: keyed(await observeLists(peer)),
  ...(await observeCalls(peer, plan)),
})

/**
 * What clients see without Parley: `direct` by client, what is called (`plan`), and places that are not the same twice
 * (`varying`). `start`: gives a command line with a new home.
 */
export async function meetDirectly(server, start) {
  const first = await visit(NEWEST_HANDSHAKE, 'stdio', start(), async (peer) => {
    const lists = await observeLists(peer)
    const plan = planFor(listed(lists), server)
    const once = await observeCalls(peer, plan)
    return {
      plan,
      lists,
      seen: { lists: keyed(lists), ...once },
      again: { lists: keyed(lists), ...(await observeCalls(peer, plan)) },
    }
  })
  const observe = (peer) => observeAll(peer, first.plan)
  const anew = await visit(NEWEST_HANDSHAKE, 'stdio', start(), observe)
  // Where a client and a server have no version in common, the client is compared with the one that is sure to meet it.
  const orFirst = (client) => visit(client, 'stdio', start(), observe).catch(() => first.seen)
  const changing = (server.changing ?? []).map((tool) => `/calls/${tool}/result`)
  const varying = [...differences(first.seen, first.again), ...differences(first.seen, anew)]
    .map(({ path }) => path)
    .concat(changing)
  return {
    plan: first.plan,
    tools: listed(first.lists).tools.length,
    varying,
    direct: {
      [OLDEST.version]: await orFirst(OLDEST),
      [NEWEST_HANDSHAKE.version]: first.seen,
      [STATELESS.version]: await orFirst(STATELESS),
    },
  }
}

/** At the server's own address, where nothing is renamed. */
export const meetAtOwnAddress = (client, origin, name, plan) =>
  visit(client, client.network, { url: `${origin}/servers/${name}/${client.path}` }, (peer) => observeAll(peer, plan))

/** Gives what it sees, and what the bridge said. */
export function meetBehindBridge(client, { command, args }, plan) {
  const target = { command: process.execPath, args: [COMMAND, 'bridge', '--', command, ...args] }
  return visit(client, 'stdio', target, async (peer) => ({ ...(await observeAll(peer, plan)), said: peer.said() }))
}

/** At the address of all servers, where one visit sees them all. Gives what is seen of each, by name. */
export function meetAtAggregate(client, origin, servers) {
  return visit(client, client.network, { url: `${origin}/${client.path}` }, async (peer) => {
    const lists = await observeLists(peer)
    const seen = {}
    for (const { name, plan, direct } of servers) {
      const own = ownOf(lists, name, direct[client.version].lists)
      const located = (uri) => own.locations.get(uri) ?? uri
      seen[name] = {
        lists: keyed(own.lists),
        ...(await observeCalls(peer, plan, { named: (tool) => `${name}__${tool}`, located })),
      }
    }
    return seen
  })
}

/** The part of the lists at `/mcp` that belongs to one server, under the names it has there. */
function ownOf(lists, server, direct) {
  const prefix = `${server}__`
  const locations = new Map()
  const named = (entries) =>
    entries
      .filter(({ name }) => name.startsWith(prefix))
      .map((entry) => ({ ...entry, name: entry.name.slice(prefix.length) }))
  const located = (entries, key, known) =>
    Object.values(known.entries ?? {}).flatMap((definition) => {
      const entry =
        entries.find((each) => isRenamed(each[key], server, definition[key])) ??
        entries.find((each) => each[key] === definition[key])
      if (entry !== undefined) locations.set(definition[key], entry[key])
      return entry === undefined ? [] : [{ ...entry, [key]: definition[key] }]
    })
  const part = (list, pick) => (Array.isArray(lists[list]) ? pick(lists[list]) : lists[list])
  return {
    locations,
    lists: {
      tools: part('tools', named),
      prompts: part('prompts', named),
      resources: part('resources', (entries) => located(entries, 'uri', direct.resources)),
      resourceTemplates: part('resourceTemplates', (entries) =>
        located(entries, 'uriTemplate', direct.resourceTemplates),
      ),
    },
  }
}

/**
 * Pages of apps, and the second of two resources with the same URI, are shown under one that has the server's name in
 * it.
 */
const isRenamed = (uri, server, own) =>
  uri === appUri(server, own) || (uri.includes(`/${server}/`) && uri.endsWith(encodeURIComponent(own)))
