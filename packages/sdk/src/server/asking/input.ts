/** The raw form of asking: a handler answers with questions, and is run again with what came back. */
import type { InputRequests } from '../../protocol/index.ts'
import { InputRequired } from '../../session/index.ts'

export interface InputWanted {
  /** Questions by keys of your choice, as the protocol writes them: `{ method, params }`. */
  requests?: InputRequests
  /** Given back with the answers as `ctx.input.state`; it travels through the client, sealed. Must be JSON. */
  state?: unknown
}

/** What a handler that answered with questions was given for them. */
export interface Input {
  /** By key; empty on the first run. Answers that are missing or malformed are not there: ask again. */
  readonly responses: Readonly<Record<string, unknown>>
  readonly state: unknown
}

const METHODS: readonly string[] = ['elicitation/create', 'sampling/createMessage', 'roots/list']

/** To be returned by a handler. */
export function inputRequired({ requests = {}, state }: InputWanted): InputRequired {
  const entries = Object.entries(requests)
  if (entries.length === 0 && state === undefined) throw new TypeError('inputRequired() needs requests, state, or both')
  for (const [key, request] of entries) {
    if (!METHODS.includes(request?.method))
      throw new TypeError(`inputRequired(): the request "${key}" must have one of the methods ${METHODS.join(', ')}`)
  }
  return new InputRequired(requests, state)
}
