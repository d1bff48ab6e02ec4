/** What is measured side by side: each scenario turns an implementation into a runner of `count` operations. */
import { jsonOf } from './peers/floor.js'
import { args, manyTools } from './subject.js'

async function sequentially(count, work) {
  for (let at = 0; at < count; at++) await work()
}

const IN_FLIGHT = 64

async function inFlight(count, work) {
  const burst = new Array(IN_FLIGHT)
  for (let done = 0; done < count; done += IN_FLIGHT) {
    for (let at = 0; at < IN_FLIGHT; at++) burst[at] = work()
    await Promise.all(burst)
  }
}

const isForecast = (result) => (result.structuredContent ?? result.structured)?.high === 14

const isOutlook = (result) => result.content[0]?.text.endsWith('High 14, low 4.')

function callScenario(id, title, operation, check) {
  return {
    id,
    title,
    pace: sequentially,
    async prepare(peer, options) {
      const connection = await peer.open(options)
      return { once: () => connection[operation](args), close: () => connection.close() }
    },
    check,
  }
}

const burstScenario = (...given) => ({ ...callScenario(...given), pace: inFlight, grain: IN_FLIGHT })

/** `prepare(peer, { tap })` opens what is needed and gives `once` (one operation) and `close`. */
export const scenarios = [
  callScenario('ask', 'tools/call answered with a text', 'ask', isOutlook),
  callScenario('call', 'tools/call answered with checked, structured content', 'call', isForecast),
  burstScenario('ask-64', `tools/call answered with a text, ${IN_FLIGHT} in flight`, 'ask', isOutlook),
  burstScenario(
    'call-64',
    `tools/call answered with checked, structured content, ${IN_FLIGHT} in flight`,
    'call',
    isForecast,
  ),
  {
    id: 'list-500',
    title: 'tools/list of 500 tools',
    pace: sequentially,
    async prepare(peer, options) {
      const connection = await peer.open({ ...options, tools: manyTools })
      return { once: () => connection.list(), close: () => connection.close() }
    },
    check: (tools) => tools.length === manyTools.length,
  },
  {
    id: 'connect',
    title: 'connect, handshake, close',
    pace: sequentially,
    async prepare(peer, options) {
      return {
        async once() {
          const connection = await peer.open(options)
          await connection.close()
          return connection
        },
        async close() {},
      }
    },
    check: (connection) => typeof connection.call === 'function',
  },
]

/** The messages of one operation, as one implementation writes them; the operation is checked on the way. */
async function record(scenario, peer) {
  let texts = []
  const prepared = await scenario.prepare(peer, { tap: (text) => texts.push(text) })
  texts = []
  const result = await prepared.once()
  const recorded = texts
  await prepared.close()
  if (!scenario.check(result))
    throw new Error(`${peer.name} gave a wrong answer in "${scenario.title}": ${JSON.stringify(result)?.slice(0, 300)}`)
  return recorded
}

/**
 * Contenders of one scenario. The floor does the JSON work of the messages of `reference`; `bytes` shows that the
 * others' are alike. Recording is done on connections of its own, so that no tap slows what is timed.
 */
export async function contenders(scenario, peers, reference) {
  const wire = {}
  for (const peer of peers) wire[peer.name] = await record(scenario, peer)
  const json = jsonOf(wire[reference.name])
  const entries = [
    {
      name: 'floor',
      run(count) {
        for (let at = 0; at < count; at++) json()
      },
    },
  ]
  const open = []
  for (const peer of peers) {
    const prepared = await scenario.prepare(peer, {})
    open.push(prepared)
    entries.push({ name: peer.name, grain: scenario.grain, run: (count) => scenario.pace(count, prepared.once) })
  }
  return {
    entries,
    bytes: Object.fromEntries(
      Object.entries(wire).map(([name, texts]) => [
        name,
        texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
      ]),
    ),
    messages: Object.fromEntries(Object.entries(wire).map(([name, texts]) => [name, texts.length])),
    close: async () => {
      for (const prepared of open) await prepared.close()
    },
  }
}
