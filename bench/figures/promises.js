/**
 * The times that requirement Q promises. Each is measured as a single run of the operation, and its p99 is compared with
 * the promise.
 */
import { median, sample } from '../rounds.js'
import { clientIdentity, identity } from '../subject.js'
import { looseSession } from './loose-session.js'

const WAITING = 900

function negotiation(samples, { negotiate, versions }) {
  const requests = [...versions, '2023-01-01', '2099-12-31']
  return sample((requested) => negotiate(requested), { samples, prepare: (at) => requests[at % requests.length] })
}

/** Both sides' part of the handshake, without the link between them. */
function capabilityNegotiation(samples, engine) {
  const { initializeParams, initializeResult, readInitialize, readInitializeResult, versions } = engine
  const client = {
    info: clientIdentity,
    capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} } },
  }
  const server = {
    info: identity,
    capabilities: {
      tools: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
  }
  return sample(
    () => {
      const params = initializeParams(versions, client, 'lenient', {})
      const { version } = readInitialize(params, versions, 'lenient')
      const result = initializeResult(version, server, 'lenient', {})
      readInitializeResult(result, versions, 'lenient')
    },
    { samples },
  )
}

function phaseTransition(samples, { PhaseMachine }) {
  return sample((machine) => machine.fire('initialize', 1), {
    samples,
    prepare() {
      const machine = new PhaseMachine('server', 0, () => {})
      machine.observe(() => {})
      return machine
    },
  })
}

/** From the frame to the settled request, with many others waiting. */
async function correlation(samples, { Session }) {
  const { session, deliver } = await looseSession(Session)
  // The handshake had the first id.
  let asked = 1
  const waiting = []
  const ask = () => {
    session.request('tools/call').catch(() => {})
    waiting.push(++asked)
  }
  for (let at = 0; at < WAITING; at++) ask()
  const settled = sample(deliver, {
    samples,
    prepare(at) {
      ask()
      // Not the oldest and not the newest one, so that no order helps.
      const place = (at * 7919) % WAITING
      const id = waiting[place]
      waiting[place] = waiting.pop()
      return `{"jsonrpc":"2.0","id":${id},"result":{"content":[]}}`
    },
  })
  const left = session.pending().length
  if (left !== WAITING)
    throw new Error(`${left} requests are waiting, and not ${WAITING}: answers did not find their requests`)
  await session.close()
  return settled
}

const everyError = ({ errorKinds, ParleyError, versions }) =>
  versions.flatMap((version) =>
    errorKinds.map((kind) => ({ version, error: new ParleyError(kind, { data: { name: 'forecast' } }) })),
  )

/** From a thrown catalogue error to what the peer of a version is told, every kind in every version. */
function errorToWire(samples, engine) {
  const errors = everyError(engine)
  return sample(({ version, error }) => engine.toParleyError(error).toWire(version), {
    samples,
    prepare: (at) => errors[at % errors.length],
  })
}

/** From what a peer said to an error that can be thrown, with its stack. */
function errorFromWire(samples, engine) {
  const wires = everyError(engine).map(({ version, error }) => ({ version, wire: error.toWire(version) }))
  return sample(({ version, wire }) => engine.fromWire(wire, version), {
    samples,
    prepare: (at) => wires[at % wires.length],
  })
}

/** From the frame to the handlers. */
async function notificationDispatch(samples, { Session }) {
  const { session, deliver } = await looseSession(Session)
  let heard = 0
  session.onNotification('notifications/tools/list_changed', () => heard++)
  session.onNotification('*', () => heard++)
  const frame = '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}'
  const dispatched = sample(() => deliver(frame), { samples })
  if (heard < 2 * samples) throw new Error(`only ${heard} of ${2 * samples} notifications were delivered`)
  await session.close()
  return dispatched
}

const promises = [
  { title: 'version negotiation', promised: 1000, measure: negotiation },
  { title: 'capability negotiation (both sides)', promised: 5000, measure: capabilityNegotiation },
  { title: 'phase transition', promised: 100, measure: phaseTransition },
  { title: `request correlation (${WAITING} waiting)`, promised: 50, measure: correlation },
  { title: 'error translation, to the wire', promised: 10, measure: errorToWire },
  { title: 'error translation, from the wire', promised: 10, measure: errorFromWire },
  { title: 'notification dispatch (two handlers)', promised: 100, measure: notificationDispatch },
]

/** Passes of one measurement where two engines take turns. */
const PASSES = 5

/** p50 and p99 of each promise for each of `engines`; several of them take turns, and the median of their passes counts. */
export async function measurePromises(engines, samples) {
  const measured = engines.map(() => [])
  for (const { title, promised, measure } of promises) {
    const passes = engines.map(() => [])
    for (let pass = 0; pass < (engines.length === 1 ? 1 : PASSES); pass++)
      for (const [at, engine] of engines.entries()) passes[at].push(await measure(samples, engine))
    for (const [at, all] of passes.entries()) {
      const p99 = median(all.map((one) => one.p99))
      measured[at].push({ title, promised, p50: median(all.map((one) => one.p50)), p99, times: promised / p99 })
    }
  }
  return measured
}
