/**
 * The gateway beside its peers, a plain reverse proxy and no gateway at all; the start of the bridge; what translation
 * costs; and a thousand sessions.
 */
import { compareScenarios, compareValues, concludeBeside } from './beside.js'
import { environment } from './environment.js'
import { bridgeStart } from './gateway/bridge-start.js'
import { goalsOf } from './gateway/goals.js'
import { manySessions } from './gateway/many-sessions.js'
import { httpToHttp, newestToStdio, stdioToHttp, translation } from './gateway/parts.js'
import { report } from './gateway/report.js'
import { peers } from './gateway/subjects.js'
import { readOptions } from './options.js'
import { conclude } from './outcome.js'
import { digits } from './table.js'

/**
 * `single` and `translation` are the settings for one call at a time and for translation. Figures close to their goals
 * need more trials, and short turns: the speed of the machine changes from second to second.
 */
const EFFORT = {
  full: {
    trials: 3,
    rounds: 3,
    seconds: 0.4,
    opening: 1,
    warmUp: 0.8,
    sessions: 1000,
    starts: 40,
    single: { trials: 4, seconds: 0.2, opening: 1.6, warmUp: 0.6 },
    translation: { trials: 10, rounds: 12, seconds: 0.05, opening: 1, warmUp: 0.5 },
  },
  quick: { trials: 1, rounds: 3, seconds: 0.15, opening: 0.3, warmUp: 0.4, sessions: 1000, starts: 10 },
}

const parts = {
  stdio: stdioToHttp,
  newest: newestToStdio,
  start: bridgeStart,
  http: httpToHttp,
  translation,
  sessions: manySessions,
}

const progress = (text) => process.stderr.write(`${text}\n`)

async function measure(options, effort) {
  const figures = {}
  for (const [id, part] of Object.entries(parts))
    if (options.isPart(id)) figures[id] = await part(options, effort, progress)
  return figures
}

const kibibytes = (bytes) => `${digits(bytes / 1024)} KiB`

async function besideOther(options, effort) {
  const measured = await measure(options, effort)
  const { stdio = [], newest = [], start, http = [], translation = [], sessions } = measured
  const valuesOf = (results = {}, figure) =>
    Object.fromEntries(Object.entries(results).map(([name, result]) => [name, result[figure]]))
  const rows = [
    ...compareScenarios(titled('stdio', stdio.flatMap(withSpread))),
    ...compareScenarios(titled('newest client', newest)),
    ...compareScenarios(titled('HTTP', http)),
    ...compareScenarios(titled('translation', translation)),
    ...compareValues('start of parley bridge', valuesOf(start?.results, 'ms'), (ms) => `${digits(ms)} ms`),
    ...compareValues('heap of a session', valuesOf(sessions?.results, 'heap'), kibibytes),
  ]
  concludeBeside(rows, options)
}

const withSpread = ({ spread, ...scenario }) => (spread === undefined ? [scenario] : [scenario, spread])

const titled = (part, scenarios) => scenarios.map((scenario) => ({ ...scenario, title: `${part}: ${scenario.title}` }))

export async function run(args) {
  const options = readOptions(args)
  const effort = options.quick ? EFFORT.quick : EFFORT.full
  if (options.beside !== undefined) return await besideOther(options, effort)
  const figures = {
    environment: environment(
      ['npm run bench -- gateway', ...args].join(' '),
      peers.filter(({ file }) => options.isPeer(file)),
    ),
    ...(await measure(options, effort)),
  }
  figures.goals = goalsOf(figures)

  conclude('gateway', figures, report(figures), options)
}
