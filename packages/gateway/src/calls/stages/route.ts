/** The stages at the address of all servers. They find the server of a call, and translate names and URIs. */
import { ParleyError } from 'parley-mcp'
import { type Answered, isObject, Serialised, type Stage } from 'parley-mcp/engine'
import type { Call } from '../call.ts'
import type { AllServers } from '../call-site.ts'

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
  const { changes } = routed
  const { name } = call.params
  const end = all.begin(routed.upstream)
  try {
    const { site, names } = await all.reach(routed, call)
    return await next(call.routeTo(site, names, changes))
  } catch (error) {
    throw errorForClient(name, changes['name'], error)
  } finally {
    end()
  }
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

/** The messages of the specification, which many servers use. The name follows. */
const NAME_PREFIXES: readonly string[] = ['Unknown tool: ', 'Unknown prompt: ']

/** Other errors about a name. */
const NAME_ERRORS: ReadonlySet<string> = new Set(['tool_not_found', 'tool_disabled', 'prompt_not_found'])

/** How much of a name an error message contains. */
const MAX_NAME_LENGTH = 200

/**
 * Puts the name that the client knows into an error about a tool or a prompt. `own`: the name at the server. Returns
 * other errors unchanged.
 */
function errorForClient(name: unknown, own: unknown, error: unknown): unknown {
  if (typeof name !== 'string' || typeof own !== 'string' || !(error instanceof ParleyError)) return error
  const { kind, receivedCode, message, data } = error
  const shown = name.slice(0, MAX_NAME_LENGTH)
  const prefix = NAME_PREFIXES.find((start) => message === `${start}${own.slice(0, MAX_NAME_LENGTH)}`)
  if (prefix === undefined && !NAME_ERRORS.has(kind)) return error
  const text = prefix === undefined ? `${shown}: ${message}` : `${prefix}${shown}`
  return new ParleyError(kind, {
    message: text,
    // An error of the gateway itself gets its code from its kind.
    ...(receivedCode !== undefined && { code: receivedCode }),
    ...(data && { data: isObject(data) && 'name' in data ? { ...data, name: shown } : data }),
    cause: error,
  })
}
