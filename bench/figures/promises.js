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
    capabilities: { tools: { listChanged: true }, resources: { listChanged: true, subscribe: true }, prompts: { listChanged: true }, completions: {}, logging: {} },
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
  const { session, sent, deliver } = await looseSession()
  const answers = []
  const ask = () => {
    session.request('tools/call', { name: 'forecast' }).catch(() => {})
    answers.push(`{"jsonrpc":"2.0","id":${JSON.parse(sent.pop()).id},"result":{"content":[]}}`)
  }
  for (let at = 0; at < WAITING; at++) ask()
  // Not the oldest and not the newest one, so that no order helps.
  const settled = sample(deliver, {
    samples,
    prepare(at) {
      ask()
      return answers.splice((at * 7919) % answers.length, 1)[0]
    },
  })
  await session.close()
  return settled
}

/** From a catalogue error to the wire and back, every kind in every version. */
function errorTranslation(samples) {
  const cases = versions.flatMap((version) => errorKinds.map((kind) => ({ version, error: new ParleyError(kind, { data: { name: 'forecast' } }) })))
  return sample(({ version, error }) => fromWire(error.toWire(version), version), { samples, prepare: (at) => cases[at % cases.length] })
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
  { title: 'error translation (there and back)', promised: 10, measure: errorTranslation },
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
