/** Stages of a call as data: what each is for, and for which calls it is there. Compiled once for each kind of call. */
import { type Era, eraOf } from 'parley-mcp'
import { type Answered, compose, type Stage } from 'parley-mcp/engine'
import type { Call } from './call.ts'

/** A stage is there for calls that meet all of its conditions. */
export interface Conditions {
  /** The era of the client. */
  readonly client?: Era
  /** The era of the conversation with the server: only for stages after the one that chooses it. */
  readonly server?: Era
  /** Methods; `tasks/*` stands for all that begin with `tasks/`. */
  readonly methods?: readonly string[]
}

export interface CallStage extends Conditions {
  readonly run: Stage<Call>
  readonly purpose: string
  /** Whether the conversation with the server is known to the stages after it. */
  readonly choosesConversation?: boolean
}

export function stage(
  run: Stage<Call>,
  purpose: string,
  conditions: Omit<CallStage, 'run' | 'purpose'> = {},
): CallStage {
  return { run, purpose, ...conditions }
}

/** Runs a call through all stages that are there for it. */
export class Pipeline {
  readonly #stages: readonly CallStage[]
  readonly #last: (call: Call) => Answered
  readonly #named: ReadonlySet<string>
  readonly #compiled: Readonly<Record<Era, Map<string, (call: Call) => Answered>>> = {
    handshake: new Map(),
    stateless: new Map(),
  }

  constructor(stages: readonly CallStage[], last: (call: Call) => Answered) {
    this.#stages = stages
    this.#last = last
    this.#named = new Set(stages.flatMap(({ methods = [] }) => methods))
  }

  run(call: Call): Answered {
    const client = eraOf(call.caller.version)
    const method = this.#kindOf(call.method)
    const known = this.#compiled[client].get(method)
    if (known !== undefined) return known(call)
    const compiled = this.#compile(client, method)
    this.#compiled[client].set(method, compiled)
    return compiled(call)
  }

  /** The stages that a call of this method passes between two eras, in order. */
  stagesFor(method: string, client: Era, server: Era): readonly CallStage[] {
    const kind = this.#kindOf(method)
    return this.#stages.filter((each) => isFor(each, kind, client) && (each.server ?? server) === server)
  }

  /** Methods that no stage names are all of one kind. */
  #kindOf(method: string): string {
    if (this.#named.has(method)) return method
    const group = `${method.slice(0, method.indexOf('/') + 1)}*`
    return this.#named.has(group) ? group : ''
  }

  #compile(client: Era, method: string): (call: Call) => Answered {
    const at = this.#stages.findIndex(({ choosesConversation }) => choosesConversation) + 1
    const before = this.#stages.slice(0, at).filter((each) => isFor(each, method, client))
    const behind = (server: Era): ((call: Call) => Answered) => {
      const there = this.#stages.slice(at).filter((each) => isFor(each, method, client, server))
      return compose(there.map(runOf), this.#last)
    }
    const [handshake, stateless] = [behind('handshake'), behind('stateless')]
    return compose(before.map(runOf), (call) => (call.isToStateless ? stateless : handshake)(call))
  }
}

function isFor({ client, server, methods }: Conditions, method: string, ofClient: Era, ofServer?: Era): boolean {
  return (
    (client ?? ofClient) === ofClient &&
    (ofServer === undefined || (server ?? ofServer) === ofServer) &&
    (methods === undefined || methods.includes(method))
  )
}

const runOf = ({ run }: CallStage): Stage<Call> => run
