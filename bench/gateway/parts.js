/** What is measured: each part starts its programs, and runs its loads through them in turn. */
import { STATELESS } from './answers.js'
import { eachCast } from './casts.js'
import { Conversation } from './conversation.js'
import { Direct } from './direct.js'
import { loads } from './loads.js'
import { onOneProcessor } from './one-processor.js'
import { withPrograms } from './program.js'
import { sideBySide } from './side-by-side.js'
import { beforeHttp, beforeStdio, startHttpServer, startParleyBefore } from './subjects.js'

const VERSION = '2025-11-25'
const OLDEST = '2024-11-05'
const MOST_IN_FLIGHT = 32

/** A subject as the loads use it, and how to hang up. */
async function talkTo(place, version, { name = place.name, able = true } = {}) {
  const conversation = await Conversation.open(place, version, { connections: MOST_IN_FLIGHT, able })
  return { name, work: place.work, repeated: (load, inFlight) => conversation.repeated(load, inFlight), stop: () => conversation.close() }
}

/** One call at a time would take long to have everything compiled; many do it soon. What was compiled for one load may have to be done anew after another. */
const PASSES = 2

async function warm(subjects, chosen, { opening }) {
  for (const { repeated } of subjects) {
    for (const load of Array.from({ length: PASSES }, () => chosen).flat()) {
      const { run } = await repeated(load, MOST_IN_FLIGHT)
      for (const start = performance.now(); performance.now() - start < (opening * 1000) / PASSES; ) await run(200)
    }
  }
}

async function eachLoad(subjects, inFlights, effort, say, chosen = loads) {
  await warm(subjects, chosen, effort)
  const scenarios = []
  for (const load of chosen) {
    for (const inFlight of inFlights) {
      say(`… ${load.title}, ${inFlight} at a time`)
      scenarios.push(await sideBySide(subjects, load, inFlight, effort))
    }
  }
  return scenarios
}

/**
 * A server over stdio, served over HTTP. One call at a time is measured apart, with more casts: on one processor, which its goals are about, and over all
 * of them, where it differs more from cast to cast than from program to program.
 */
export async function stdioToHttp(isWanted, effort, say) {
  const single = { ...effort, ...effort.single }
  const alone = () => eachCast(single.casts, say, () => stdioCast(isWanted, [1], single, say))
  const gathered = await onOneProcessor(say, alone)
  const spread = await alone()
  const singles =
    gathered === undefined ? spread : gathered.map((scenario, at) => ({ ...scenario, title: `${scenario.title}, on one processor`, spread: spread[at] }))
  const together = await eachCast(effort.casts, say, () => stdioCast(isWanted, [8, MOST_IN_FLIGHT], effort, say))
  return loads.flatMap(({ id }) => [...singles, ...together].filter(({ load }) => load === id))
}

function stdioCast(isWanted, inFlights, effort, say) {
  return withPrograms(async (start) => {
    const subjects = [new Direct(VERSION)]
    try {
      for (const [name, begin] of Object.entries(beforeStdio)) {
        if (isWanted(name)) subjects.push(await talkTo(await begin(start, { version: VERSION }), VERSION, { name }))
      }
      return await eachLoad(subjects, inFlights, effort, say)
    } finally {
      for (const { stop } of subjects) await stop()
    }
  })
}

/** What a client of the newest version says of itself. */
const NEWEST_CLIENTS = [
  { able: false, declares: 'a client that can be asked nothing' },
  { able: true, declares: 'a client with elicitation, sampling and roots' },
]

/** A client of the newest version, which has no sessions, and a server over stdio that knows sessions only; the configuration is the shortest there is. */
export async function newestToStdio(isWanted, effort, say) {
  const scenarios = []
  for (const client of NEWEST_CLIENTS) scenarios.push(...(await eachCast(effort.casts, say, () => newestCast(isWanted, client, effort, say))))
  return scenarios
}

async function newestCast(isWanted, { able, declares }, effort, say) {
  const scenarios = await withPrograms(async (start) => {
    const subjects = []
    try {
      for (const name of ['parley', 'mcp-proxy'].filter(isWanted)) {
        subjects.push(await talkTo(await beforeStdio[name](start, { version: VERSION }), STATELESS, { name, able }))
      }
      const [call] = loads
      return await eachLoad(subjects, [1, 8, MOST_IN_FLIGHT], effort, say, [call])
    } finally {
      for (const { stop } of subjects) stop()
    }
  })
  return scenarios.map((scenario) => ({ ...scenario, title: `${scenario.title}, ${declares}` }))
}

/** A server over HTTP, served over HTTP in the same version. */
export const httpToHttp = (isWanted, effort, say) => eachCast(effort.casts, say, () => httpCast(isWanted, effort, say))

function httpCast(isWanted, effort, say) {
  return withPrograms(async (start) => {
    const upstream = await startHttpServer(start, VERSION)
    const subjects = [await talkTo(upstream, VERSION, { name: 'direct' })]
    try {
      for (const [name, begin] of Object.entries(beforeHttp)) {
        if (isWanted(name)) subjects.push(await talkTo(await begin(start, upstream), VERSION))
      }
      return await eachLoad(subjects, [1, MOST_IN_FLIGHT], effort, say)
    } finally {
      for (const { stop } of subjects) stop()
    }
  })
}

/** Versions of the client and of the server; the first pair of a group is what the others are held against. */
const PAIRS = [
  [VERSION, VERSION],
  [VERSION, OLDEST],
  [VERSION, STATELESS],
  [OLDEST, OLDEST],
  [OLDEST, VERSION],
  [STATELESS, STATELESS],
  [STATELESS, VERSION],
]

export const pairName = (client, server) => `${client} → ${server}`
export const pairs = PAIRS.map(([client, server]) => ({ name: pairName(client, server), base: pairName(client, client), translated: client !== server }))

/**
 * The same over HTTP with a server of another version behind it. One gateway serves all pairs: how well a process runs is partly luck, and of one process
 * all have the same.
 */
export async function translation(isWanted, effort, say) {
  const own = { ...effort, ...effort.translation }
  return isWanted('parley') ? await eachCast(own.casts, say, () => translationCast(own, say)) : []
}

function translationCast(effort, say) {
  return withPrograms(async (start) => {
    const running = new Map()
    const upstreams = []
    for (const [client, server] of PAIRS) {
      if (!running.has(server)) running.set(server, await startHttpServer(start, server, 'rich'))
      // Clients without sessions have to be told whose session at the server is theirs.
      const settings = client === STATELESS && server !== STATELESS ? { session: 'shared' } : {}
      upstreams.push({ name: `from-${client}-to-${server}`, upstream: running.get(server), settings })
    }
    const placeOf = await startParleyBefore(start, upstreams)
    const subjects = []
    try {
      for (const [at, [client, server]] of PAIRS.entries()) subjects.push(await talkTo(placeOf(upstreams[at].name), client, { name: pairName(client, server) }))
      return await eachLoad(subjects, [MOST_IN_FLIGHT], effort, say)
    } finally {
      for (const { stop } of subjects) stop()
    }
  })
}
