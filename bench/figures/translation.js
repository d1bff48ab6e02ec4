/** How long one message takes from any version to any other (requirement X7). */
import { sample } from '../rounds.js'
import { isVerdict, plan, versions } from './built.js'
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
  return { onLoss: () => {}, mint: () => `id-${made++}`, request: { name: 'forecast', arguments: {} }, clientCapabilities: {}, clientInfo: {}, serverInfo: {} }
}

function measurePair(from, to, { method, make }, samples) {
  const translate = plan(from, to, method, 'result')
  if (translate === undefined) return { untouched: true, p50: 0, p99: 0 }
  const message = make(from)
  const about = context()
  if (isVerdict(translate(message, about))) throw new Error(`${method} from ${from} to ${to} was refused: the benchmark's message is wrong`)
  return { untouched: false, ...sample(() => translate(message, about), { samples }) }
}

export function measureTranslation(samples) {
  return subjects.map((subject) => ({
    id: subject.id,
    title: subject.title,
    promised: PROMISED,
    aim: subject.aim,
    bytes: JSON.stringify(subject.make(versions[versions.length - 1])).length,
    pairs: versions.flatMap((from) => versions.filter((to) => to !== from).map((to) => ({ from, to, ...measurePair(from, to, subject, samples) }))),
  }))
}
