/** Requests of clients without a session: handed on as they are to servers of their own era, and put into a session for the others (8.2). */
import { type LogLevel, ParleyError } from 'parley-mcp'
import { type Answer, askingMethods, type Body, HANDLE_KEY, type Inbound, InputRequired, withMetadata } from 'parley-mcp/engine'
import { BridgedCall, HeldTurn, type Lease, type Line, type Upstream } from '../upstream/index.ts'
import { callParams, type Shared } from './endpoint.ts'
import { withoutExecution, withTools } from './execution.ts'
import { keepAnswer, keptAnswer } from './kept-answer.ts'
import { relay } from './relay.ts'
import { linksToServe, whenLinksServed } from './url-required.ts'
import { isPart } from './view.ts'

const asking: ReadonlySet<string> = new Set(askingMethods)
const LISTEN = 'subscriptions/listen'

export async function relayStateless(inbound: Inbound, shared: Shared, params: Body): Promise<Answer> {
  const { upstream } = shared
  upstream.demandUp()
  const kept = keptAnswer(inbound, upstream, params)
  if (kept !== undefined) return upstream.tools.changesLists ? withTools(kept, (tools) => upstream.tools.shown(tools)) : kept
  const home = await upstream.homeNow()
  if (inbound.method === LISTEN) return home.stateless ? shared.listeners.listen(inbound, home) : listenWith(inbound, home, shared)
  return home.stateless ? handOn(inbound, home, shared, params) : lend(inbound, home, shared, params)
}

/** Where a conversation is kept for a client, what it listens to is what happens there. */
async function listenWith(inbound: Inbound, home: Line, { upstream, listeners }: Shared): Promise<Answer> {
  const lease = await upstream.lines.lend(inbound)
  try {
    return await listeners.listen(inbound, lease?.line ?? home)
  } finally {
    lease?.release()
  }
}

/** Both are of the stateless era: the server sees the client's own words, and the client the server's. */
async function handOn(inbound: Inbound, line: Line, { upstream, view, tasks }: Shared, params: Body): Promise<Answer> {
  const call = new BridgedCall(inbound)
  call.remembersLists = view === undefined
  call.isPart = isPart(inbound, view)
  tasks.watch(call, params)
  if (inbound.method !== 'tools/call') {
    keepAnswer(call, upstream, params)
    if (inbound.method === 'tools/list') call.change = (result) => withTools(result, (tools) => upstream.tools.shown(tools))
    return relay(call, line, params, upstream)
  }
  // Results of calls are nobody's but the caller's: they are neither kept nor looked at.
  call.handsOnText = view === undefined
  return relay(call, line, upstream.tools.changesLists ? await callParams(params, upstream) : params, upstream)
}

async function lend(inbound: Inbound, home: Line, shared: Shared, params: Body): Promise<Answer> {
  if (inbound.method.startsWith('tasks/')) return shared.tasks.ask(new BridgedCall(inbound), home)
  if (!asking.has(inbound.method)) return listWith(inbound, home, shared, params)
  // What the gateway did not seal itself was never given to anybody by a server of the handshake era.
  if (inbound.params['requestState'] !== undefined && inbound.retry === undefined) throw foreignState()
  const lease = await shared.upstream.lines.lease(inbound)
  const { line } = lease
  let call = new BridgedCall(inbound)
  try {
    // Before the server knows of a call that its question could belong to.
    if (line.roots.heard !== undefined) await line.roots.heard
    const links = linksToServe(inbound, line)
    let answer = await callInTurn(call, line, shared, params)
    const served = whenLinksServed(answer, links, inbound, line)
    if (served !== undefined) {
      await served
      call = new BridgedCall(inbound)
      answer = await callInTurn(call, line, shared, params)
    }
    return withHandle(answer, lease)
  } finally {
    afterwards(call, () => {
      line.roots.end(inbound)
      lease.release()
    })
  }
}

/** Rule 1: where a question does not say to which call it belongs, there is only one that it can belong to. */
async function callInTurn(call: BridgedCall, line: Line, shared: Shared, params: Body): Promise<Answer> {
  const { inbound } = call
  if (line.takesTurns) {
    const { clock, config } = shared.upstream
    const signal = line.turns.taken ? inbound.signal : undefined
    await HeldTurn.take(line, call, clock, { maxQueued: config.maxQueued, signal })
  }
  try {
    if (inbound.cancelled) throw new ParleyError('request_cancelled')
    if (line.roots.wanted) await refreshRoots(inbound, line, shared.upstream)
    if (inbound.logLevel !== undefined) await hearFrom(line, inbound.logLevel)
    return await callWith(call, line, shared, params)
  } finally {
    afterwards(call, () => call.turn?.end())
  }
}

/** A call that became a task goes on after its answer. */
function afterwards({ lasting }: BridgedCall, done: () => void): void {
  if (lasting === undefined) done()
  else void lasting.finally(done)
}

function callWith(call: BridgedCall, line: Line, { upstream, tasks }: Shared, params: Body): Promise<Answer> {
  if (call.method !== 'tools/call') return relay(call, line, params, upstream)
  if (!upstream.tools.changesLists) return tasks.call(call, line, params)
  return callParams(params, upstream).then((own) => tasks.call(call, line, own))
}

/** D-53: lists are the same for everybody, so without a conversation of its own a client gets what the gateway sees. */
async function listWith(inbound: Inbound, home: Line, { upstream, view }: Shared, params: Body): Promise<Answer> {
  const lease = await upstream.lines.lend(inbound)
  const line = lease?.line ?? home
  try {
    if (inbound.logLevel !== undefined) await hearFrom(line, inbound.logLevel)
    const call = new BridgedCall(inbound)
    call.remembersLists = view === undefined
    call.isPart = isPart(inbound, view)
    if (inbound.method === 'tools/list') call.change = (result) => withTools(result, (tools) => upstream.tools.shown(tools).map(withoutExecution))
    return await relay(call, line, params, upstream)
  } finally {
    lease?.release()
  }
}

/** A server that refuses a level is no reason to fail the request that names it. */
async function hearFrom(line: Line, level: LogLevel): Promise<void> {
  await line.wantLevel(level).catch(() => {})
}

/** A server that asked for roots when nobody could be asked is told now that there are some, and has asked again before the call is made. */
async function refreshRoots(inbound: Inbound, { roots, client }: Line, upstream: Upstream): Promise<void> {
  if (!inbound.caller.declares('roots')) return
  const told = await inbound.request('roots/list', {}, { key: 'roots' })
  const hasAsked = await roots.change(told, client.session, inbound, upstream.asksForRootsAgain)
  if (inbound.cancelled) throw new ParleyError('request_cancelled')
  upstream.asksForRootsAgain = hasAsked
}

function withHandle(answer: Answer, { handle }: Lease): Answer {
  if (handle === undefined || answer instanceof InputRequired) return answer
  return withMetadata(answer, { [HANDLE_KEY]: handle })
}

function foreignState(): ParleyError {
  return new ParleyError('request_state_invalid', { message: 'Invalid requestState: it is not a state this gateway gave, or it was given before a restart' })
}
