/** What is measured: each part starts its programs, and runs its loads through them in turn. */
import { STATELESS } from './answers.js'
import { Conversation } from './conversation.js'
import { Direct } from './direct.js'
import { loads } from './loads.js'
import { onOneProcessor } from './one-processor.js'
import { withPrograms } from './program.js'
import { sideBySide } from './side-by-side.js'
import { beforeHttp, beforeStdio, fullName, startHttpServer, startParleyBefore, YARDSTICK } from './subjects.js'
import { eachTrial } from './trials.js'

const VERSION = '2025-11-25'
const OLDEST = '2024-11-05'
const MOST_IN_FLIGHT = 32

/** The subjects among `names` that are wanted. Parley is one subject for each checkout. */
function wantedOf(names, { isPeer, checkouts, beside }) {
  const isComparedWith = (name) => beside === undefined && (name === 'reverse proxy' || name === YARDSTICK)
  return names
    .filter((name) => isComparedWith(name) || isPeer(fullName(name)))
    .flatMap((plainName) =>
      plainName === 'parley'
        ? checkouts.map(({ root, nameOf }) => ({ name: nameOf(plainName), plainName, root }))
        : [{ name: plainName, plainName }],
    )
}

/** A subject as the loads use it; `stop` closes its connections. */
async function talkTo(address, version, { name, able = true }) {
  const conversation = await Conversation.open(address, version, { connections: MOST_IN_FLIGHT, able })
  return {
    name,
    work: address.work,
    repeated: (load, inFlight) => conversation.repeated(load, inFlight),
    stop: () => conversation.close(),
  }
}

/**
 * One call at a time would take long to have everything compiled; many do it soon. What was compiled for one load may
 * have to be done anew after another.
 */
const PASSES = 2

async function warm(subjects, chosen, { opening }) {
  for (const { repeated } of subjects) {
    for (const load of Array.from({ length: PASSES }, () => chosen).flat()) {
      const { run } = await repeated(load, MOST_IN_FLIGHT)
      for (const start = performance.now(); performance.now() - start < (opening * 1000) / PASSES; ) await run(200)
    }
  }
}

async function eachLoad(subjects, inFlights, effort, progress, chosen = loads) {
  await warm(subjects, chosen, effort)
  const scenarios = []
  for (const load of chosen) {
    for (const inFlight of inFlights) {
      progress(`… ${load.title}, ${inFlight} at a time`)
      scenarios.push(await sideBySide(subjects, load, inFlight, effort))
    }
  }
  return scenarios
}

/**
 * A server over stdio, served over HTTP. One call at a time is measured apart, with more trials: on one processor, which
 * its goals are about, and over all of them, where trials differ more than programs do.
 */
export async function stdioToHttp(options, effort, progress) {
  const single = { ...effort, ...effort.single }
  const alone = () => eachTrial(single.trials, progress, () => stdioTrial(options, [1], single, progress))
  const gathered = await onOneProcessor(progress, alone)
  const spread = await alone()
  const singles =
    gathered === undefined
      ? spread
      : gathered.map((scenario, at) => ({
          ...scenario,
          title: `${scenario.title}, on one processor`,
          spread: spread[at],
        }))
  const together = await eachTrial(effort.trials, progress, () =>
    stdioTrial(options, [8, MOST_IN_FLIGHT], effort, progress),
  )
  return loads.flatMap(({ id }) => [...singles, ...together].filter(({ load }) => load === id))
}

function stdioTrial(options, inFlights, effort, progress) {
  return withPrograms(async (start) => {
    const subjects = [new Direct(VERSION)]
    try {
      for (const { name, plainName, root } of wantedOf(Object.keys(beforeStdio), options))
        subjects.push(await talkTo(await beforeStdio[plainName](start, { version: VERSION, root }), VERSION, { name }))
      return await eachLoad(subjects, inFlights, effort, progress)
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

/**
 * A client of the newest version, which has no sessions, and a server over stdio that knows sessions only; the
 * configuration is the shortest there is.
 */
export async function newestToStdio(options, effort, progress) {
  const scenarios = []
  for (const client of NEWEST_CLIENTS)
    scenarios.push(...(await eachTrial(effort.trials, progress, () => newestTrial(options, client, effort, progress))))
  return scenarios
}

async function newestTrial(options, { able, declares }, effort, progress) {
  const scenarios = await withPrograms(async (start) => {
    const subjects = []
    try {
      for (const { name, plainName, root } of wantedOf(['parley', 'mcp-proxy'], options)) {
        const address = await beforeStdio[plainName](start, { version: VERSION, root })
        subjects.push(await talkTo(address, STATELESS, { name, able }))
      }
      const [call] = loads
      return await eachLoad(subjects, [1, 8, MOST_IN_FLIGHT], effort, progress, [call])
    } finally {
      for (const { stop } of subjects) stop()
    }
  })
  return scenarios.map((scenario) => ({ ...scenario, title: `${scenario.title}, ${declares}` }))
}

/** A server over HTTP, served over HTTP in the same version. */
export const httpToHttp = (options, effort, progress) =>
  eachTrial(effort.trials, progress, () => httpTrial(options, effort, progress))

function httpTrial(options, effort, progress) {
  return withPrograms(async (start) => {
    const upstream = await startHttpServer(start, VERSION)
    const subjects = [await talkTo(upstream, VERSION, { name: 'direct' })]
    try {
      for (const { name, plainName, root } of wantedOf(Object.keys(beforeHttp), options))
        subjects.push(await talkTo(await beforeHttp[plainName](start, upstream, { root }), VERSION, { name }))
      return await eachLoad(subjects, [1, MOST_IN_FLIGHT], effort, progress)
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
export const pairs = PAIRS.map(([client, server]) => ({
  name: pairName(client, server),
  base: pairName(client, client),
  translated: client !== server,
}))

/**
 * The same over HTTP with a server of another version behind it. One gateway serves all pairs: processes differ by luck,
 * and within one process all pairs share it.
 */
export async function translation(options, effort, progress) {
  const own = { ...effort, ...effort.translation }
  return options.isPeer('parley')
    ? await eachTrial(own.trials, progress, () => translationTrial(options, own, progress))
    : []
}

function translationTrial({ checkouts }, effort, progress) {
  return withPrograms(async (start) => {
    const running = new Map()
    const upstreams = []
    for (const [client, server] of PAIRS) {
      if (!running.has(server)) running.set(server, await startHttpServer(start, server, 'rich'))
      // A client without a session needs a setting that says which session with the server it uses.
      const settings = client === STATELESS && server !== STATELESS ? { session: 'shared' } : {}
      upstreams.push({ name: `from-${client}-to-${server}`, upstream: running.get(server), settings })
    }
    const subjects = []
    try {
      const gateways = []
      for (const { root, nameOf } of checkouts)
        gateways.push({ addressOf: await startParleyBefore(start, upstreams, { root }), nameOf })
      for (const [at, [client, server]] of PAIRS.entries()) {
        for (const { addressOf, nameOf } of gateways) {
          const name = nameOf(pairName(client, server))
          subjects.push(await talkTo(addressOf(upstreams[at].name), client, { name }))
        }
      }
      return await eachLoad(subjects, [MOST_IN_FLIGHT], effort, progress)
    } finally {
      for (const { stop } of subjects) stop()
    }
  })
}
