/** The stages at the address of all servers. They find the server of a call, and translate names and URIs. */
import { type Answered, isObject, Serialised, type Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'
import type { AllServers } from '../call-site.ts'
import { refusalOf } from './refusal.ts'

/** Two gateways behind each other would pass a call back and forth without end. */
export const refuseLoops: Stage<Call> = (call, next) => {
  allServers(call).refuseLoop(call)
  return next(call)
}

export const mergeLists: Stage<Call> = (call) => allServers(call).list(call)

export const followAll: Stage<Call> = (call) => allServers(call).follow(call)

export const route: Stage<Call> = async (call, next) => {
  const all = allServers(call)
  const routed = await all.find(call)
  const { upstream, changes } = routed
  return all.during(upstream, async () => {
    const { site, names } = await all.reach(routed, call)
    const name = call.params['name']
    try {
      return await next(call.routeTo(site, names, changes))
    } catch (error) {
      throw refusalOf(name, changes['name'], error)
    }
  })
}

/** Puts the names that the client knows into the answer. */
export const rename: Stage<Call> = (call, next) => {
  const answer = next(call)
  return answer instanceof Promise ? answer.then((result) => renamed(call, result)) : renamed(call, answer)
}

function renamed(call: Call, answer: Awaited<Answered>): Awaited<Answered> {
  if (answer instanceof Serialised || !isObject(answer)) return answer
  if (call.continuesAfterAnswer) holdTask(call, answer)
  return call.renamed(answer)
}

/** The gateway runs the task itself, and has chosen its id. */
function holdTask(call: Call, answer: Readonly<Record<string, unknown>>): void {
  const task = isObject(answer['task']) ? answer['task'] : answer
  if (typeof task['taskId'] === 'string') allServers(call).holdTask(task['taskId'], call.site.upstream)
}

/** Only for stages of calls to all servers. */
export function allServers({ from }: Call): AllServers {
  return (from as { address: AllServers }).address
}
