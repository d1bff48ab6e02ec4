/** The stages of a call as data: their purpose and conditions. Compiled once for each kind of call. */
import { type Era, eraOf } from 'parley-mcp'
import { type Answered, compose, type Stage } from 'parley-mcp/engine'
import type { Call } from './call.ts'
import type { CallOrigin } from './call-site.ts'

/** A call passes a stage if it meets all of these conditions. */
export interface Conditions {
  /** The address that the client sent the call to. Default: any. */
  readonly from?: readonly CallOrigin['kind'][]
  /** The era of the client. */
  readonly client?: Era
  /** The era of the server. Only for stages after the one that chooses the conversation. */
  readonly server?: Era
  /** `tasks/*`: all methods that begin with `tasks/`. */
  readonly methods?: readonly string[]
}

export interface CallStage extends Conditions {
  readonly run: Stage<Call>
  readonly purpose: string
  /** Whether the conversation with the server is known after this stage. */
  readonly choosesConversation?: boolean
}

export function stage(
  run: Stage<Call>,
  purpose: string,
  conditions: Omit<CallStage, 'run' | 'purpose'> = {},
): CallStage {
  return { run, purpose, ...conditions }
}

type From = CallOrigin['kind']

/** Calls of one case pass the same stages until their conversation is chosen. */
interface Case {
  readonly from: From
  readonly client: Era
  readonly method: string
}

/** Runs a call through its stages. */
export class Pipeline {
  readonly #stages: readonly CallStage[]
  readonly #last: (call: Call) => Answered
  readonly #named: ReadonlySet<string>
  readonly #compiled: Readonly<Record<From, Readonly<Record<Era, Map<string, (call: Call) => Answered>>>>>

  constructor(stages: readonly CallStage[], last: (call: Call) => Answered) {
    this.#stages = stages
    this.#last = last
    this.#named = new Set(stages.flatMap(({ methods = [] }) => methods))
    const none = (): Record<Era, Map<string, (call: Call) => Answered>> => ({
      handshake: new Map(),
      stateless: new Map(),
    })
    this.#compiled = { server: none(), all: none(), part: none() }
  }

  run(call: Call): Answered {
    const from = call.from.kind
    const client = eraOf(call.caller.version)
    const method = this.#kindOf(call.method)
    const compiled = this.#compiled[from][client]
    let run = compiled.get(method)
    if (run === undefined) {
      run = this.#compile({ from, client, method })
      compiled.set(method, run)
    }
    return run(call)
  }

  /** The stages that a call of this method passes, in order. */
  stagesFor(method: string, client: Era, server: Era, from: From = 'server'): readonly CallStage[] {
    const each: Case = { from, client, method: this.#kindOf(method) }
    return this.#stages.filter((stage) => isFor(stage, each) && (stage.server ?? server) === server)
  }

  /** All methods that no stage names are of one kind. */
  #kindOf(method: string): string {
    if (this.#named.has(method)) return method
    const group = groupOf(method)
    return this.#named.has(group) ? group : ''
  }

  #compile(each: Case): (call: Call) => Answered {
    const at = this.#stages.findIndex(({ choosesConversation }) => choosesConversation) + 1
    const before = this.#stages.slice(0, at).filter((stage) => isFor(stage, each))
    const after = this.#stages.slice(at).filter((stage) => isFor(stage, each))
    const toServer = (era: Era): ((call: Call) => Answered) =>
      compose(after.filter(({ server = era }) => server === era).map(runOf), this.#last)
    const [handshake, stateless] = [toServer('handshake'), toServer('stateless')]
    return compose(before.map(runOf), (call) => (call.isToStateless ? stateless : handshake)(call))
  }
}

function isFor({ from, client, methods }: Conditions, each: Case): boolean {
  return (
    (from === undefined || from.includes(each.from)) &&
    (client ?? each.client) === each.client &&
    (methods === undefined || methods.includes(each.method) || methods.includes(groupOf(each.method)))
  )
}

function groupOf(method: string): string {
  return `${method.slice(0, method.indexOf('/') + 1)}*`
}

const runOf = ({ run }: CallStage): Stage<Call> => run
