/** How long one message takes from any version to any other (requirement X7). */
import { sample } from '../rounds.js'
import { toolList, toolResult } from './messages.js'

const PROMISED = 1000
const AIM = 20

const subjects = [
  { id: 'result-1kb', title: 'tools/call result, 1 KB', method: 'tools/call', make: toolResult, aim: AIM },
  { id: 'list-50', title: 'tools/list result, 50 tools', method: 'tools/list', make: toolList },
]

/** A real session reports losses, so this does, too. */
function context() {
  let made = 0
  return {
    onLoss: () => {},
    mint: () => `id-${made++}`,
    request: { name: 'forecast', arguments: {} },
    clientCapabilities: {},
    clientInfo: {},
    serverInfo: {},
  }
}

function measurePair({ isVerdict, plan }, from, to, { method, make }, samples) {
  const translate = plan(from, to, method, 'result')
  if (translate === undefined) return { untouched: true, p50: 0, p99: 0 }
  const message = make(from)
  const about = context()
  if (isVerdict(translate(message, about)))
    throw new Error(`${method} from ${from} to ${to} was refused: the benchmark's message is wrong`)
  return { untouched: false, ...sample(() => translate(message, about), { samples }) }
}

/** One list of subjects for each of `engines`; several of them take turns for each pair of versions. */
export function measureTranslation(engines, samples) {
  const [{ versions }] = engines
  const measured = engines.map(() => [])
  for (const subject of subjects) {
    const { id, title, aim, make } = subject
    const bytes = JSON.stringify(make(versions.at(-1))).length
    for (const list of measured) list.push({ id, title, promised: PROMISED, aim, bytes, pairs: [] })
    for (const from of versions) {
      for (const to of versions.filter((other) => other !== from)) {
        for (const [at, engine] of engines.entries())
          measured[at].at(-1).pairs.push({ from, to, ...measurePair(engine, from, to, subject, samples) })
      }
    }
  }
  return measured
}
