/** The stages at the address of all servers: which server a call is for, and what its names are there and back. */
import { type Answered, isObject, Serialised, type Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'
import type { AllServers } from '../call-site.ts'
import { refusalOf } from './refusal.ts'

/** Gateways that stand behind each other would hand a call round for ever. */
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
    const asked = call.params['name']
    try {
      return await next(call.at(site, names, changes))
    } catch (error) {
      throw refusalOf(asked, changes['name'], error)
    }
  })
}

/** The answer, in the names that the client knows. */
export const rename: Stage<Call> = (call, next) => {
  const answer = next(call)
  return answer instanceof Promise ? answer.then((known) => renamed(call, known)) : renamed(call, answer)
}

function renamed(call: Call, answer: Awaited<Answered>): Awaited<Answered> {
  if (answer instanceof Serialised || !isObject(answer)) return answer
  if (call.lasts) holdTask(call, answer)
  return call.renamed(answer)
}

/** The gateway runs the task itself, and gave it its id. */
function holdTask(call: Call, answer: Readonly<Record<string, unknown>>): void {
  const task = isObject(answer['task']) ? answer['task'] : answer
  if (typeof task['taskId'] === 'string') allServers(call).holdTask(task['taskId'], call.site.upstream)
}

/** These stages are there only for calls that were sent to all servers. */
export function allServers({ from }: Call): AllServers {
  return (from as { address: AllServers }).address
}
