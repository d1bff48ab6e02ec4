/** The gateway beside its peers, a plain reverse proxy and no gateway at all; the start of the bridge; what translation costs; and a thousand sessions. */
import { parseArgs } from 'node:util'
import { environment } from './environment.js'
import { bridgeStart } from './gateway/bridge-start.js'
import { goalsOf } from './gateway/goals.js'
import { manySessions } from './gateway/many-sessions.js'
import { httpToHttp, newestToStdio, stdioToHttp, translation } from './gateway/parts.js'
import { report } from './gateway/report.js'
import { fullName, peers, YARDSTICK } from './gateway/subjects.js'
import { conclude } from './outcome.js'

/**
 * `single` and `translation`: what is different for one call at a time, and for translation. What is close to its goal takes more casts to be told, and
 * turns that are short: the machine is not as fast now as a second ago.
 */
const EFFORT = {
  full: {
    casts: 3,
    rounds: 3,
    seconds: 0.4,
    opening: 1,
    warmUp: 0.8,
    sessions: 1000,
    starts: 40,
    single: { casts: 4, seconds: 0.2, opening: 1.6, warmUp: 0.6 },
    translation: { casts: 10, rounds: 12, seconds: 0.05, opening: 1, warmUp: 0.5 },
  },
  quick: { casts: 1, rounds: 3, seconds: 0.15, opening: 0.3, warmUp: 0.4, sessions: 1000, starts: 10 },
}

const parts = { stdio: stdioToHttp, newest: newestToStdio, start: bridgeStart, http: httpToHttp, translation, sessions: manySessions }

const say = (text) => process.stderr.write(`${text}\n`)

/** `--only stdio,newest,start,http,translation,sessions` and `--peers parley,mcp-proxy` leave the rest out. */
export async function run(args) {
  const options = { quick: { type: 'boolean' }, check: { type: 'boolean' }, only: { type: 'string' }, peers: { type: 'string' } }
  const { values } = parseArgs({ args, options })
  const effort = values.quick ? EFFORT.quick : EFFORT.full
  const named = (file) => values.peers === undefined || values.peers.split(',').includes(file)
  // It is no peer, but what the others are held against.
  const isWanted = (name) => name === 'reverse proxy' || name === YARDSTICK || named(fullName(name))

  const figures = {
    environment: environment(
      ['npm run bench -- gateway', ...args].join(' '),
      peers.filter(({ file }) => named(file)),
    ),
  }
  for (const [id, measure] of Object.entries(parts)) {
    if (values.only === undefined || values.only.split(',').includes(id)) figures[id] = await measure(isWanted, effort, say)
  }
  figures.goals = goalsOf(figures)

  conclude('gateway', figures, report(figures), values)
}
