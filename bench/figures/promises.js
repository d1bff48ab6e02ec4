/** The times the founding documents promise (requirement Q), each measured as one single run of the thing, and its p99 held against the promise. */
import { sample } from '../rounds.js'
import { clientIdentity, identity } from '../subject.js'
import {
  errorKinds,
  fromWire,
  initializeParams,
  initializeResult,
  negotiate,
  ParleyError,
  PhaseMachine,
  readInitialize,
  readInitializeResult,
  toParleyError,
  versions,
} from './built.js'
import { looseSession } from './loose-session.js'

const WAITING = 900

function negotiation(samples) {
  const requests = [...versions, '2023-01-01', '2099-12-31']
  return sample((requested) => negotiate(requested), { samples, prepare: (at) => requests[at % requests.length] })
}

/** Both sides' part of the handshake, without the link between them. */
function capabilityNegotiation(samples) {
  const client = { info: clientIdentity, capabilities: { roots: { listChanged: true }, sampling: { tools: {} }, elicitation: { form: {}, url: {} } } }
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

function phaseTransition(samples) {
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
async function correlation(samples) {
  const { session, deliver } = await looseSession()
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
  if (left !== WAITING) throw new Error(`${left} requests are waiting, and not ${WAITING}: answers did not find their requests`)
  await session.close()
  return settled
}

const everyError = versions.flatMap((version) => errorKinds.map((kind) => ({ version, error: new ParleyError(kind, { data: { name: 'forecast' } }) })))

/** From a thrown catalogue error to what the peer of a version is told, every kind in every version. */
function errorToWire(samples) {
  return sample(({ version, error }) => toParleyError(error).toWire(version), { samples, prepare: (at) => everyError[at % everyError.length] })
}

/** From what a peer said to an error that can be thrown, with its stack. */
function errorFromWire(samples) {
  const wires = everyError.map(({ version, error }) => ({ version, wire: error.toWire(version) }))
  return sample(({ version, wire }) => fromWire(wire, version), { samples, prepare: (at) => wires[at % wires.length] })
}

/** From the frame to the handlers. */
async function notificationDispatch(samples) {
  const { session, deliver } = await looseSession()
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

export async function measurePromises(samples) {
  const measured = []
  for (const { title, promised, measure } of promises) {
    const { p50, p99 } = await measure(samples)
    measured.push({ title, promised, p50, p99, times: promised / p99 })
  }
  return measured
}
